import { type AuditEntry, type Commit, createMemoryStore, type Store, StoreError } from "@fieldroll/core";
import { expect, it } from "vitest";
import { createReadAudit } from "./read-audit.ts";

const entry = (n: number): AuditEntry => ({
  at: "2026-03-01T08:00:00.000Z",
  action: "read",
  clientId: "reader",
  records: [`Individual/${n}`],
  fields: "all",
});

/** A keeper over a store that can be told to fail, with timers that run when the test says so. */
function setting({ capacity }: { readonly capacity?: number } = {}) {
  const inner = createMemoryStore();
  const faults: ("before" | "after")[] = [];
  const durabilities: Commit["durability"][] = [];
  const store: Store = {
    ...inner,
    commit: async (commit) => {
      const fault = faults.shift();
      durabilities.push(commit.durability);
      if (fault === "before") throw new StoreError("unavailable", "busy");
      const result = await inner.commit(commit);
      if (fault === "after") throw new StoreError("unavailable", "the answer got lost");
      return result;
    },
  };
  const timers: { readonly task: () => void; readonly milliseconds: number }[] = [];
  const failures: number[] = [];
  let ids = 0;
  const keeper = createReadAudit({
    store,
    newId: () => String(++ids).padStart(4, "0"),
    schedule: (task, milliseconds) => timers.push({ task, milliseconds }),
    onFailure: (_error, waiting) => failures.push(waiting),
    ...(capacity === undefined ? {} : { capacity }),
  });
  const tick = async () => {
    for (const { task } of timers.splice(0)) task();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const documents = async () => (await inner.query({ collection: "audit", limit: 500 })).documents;
  const written = async () => {
    return (await documents()).flatMap(({ body }) =>
      (body as unknown as { entries: AuditEntry[] }).entries.flatMap(({ records }) => records),
    );
  };
  return { keeper, faults, durabilities, timers, failures, tick, documents, written };
}

const named = (count: number) => Array.from({ length: count }, (_, n) => `Individual/${n}`);

it("writes many entries together, within a second of the first", async () => {
  const { keeper, timers, tick, written } = setting();
  for (let n = 0; n < 3; n++) keeper.note(entry(n));
  expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([500]);
  expect(await written()).toEqual([]);
  await tick();
  expect(await written()).toEqual(named(3));
});

it("writes at once when a thousand wait, however busy the timers are", async () => {
  const { keeper, durabilities, written } = setting();
  for (let n = 0; n < 1001; n++) keeper.note(entry(n));
  await new Promise((resolve) => setImmediate(resolve));
  expect(await written()).toHaveLength(1000);
  expect(durabilities).toEqual(["relaxed"]);
});

it("makes last, within a second of the first entry, what was written at once", async () => {
  const { keeper, durabilities, timers, tick, written } = setting();
  for (let n = 0; n < 1001; n++) keeper.note(entry(n));
  expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([500]);
  await tick();
  expect(durabilities).toEqual(["relaxed", "strict"]);
  expect((await written()).sort()).toEqual(named(1001).sort());
});

it("leaves a store alone that takes nothing, until it is time to try again", async () => {
  const { keeper, faults, failures, timers } = setting();
  faults.push("before", "before");
  for (let n = 0; n < 1001; n++) keeper.note(entry(n));
  await new Promise((resolve) => setImmediate(resolve));
  for (let n = 1001; n < 1500; n++) keeper.note(entry(n));
  await new Promise((resolve) => setImmediate(resolve));
  expect([failures, timers.length]).toEqual([[1001], 1]);
});

it("leaves what comes while it writes to the next time, so that it never writes a few at a time", async () => {
  const inner = createMemoryStore();
  const timers: (() => void)[] = [];
  let commits = 0;
  const store: Store = {
    ...inner,
    commit: (commit) => {
      commits += 1;
      keeper.note(entry(commits));
      return inner.commit(commit);
    },
  };
  let ids = 0;
  const schedule = (task: () => void) => timers.push(task);
  const keeper = createReadAudit({ store, newId: () => String(++ids), schedule });
  keeper.note(entry(0));
  timers.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect([commits, timers.length]).toEqual([1, 1]);
});

it("keeps many reads in a document for each share of the records, a share that is read much in several", async () => {
  const { keeper, tick, documents, written } = setting();
  for (let n = 0; n < 600; n++) keeper.note(entry(n < 300 ? n : 7));
  await tick();
  const found = await documents();
  expect((await written()).sort()).toEqual([...named(300), ...Array(300).fill("Individual/7")].sort());
  expect(found.length).toBeLessThan(70);
  for (const { entries, body } of found) {
    expect(entries.record).toHaveLength(1);
    expect((body as unknown as { entries: unknown[] }).entries.length).toBeLessThanOrEqual(250);
  }
});

it.each(["before", "after"] as const)(
  "tries again what failed %s it was written, reports it, and writes nothing twice",
  async (fault) => {
    const { keeper, faults, timers, failures, tick, written } = setting();
    faults.push(fault);
    keeper.note(entry(0));
    await tick();
    expect(failures).toEqual([1]);
    expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([1000]);
    keeper.note(entry(1));
    await tick();
    expect(await written()).toEqual(named(2));
    expect(failures).toEqual([1]);
  },
);

it("writes what waits before a close ends, and takes nothing afterwards", async () => {
  const { keeper, written } = setting();
  keeper.note(entry(0));
  await keeper.close();
  expect(await written()).toEqual(named(1));
  expect(() => keeper.note(entry(1))).toThrow("closed");
});

it("tries again at a close, and says in the end what is lost", async () => {
  const { keeper, faults, failures, tick, written } = setting();
  faults.push("before", "before", "before", "before");
  keeper.note(entry(0));
  let ended = false;
  const closing = keeper.close().finally(() => {
    ended = true;
  });
  const outcome = closing.catch((error: unknown) => error);
  for (let round = 0; round < 20 && !ended; round++) await tick();
  expect(await outcome).toBeInstanceOf(StoreError);
  expect(failures).toEqual([1, 1, 1, 1]);
  expect(await written()).toEqual([]);
});

it("lets nothing be shown while its memory is full, rather than losing an entry", async () => {
  const { keeper, faults, tick, written } = setting({ capacity: 2 });
  faults.push("before");
  keeper.note(entry(0));
  keeper.note(entry(1));
  expect(() => keeper.note(entry(2))).toThrow("nothing can be shown");
  await tick();
  expect(() => keeper.note(entry(2))).toThrow("nothing can be shown");
  await tick();
  keeper.note(entry(2));
  await tick();
  expect(await written()).toEqual(named(3));
});
