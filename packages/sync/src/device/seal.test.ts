import {
  createMemoryStore,
  type Document,
  type Expectation,
  type Json,
  recordDocument,
  type Store,
} from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { addEdit } from "../model/edits.ts";
import type { OutboxEntry } from "../model/entry.ts";
import { collections, everyDocument, stateDocument, stateUnchanged } from "./documents.ts";
import { entryDocument } from "./outbox.ts";
import { accountOf, sealWork } from "./seal.ts";
import { unsealWork as unseal } from "./unseal.ts";

const anna = accountOf("https://registry.test/api/v2", "anna");
const at = "2026-01-15T08:00:00.000Z";

const unsealWork = (store: Store, account: string, fence: Expectation) =>
  unseal(store, account, { fence, epoch: null, at });

async function everything(store: Store, collection: string) {
  const found = [];
  for await (const { key, body, claims, entries } of everyDocument(store, { collection })) {
    found.push({ key, body, claims, entries });
  }
  return found;
}

/** A store with so many records made here, and the fence that holds there. */
async function working(count: number): Promise<{ store: Store; fence: Expectation }> {
  const store = createMemoryStore();
  const numbers = Array.from({ length: count }, (_, i) => String(i).padStart(4, "0"));
  await store.commit({
    put: [
      stateDocument("session", undefined, null),
      ...numbers.flatMap((value) => make(value, `edit-${value}`)),
    ],
  });
  return { store, fence: stateUnchanged("session", { version: 1 }) };
}

function make(key: string, edit: string) {
  const record = { type: "Individual", identifier: [{ system: "urn:x", value: key }], name: { given: key } };
  const change = { type: "Individual", key, before: null, after: record, by: "anna", at } as const;
  const stored = { type: "Individual", key, version: 1, record, links: {}, feeds: [] } as const;
  return [
    recordDocument({ ...stored, aliases: [`here:${key}`] }),
    entryDocument(addEdit(null, change, edit), undefined),
  ];
}

