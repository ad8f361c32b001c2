import { createMemoryStore, type Expectation, recordDocument, type Store } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import type { Accepted } from "../model/accepted.ts";
import { acceptedIn } from "./accepted.ts";
import { collections, stateDocument, stateUnchanged } from "./documents.ts";
import { accountOf } from "./seal.ts";
import { sealAccepted, unsealAccepted } from "./seal-accepted.ts";

const anna = accountOf("https://registry.test/api/v2", "anna");

function request(id: string, minute: number): Accepted {
  const at = `2026-01-15T08:0${minute}:00.000Z`;
  const edit = { id, at, by: "anna" };
  return { epoch: "e", versionId: 2, reference: "Individual/urn:x|1", at, edit, before: {}, after: {} };
}

function kept(key: string, requests: readonly Accepted[]) {
  const body = requests as unknown as [];
  return { collection: collections.accepted, key: `Individual/${key}`, version: 1, body };
}

function record(key: string, aliases: readonly string[]) {
  const stored = { type: "Individual", key, version: 1, links: {}, feeds: [], aliases } as const;
  return recordDocument({ ...stored, record: { type: "Individual", name: { given: key } } });
}

async function idsIn(store: Store, collection: string): Promise<Record<string, readonly string[]>> {
  const { documents } = await store.query({ collection, limit: 10 });
  return Object.fromEntries(
    documents.map((accepted) => [accepted.key, acceptedIn({ accepted }).map(({ edit }) => edit.id)]),
  );
}

describe("what the server accepted of one record that is here under two keys", () => {
  const fence: Expectation = stateUnchanged("session", { version: 1 });

  async function twice(): Promise<Store> {
    const store = createMemoryStore();
    await store.commit({ put: [stateDocument("session", undefined, null)] });
    await store.commit({
      put: [record("here", ["server:there"]), record("there", [])],
    });
    return store;
  }

  it("is put away together, in its order and each edit once", async () => {
    const store = await twice();
    const [first, second, third] = [request("1", 1), request("2", 2), request("3", 3)];
    await store.commit({ put: [kept("here", [second, third]), kept("there", [first, third])] });
    expect(await sealAccepted(store, anna, fence)).toBe(true);
    expect(await idsIn(store, collections.acceptedSealed)).toEqual({
      [`${anna}/Individual/there`]: ["1", "2", "3"],
    });
    expect(await unsealAccepted(store, anna, fence)).toBe(true);
    expect(await idsIn(store, collections.accepted)).toEqual({ "Individual/there": ["1", "2", "3"] });
  });

  it("is put away, and comes back, beside what is there already", async () => {
    const store = await twice();
    await store.commit({ put: [kept("here", [request("2", 2)])] });
    expect(await sealAccepted(store, anna, fence)).toBe(true);
    await store.commit({ put: [kept("there", [request("1", 1)])] });
    expect(await sealAccepted(store, anna, fence)).toBe(true);
    await store.commit({ put: [kept("there", [request("3", 3)])] });
    expect(await unsealAccepted(store, anna, fence)).toBe(true);
    expect(await idsIn(store, collections.accepted)).toEqual({ "Individual/there": ["1", "2", "3"] });
    expect(await idsIn(store, collections.acceptedSealed)).toEqual({});
  });

  it("comes back as a former version put it away, without whom it means", async () => {
    const store = await twice();
    const former = { ...kept("there", [request("1", 1)]), collection: collections.acceptedSealed };
    const key = `${anna}/${former.key}`;
    await store.commit({ put: [{ ...former, key, entries: { account: [anna] } }] });
    expect(await unsealAccepted(store, anna, fence)).toBe(true);
    expect(await idsIn(store, collections.accepted)).toEqual({ "Individual/there": ["1"] });
  });
});
