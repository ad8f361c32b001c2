import { createMemoryStore, StoreError } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { processLock } from "../host.ts";
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
    expect(await worker.status()).toMatchObject({ phase: "safe-mode", lastError: detail });
    expect(await worker.create("Individual", { name: { family: "Reyes" } })).toEqual({
      ok: false,
      problem: { kind: "unavailable", detail },
    });
    expect(await worker.signIn({ clientId: "a", clientSecret: "b" })).toMatchObject({ ok: false });
    const phases: string[] = [];
    await worker.subscribe(({ status }) => phases.push(status.phase));
    expect(phases).toEqual(["safe-mode"]);
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
});