describe("sealed work", () => {
  it("comes back exactly as it was, over many commits", async () => {
    const { store, fence } = await working(250);
    const before = [await everything(store, "Individual"), await everything(store, collections.outbox)];
    expect(await sealWork(store, anna, fence, null)).toBe(250);
    expect(await everything(store, "Individual")).toEqual([]);
    expect(await everything(store, collections.outbox)).toEqual([]);
    expect(await unsealWork(store, accountOf("https://registry.test/api/v2", "ben"), fence)).toBe(0);
    expect(await unsealWork(store, accountOf("https://elsewhere.test/api/v2", "anna"), fence)).toBe(0);
    expect(await unsealWork(store, anna, fence)).toBe(250);
    expect([await everything(store, "Individual"), await everything(store, collections.outbox)]).toEqual(
      before,
    );
    expect(await everything(store, collections.sealed)).toEqual([]);
  });

  it("comes back once where two tabs bring it back at once, and one of them sends it meanwhile", async () => {
    const { store, fence } = await working(2);
    await sealWork(store, anna, fence, null);
    const sealed = await everything(store, collections.sealed);
    let isFirst = true;
    const slow: Store = {
      ...store,
      commit: async (commit) => {
        if (isFirst) {
          isFirst = false;
          expect(await unsealWork(store, anna, fence)).toBe(2);
          const gone = sealed.map((_, i) => ({ collection: collections.outbox, key: `Individual/000${i}` }));
          await store.commit({ remove: gone });
        }
        return store.commit(commit);
      },
    };
    expect(await unsealWork(slow, anna, fence)).toBe(0);
    expect(await everything(store, collections.outbox)).toEqual([]);
    expect(await everything(store, collections.sealed)).toEqual([]);
  });

  it("stays where it is once somebody else signed in", async () => {
    const { store, fence } = await working(3);
    await store.commit({ put: [stateDocument("session", { version: 1 }, { clientId: "ben" })] });
    expect(await sealWork(store, anna, fence, null)).toBeNull();
    expect(await everything(store, collections.outbox)).toHaveLength(3);
    const now = stateUnchanged("session", { version: 2 });
    expect(await sealWork(store, anna, now, null)).toBe(3);
    expect(await unsealWork(store, anna, fence)).toBeNull();
    expect(await everything(store, collections.sealed)).toHaveLength(3);
  });

  it("leaves a name to the record that has it by now, and finds the own one under one of its own", async () => {
    const { store, fence } = await working(1);
    await sealWork(store, anna, fence, null);
    const [taken] = make("0000", "another");
    if (taken)
      await store.commit({ put: [{ ...taken, key: "elsewhere", claims: ["Individual/urn:x|0000"] }] });
    expect(await unsealWork(store, anna, fence)).toBe(1);
    const [holder] = await store.resolve(["Individual/urn:x|0000"]);
    expect(holder?.key).toBe("elsewhere");
    const [own] = await store.get([{ collection: "Individual", key: "0000" }]);
    expect(own?.claims).toEqual(["here:0000", "Individual/urn:fieldroll:device|0000"]);
  });

  it("waits while its record has unsent work here, and is never written over", async () => {
    const { store, fence } = await working(1);
    await sealWork(store, anna, fence, null);
    await store.commit({ put: make("0000", "second") });
    expect(await unsealWork(store, anna, fence)).toBe(0);
    expect(await sealWork(store, anna, fence, null)).toBe(1);
    expect(await everything(store, collections.sealed)).toHaveLength(2);
    expect(await unsealWork(store, anna, fence)).toBe(1);
    expect(await everything(store, collections.sealed)).toHaveLength(1);
  });

  it("is never written over by work that has the same first edit", async () => {
    const { store, fence } = await working(1);
    await sealWork(store, anna, fence, null);
    const longer = make("0000", "edit-0000").map((document) => ({ ...document }));
    const entry = longer[1]?.body as unknown as OutboxEntry;
    const more = { ...entry.edits[0], id: "edit-more" };
    const body = { ...entry, edits: [...entry.edits, more] } as unknown as Json;
    await store.commit({ put: [...longer.slice(0, 1), { ...longer[1], body } as Document] });
    expect(await sealWork(store, anna, fence, null)).toBe(1);
    expect((await everything(store, collections.sealed)).map(({ key }) => key)).toEqual([
      `${anna}/Individual/0000/edit-0000`,
      `${anna}/Individual/0000/edit-0000/2`,
    ]);
    expect(await unsealWork(store, anna, fence)).toBe(1);
    expect(await everything(store, collections.outbox)).toMatchObject([
      { body: { edits: [{ id: "edit-0000" }, { id: "edit-more" }] } },
    ]);
    expect(await everything(store, collections.sealed)).toEqual([]);
  });

  it("stays sealed where it can't come back, and keeps nothing else from coming back", async () => {
    const { store, fence } = await working(3);
    await sealWork(store, anna, fence, null);
    const unmet = { kind: "absent", collection: "Individual", key: "0001" } as const;
    const refusing: Store = {
      ...store,
      commit: async (commit) =>
        commit.put?.some(({ key }) => key === "0001")
          ? { ok: false, failures: [{ kind: "expectation", expectation: unmet, found: 1 }] }
          : store.commit(commit),
    };
    expect(await unsealWork(refusing, anna, fence)).toBe(2);
    expect(await everything(store, collections.sealed)).toHaveLength(1);
    expect(await unsealWork(store, anna, fence)).toBe(1);
  });

  it("is not put away where something else than who is signed in keeps standing in the way", async () => {
    const { store, fence } = await working(1);
    const refusing: Store = { ...store, commit: async () => ({ ok: false, failures: [] }) };
    expect(await sealWork(refusing, anna, fence, null)).toBeNull();
    expect(await everything(store, collections.outbox)).toHaveLength(1);
  });

  it("of a format that this version does not know stays sealed", async () => {
    const { store, fence } = await working(1);
    await sealWork(store, anna, fence, null);
    const [sealed] = (await store.query({ collection: collections.sealed, limit: 1 })).documents;
    if (!sealed) throw new Error("Nothing was sealed.");
    await store.commit({ put: [{ ...sealed, version: 2, body: { format: 2 } }] });
    expect(await unsealWork(store, anna, fence)).toBe(0);
    expect(await everything(store, collections.sealed)).toHaveLength(1);
  });
});
