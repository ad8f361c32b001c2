import { createMemoryStore, type Store, StoreError } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { processLock } from "../host.ts";
import type { Timers } from "../ports.ts";
import { fieldWorker } from "./worker.ts";

const setup = { server: "http://registry.test/api/v2", online: false, metered: false };
const offline = {
  automatic: false,
  fetch: () => Promise.reject(new TypeError("no network")),
  lock: processLock(),
  channel: { post: () => undefined, subscribe: () => () => undefined },
};

describe("the worker of a field app", () => {
  it("keeps what is asked before it is set up, and answers it afterwards", async () => {
    const worker = fieldWorker({ openStore: async () => createMemoryStore(), service: offline });
    const created = worker.create("Individual", { name: { family: "Reyes" }, active: true });
    await worker.open(setup);
    expect(await created).toMatchObject({ ok: true, value: { state: "pending" } });
    await worker.close();
  });

  it("is in safe mode when the store can't be opened: edits are refused and the status says why", async () => {
    const detail = "The database fieldroll was written by a newer version. Update this app.";
    const worker = fieldWorker({
      openStore: () => Promise.reject(new StoreError("newer-schema", detail)),
      service: offline,
    });
    await worker.open(setup);
    expect(await worker.status()).toMatchObject({
      phase: "safe-mode",
      safeMode: "newer-version",
      lastError: detail,
    });
    expect(await worker.create("Individual", { name: { family: "Reyes" } })).toEqual({
      ok: false,
      problem: { kind: "unavailable", detail },
    });
    expect(await worker.signIn({ clientId: "a", clientSecret: "b" })).toMatchObject({ ok: false });
    const phases: string[] = [];
    await worker.subscribe(({ status }) => phases.push(status.phase));
    expect(phases).toEqual(["safe-mode"]);
  });

  it("leaves safe mode by itself once the store can be opened, and tells whoever listens", async () => {
    const waits = new Map<number, () => void>();
    const timers: Timers = {
      set(delay, run) {
        waits.set(delay, run);
        return () => waits.delete(delay);
      },
    };
    let isBlocked = true;
    const openStore = async () => {
      if (isBlocked) throw new StoreError("blocked", "Close the other tabs.");
      return createMemoryStore();
    };
    const worker = fieldWorker({ openStore, service: { ...offline, timers } });
    await worker.open(setup);
    const causes: unknown[] = [];
    const over = new Promise<void>((resolve) => {
      void worker.subscribe(({ status }) => {
        causes.push(status.safeMode);
        if (status.safeMode === null) resolve();
      });
    });
    await expect.poll(() => causes).toEqual(["other-tab"]);
    isBlocked = false;
    waits.get(5_000)?.();
    await over;
    expect(await worker.create("Individual", { name: { family: "Reyes" }, active: true })).toMatchObject({
      ok: true,
    });
    await worker.close();
  });

  it("goes on with a new store after the browser deleted the former one, and tells whoever listens", async () => {
    const gone = () => Promise.reject(new StoreError("closed", "The database was deleted elsewhere."));
    let isDeleted = false;
    const stores: Store[] = [];
    const openStore = async () => {
      const store = createMemoryStore();
      const mayFail: Store = {
        ...store,
        get: (keys) => (isDeleted && stores[0] === mayFail ? gone() : store.get(keys)),
        query: (query) => (isDeleted && stores[0] === mayFail ? gone() : store.query(query)),
        commit: (commit) => (isDeleted && stores[0] === mayFail ? gone() : store.commit(commit)),
      };
      stores.push(mayFail);
      return mayFail;
    };
    const worker = fieldWorker({ openStore, service: offline });
    await worker.open(setup);
    const told: { readonly safeMode: unknown; readonly changes: number }[] = [];
    await worker.subscribe(({ status, changes }) => {
      told.push({ safeMode: status.safeMode, changes });
    });
    expect(await worker.create("Individual", { name: { family: "Reyes" } })).toMatchObject({ ok: true });
    await expect.poll(() => told.at(-1)?.changes).toBe(1);
    isDeleted = true;
    expect(await worker.create("Individual", { name: { family: "Cruz" } })).toMatchObject({ ok: false });
    await expect.poll(() => told.map(({ safeMode }) => safeMode)).toContain("cleared");
    await expect.poll(() => told.at(-1)).toMatchObject({ safeMode: null, changes: 2 });
    expect(stores).toHaveLength(2);
    expect(await worker.create("Individual", { name: { family: "Cruz" } })).toMatchObject({ ok: true });
    expect(await worker.search("Individual", {})).toMatchObject({ value: { data: [{}] } });
    await worker.close();
  });

  it("tells the engine when the page learns that the network came or went", async () => {
    const worker = fieldWorker({
      openStore: async () => createMemoryStore(),
      service: { ...offline, automatic: true },
    });
    await worker.open(setup);
    const phases: string[] = [];
    const seen = new Promise<void>((resolve) => {
      void worker.subscribe(({ status }) => {
        if (phases.at(-1) !== status.phase) phases.push(status.phase);
        if (status.phase === "signed-out" || status.phase === "offline") resolve();
      });
    });
    await seen;
    expect(["signed-out", "offline"]).toContain(phases.at(-1));
    await worker.network({ online: true, metered: false });
    await worker.close();
  });

  describe("that is asked for something as it starts", () => {
    /** A store whose queries of people are answered when the test says so; tells what else it is asked. */
    function heldStore() {
      const inner = createMemoryStore();
      const asked: string[] = [];
      let answer: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const store: Store = {
        ...inner,
        get(keys) {
          asked.push(...keys.map(({ collection }) => collection));
          return inner.get(keys);
        },
        async query(query) {
          asked.push(query.collection);
          if (query.collection === "Individual") await released;
          return inner.query(query);
        },
      };
      return { store, asked, answer };
    }

    it("answers that before the engine starts, and before it tells how things stand", async () => {
      const { store, asked, answer } = heldStore();
      const worker = fieldWorker({ openStore: async () => store, service: offline });
      const phases: string[] = [];
      const subscribed = worker.subscribe(({ status }) => phases.push(status.phase));
      const found = worker.search("Individual", {});
      await worker.open(setup);
      await new Promise(setImmediate);
      expect(asked).toEqual(["Individual"]);
      expect(phases).toEqual([]);
      answer();
      expect(await found).toMatchObject({ ok: true });
      await subscribed;
      // By then the engine has begun: it would seem stopped otherwise.
      expect(phases[0]).toMatch(/^(signed-out|offline)$/);
      await worker.sync();
      expect(asked).toContain("sync");
      await worker.close();
    });

    it("starts the engine all the same where that takes long", async () => {
      const { store, asked, answer } = heldStore();
      const waits: (() => void)[] = [];
      const timers: Timers = {
        set(delay, run) {
          if (delay === 1_000) waits.push(run);
          return () => undefined;
        },
      };
      const worker = fieldWorker({ openStore: async () => store, service: { ...offline, timers } });
      const found = worker.search("Individual", {});
      await worker.open(setup);
      await new Promise(setImmediate);
      expect(asked).toEqual(["Individual"]);
      for (const over of waits) over();
      await worker.sync();
      expect(asked).toContain("sync");
      answer();
      expect(await found).toMatchObject({ ok: true });
      await worker.close();
    });

    it("says what is wrong with its setup to whoever asked before", async () => {
      const worker = fieldWorker({ openStore: async () => createMemoryStore(), service: offline });
      const found = worker.search("Individual", {});
      const wrong = /^The option server must be a whole address/;
      await expect(worker.open({ ...setup, server: "registry" })).rejects.toThrow(wrong);
      await expect(found).rejects.toThrow(wrong);
      await expect(worker.status()).rejects.toThrow(wrong);
      await worker.open(setup);
      expect(await worker.search("Individual", {})).toMatchObject({ ok: true });
      await expect(worker.open({ ...setup, server: "registry" })).rejects.toThrow(wrong);
      expect(await worker.search("Individual", {})).toMatchObject({ ok: true });
      await worker.close();
    });
  });
});
