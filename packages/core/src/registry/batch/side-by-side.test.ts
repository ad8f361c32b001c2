import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../json.ts";
import { unwrap } from "../../problem.ts";
import { createMemoryStore } from "../../store/memory.ts";
import type { Commit, Store } from "../../store/port.ts";
import { createTestRegistry } from "../../testing/test-registry.ts";
import { bundle, entry, everything, group, open, p1, patch, person, statuses } from "./test-bundles.ts";

/** A store whose calls take as many turns as is said, one after the other; tells how many commits were under way at once. */
function slow(turns: readonly number[]) {
  const store = createMemoryStore();
  const { get, resolve, query, commit } = store;
  let [calls, open, most] = [0, 0, 0];
  const slowed =
    <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>, isCommit = false) =>
    async (...args: A): Promise<R> => {
      if (isCommit) most = Math.max(most, ++open);
      for (let left = turns[calls++ % turns.length] ?? 0; left > 0; left--) await Promise.resolve();
      if (isCommit) open--;
      return call(...args);
    };
  const slowStore: Store = {
    ...store,
    get: slowed(get),
    resolve: slowed(resolve),
    query: slowed(query),
    commit: slowed(commit, true),
  };
  return { store: slowStore, most: () => most };
}

const value = fc.constantFrom("1", "2", "3", "4");
const values = fc.uniqueArray(value, { minLength: 1, maxLength: 2 });
const ifMatch = fc.constantFrom("*", '"1"', '"2"');
const identifiers = (names: readonly string[]) => names.map((one) => ({ system: "urn:gov:id", value: one }));
const at = (type: string, of: string) =>
  type === "Group" ? `Group/urn:service:group|${of}` : `Individual/urn:gov:id|${of}`;

const asked: fc.Arbitrary<JsonObject> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({ value, ifMatch, family: fc.constantFrom("A", "B", "C") })
      .map(({ value, ifMatch, family }) => patch(value, { name: { family } }, ifMatch)),
  },
  { weight: 2, arbitrary: value.map((of) => patch(of, { active: false })) },
  {
    weight: 4,
    arbitrary: values.map((names) =>
      entry("POST Individual", { ...person("0"), identifier: identifiers(names) }),
    ),
  },
  fc.tuple(value, values).map(([of, names]) => patch(of, { identifier: identifiers(names) })),
  fc
    .tuple(value, values)
    .map(([of, names]) =>
      entry(
        `PUT ${at("Individual", of)}`,
        { ...person("0"), identifier: identifiers(names) },
        { ifMatch: "*" },
      ),
    ),
  values.map((names) =>
    entry("POST Group", group(names.join(""), ...names.map((one) => at("Individual", one)))),
  ),
  fc.boolean().map((active) => entry(`PATCH ${at("Group", "a")}`, { active }, { ifMatch: "*" })),
  value.map((of) =>
    entry(`POST ${at("Group", "a")}/$add-member`, { entity: { reference: at("Individual", of) } }),
  ),
  value.map((of) => entry(`GET ${at("Individual", of)}`)),
);

const sent = fc.tuple(asked, fc.option(fc.constantFrom("k", "l", "m"), { freq: 2, nil: undefined }));
type Sent = readonly (readonly [JsonObject, string | undefined])[];

/** The entries, each with its idempotency key where it has one and may. */
function keyed(sent: Sent): readonly Json[] {
  return sent.map(([one, key]) => {
    const request = one.request as JsonObject;
    if (key === undefined || request.method === "GET") return one;
    return { ...one, request: { ...request, idempotencyKey: key } };
  });
}

/** What bundles are answered, one after the other, and what there is in the end. */
async function outcome(store: Store, bundles: readonly Json[]) {
  const { view, registry } = await open(store);
  const responses: unknown[] = [];
  for (const each of bundles) {
    // Keys of records are drawn.
    responses.push(...unwrap(await view.batch(each)).responses.map(({ key: _, ...said }) => said));
  }
  const { data: told } = unwrap(await view.changes({ feed: "all" }));
  const called = new Map(told.map(({ key, reference }) => [key, reference]));
  const names = (keys = {}) => Object.entries(keys).map(([name, key]) => [name, called.get(String(key))]);
  const feed = told.map(({ key: _, keys, ...item }) => ({ ...item, keys: names(keys) }));
  const trail = unwrap(await registry.audit()).data.map(({ action, fields, versionId }) => [
    action,
    fields,
    versionId,
  ]);
  return {
    responses,
    records: (await everything(view)).map(ordered),
    feed: ordered(feed),
    trail: ordered(trail),
  };
}

/** Of one instant, records that don't touch each other may be in another order. */
function ordered(list: readonly unknown[]): readonly string[] {
  return list.map((one) => JSON.stringify(one)).sort();
}

describe("a batch whose entries are performed side by side", () => {
  it("comes to the same as its entries one by one, whatever they name", async () => {
    const turns = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 20 });
    const property = fc.asyncProperty(
      fc.array(sent, { minLength: 2, maxLength: 12 }),
      turns,
      async (sent, turns) => {
        const entries = keyed(sent);
        const together = await outcome(slow(turns).store, [bundle("batch", ...entries)]);
        const oneByOne = entries.map((each) => bundle("batch", each));
        expect(together).toEqual(await outcome(createMemoryStore(), oneByOne));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it.each([
    ["changes of different people at once", "public_task", 16],
    ["one after the other for whom consents bind", "consent", 1],
  ])("performs %s, and answers in their order", async (_, legalBasis, atOnce) => {
    const { store, most } = slow([9]);
    const view = (await open(store)).as({ legalBasis, organization: "Aid" });
    const entries = Array.from({ length: 40 }, (_, i) => entry("POST Individual", person(`${i + 10}`)));
    const { responses } = unwrap(await view.batch(bundle("batch", ...entries)));
    expect(responses.map(({ reference }) => reference)).toEqual(
      entries.map((_, i) => `Individual/urn:gov:id|${i + 10}`),
    );
    expect(most()).toBe(atOnce);
  });

  it("ends what it began before it says that the store failed, and begins nothing more", async () => {
    const store = createMemoryStore();
    await open(store);
    let [begun, ended] = [0, 0];
    const failing = async (commit: Commit) => {
      const nth = ++begun;
      for (let turn = 0; turn < nth; turn++) await Promise.resolve();
      ended++;
      if (nth === 2) throw new Error("no room");
      return store.commit(commit);
    };
    const { view } = createTestRegistry({
      store: { ...store, commit: failing },
      startAt: "2026-01-02T08:00:00.000Z",
    });
    const entries = Array.from({ length: 40 }, (_, i) => entry("POST Individual", person(`${i + 10}`)));
    await expect(view.batch(bundle("batch", ...entries))).rejects.toThrow("no room");
    expect([begun, ended]).toEqual([4, 4]);
  });

  it("waits with what names another entry by a placeholder", async () => {
    const { view } = await open(slow([5, 0, 2]).store);
    const answer = await view.batch(
      bundle(
        "batch",
        entry(`PATCH Individual/${p1}`, { name: { family: "Cruz" } }, { ifMatch: '"1"' }),
        entry("POST Individual", person("9"), { fullUrl: p1 }),
        patch("1", { active: false }),
      ),
    );
    expect(statuses(answer)).toEqual([200, 201, 200]);
  });
});
