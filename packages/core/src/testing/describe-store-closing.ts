import { expect } from "vitest";
import type { Store } from "../store/port.ts";
import { codeOf, mustCommit, person, personKey, type StoreCase } from "./describe-store-harness.ts";

const some = Array.from({ length: 40 }, (_, n) =>
  person(`${n}`, { claims: [`claim ${n}`], entries: { name: ["ana"], of: ["7"] }, feeds: ["all"] }),
);
const where = [{ index: "name", contains: "an" }];
const quiet = () => undefined;

/** Every call of a store, those that it may do without as well: asked twice, each has the same answer. */
const calls: readonly (readonly [call: keyof Store, ask: (store: Store) => Promise<unknown> | undefined])[] =
  [
    ["get", (store) => store.get(some)],
    ["resolve", (store) => store.resolve(["claim 1", "claim 2"])],
    ["find", (store) => store.find?.("claim 7", { collection: "people", index: "of" })],
    ["query", (store) => store.query({ collection: "people", where, sort: { index: "of" }, limit: 30 })],
    ["count", (store) => store.count?.({ collection: "people", where })],
    ["changes", (store) => store.changes({ feed: "all", limit: 30 })],
    ["commit", (store) => store.commit({ expect: [{ kind: "exists", ...personKey("1") }] })],
    ["verify", (store) => store.verify?.(quiet)],
    ["rebuild", (store) => store.rebuild?.(quiet)],
    ["renew", (store) => store.renew?.()],
  ];

const waits = calls.map(
  ([call, ask]): StoreCase => ({
    about: "closing",
    name: `close waits for a running ${call}, where the store has the call`,
    async run({ store }) {
      await mustCommit(store, { put: some });
      if (!store[call]) return;
      const answer = await ask(store);
      let isRunning = true;
      const running = Promise.resolve(ask(store)).finally(() => {
        isRunning = false;
      });
      // Told below: until then nobody waits for it.
      running.catch(quiet);
      await store.close();
      await turns();
      expect(isRunning, "still running after close").toBe(false);
      expect(await running).toEqual(answer);
    },
  }),
);

/** Lets what is settled be told. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await undefined;
}

/** Closing: what it waits for, and what comes after it. */
export const closingCases: readonly StoreCase[] = [
  {
    about: "closing",
    name: "after close every call rejects, and closing again is harmless",
    async run({ store }) {
      await mustCommit(store, { put: [person("a")] });
      await store.close();
      await store.close();
      for (const [call, ask] of calls) {
        if (store[call]) expect(await codeOf(async () => ask(store)), call).toBe("closed");
      }
      expect(await codeOf(() => store.get([]))).toBe("closed");
      expect(await codeOf(() => store.commit({}))).toBe("closed");
    },
  },
  {
    about: "closing",
    name: "close waits for running calls",
    async run(open) {
      await mustCommit(open.store, { put: [person("a", { body: 1 })] });
      const reading = open.store.get([personKey("a")]);
      const writing = open.store.commit({ put: [person("b", { body: 2 })] });
      await open.store.close();
      expect((await reading)[0]?.body).toBe(1);
      expect(await writing).toEqual({ ok: true });
      const store = await open.reopen();
      expect((await store.get([personKey("b")]))[0]?.body).toBe(2);
    },
  },
  ...waits,
  {
    about: "closing",
    name: "close waits for commits over which a store has to think twice: of claims that move or are taken, of documents that are there",
    async run(open) {
      await mustCommit(open.store, {
        put: [person("a", { claims: ["one"] }), person("b", { claims: ["two"] })],
      });
      const swapped = open.store.commit({
        put: [person("a", { version: 2, claims: ["two"] }), person("b", { version: 2, claims: ["one"] })],
      });
      const taking = open.store.commit({ put: [person("c", { claims: ["one"] })] });
      const absent = { kind: "absent", ...personKey("a") } as const;
      const making = open.store.commit({ expect: [absent], put: [person("a")] });
      for (const each of [swapped, taking, making]) each.catch(quiet);
      await open.store.close();
      expect(await swapped).toEqual({ ok: true });
      const taken = { kind: "claim-taken", claim: "one", holder: personKey("b") };
      expect(await taking).toEqual({ ok: false, failures: [taken] });
      expect(await making).toEqual({
        ok: false,
        failures: [{ kind: "expectation", expectation: absent, found: 2 }],
      });
    },
  },
  {
    about: "closing",
    name: "a second close waits as long as the first",
    async run({ store }) {
      await mustCommit(store, { put: some });
      const writing = store.commit({ put: [person("new")] });
      let isClosing = true;
      const first = store.close().then(() => {
        isClosing = false;
      });
      await store.close();
      await turns();
      expect(isClosing, "first still under way after the second").toBe(false);
      await first;
      expect(await writing).toEqual({ ok: true });
    },
  },
];
