import { expect } from "vitest";
import type { Expectation, Failure, Store } from "../store/port.ts";
import {
  codeOf,
  mustCommit,
  person,
  personKey,
  readAll,
  readFeed,
  type StoreCase,
} from "./describe-store-harness.ts";

const held = person("held", { version: 4, claims: ["taken"], entries: { name: ["held"] }, feeds: ["all"] });

/** Each kind of expectation where it does not hold, of a store that has {@link held} only; and what was found. */
const unmet: readonly { name: string; expectation: Expectation; found?: number }[] = [
  { name: "another version", expectation: { kind: "version", ...personKey("held"), version: 3 }, found: 4 },
  { name: "a version of nothing", expectation: { kind: "version", ...personKey("none"), version: 1 } },
  { name: "existence of nothing", expectation: { kind: "exists", ...personKey("none") } },
  { name: "absence of something", expectation: { kind: "absent", ...personKey("held") }, found: 4 },
  { name: "freedom of a claim that is held", expectation: { kind: "free", claim: "taken" } },
];

const met: readonly Expectation[] = [
  { kind: "version", ...personKey("held"), version: 4 },
  { kind: "exists", ...personKey("held") },
  { kind: "absent", ...personKey("none") },
  { kind: "absent", collection: "homes", key: "held" },
  { kind: "free", claim: "nobody's" },
];

function failureOf({ expectation, found }: { expectation: Expectation; found?: number }): Failure {
  return { kind: "expectation", expectation, ...(found === undefined ? {} : { found }) };
}

/** Everything a commit can change, read through every door. */
async function everything(store: Store): Promise<unknown> {
  return {
    documents: await store.get(["held", "new", "other"].map(personKey)),
    claims: await store.resolve(["taken", "fresh"]),
    listed: await readAll(store, { collection: "people", sort: { index: "name" }, limit: 10 }),
    all: await readFeed(store, "all"),
    north: await readFeed(store, "north"),
  };
}

const attempt = {
  put: [
    person("new", { claims: ["fresh"], entries: { name: ["new"] }, feeds: ["all", "north"] }),
    person("other", { version: 2, entries: { name: ["changed"] }, feeds: ["north"] }),
  ],
  remove: [personKey("held")],
};

const expectationCases = unmet.map(
  (each): StoreCase => ({
    about: "expectations",
    name: `an expectation of ${each.name} fails alone and changes nothing`,
    async run({ store }) {
      await mustCommit(store, { put: [held, person("other", { feeds: ["all"] })] });
      const before = await everything(store);
      const result = await store.commit({ ...attempt, expect: [...met, each.expectation] });
      expect(result).toEqual({ ok: false, failures: [failureOf(each)] });
      expect(await everything(store)).toEqual(before);
    },
  }),
);

/** Conditional commits, atomicity and claims. */
export const commitCases: readonly StoreCase[] = [
  ...expectationCases,
  {
    about: "expectations",
    name: "every expectation that fails is listed, in order, and then every claim that is taken",
    async run({ store }) {
      await mustCommit(store, { put: [held] });
      const result = await store.commit({
        expect: [...unmet.map((each) => each.expectation), ...met],
        put: [person("new", { claims: ["fresh", "taken"] })],
      });
      const taken: Failure = { kind: "claim-taken", claim: "taken", holder: personKey("held") };
      expect(result).toEqual({ ok: false, failures: [...unmet.map(failureOf), taken] });
    },
  },
  {
    about: "expectations",
    name: "a commit whose expectations hold is made",
    async run({ store }) {
      await mustCommit(store, { put: [held] });
      expect(await store.commit({ expect: met, put: [person("new")] })).toEqual({ ok: true });
      expect((await store.get([personKey("new")]))[0]?.version).toBe(1);
      expect(await store.commit({ expect: met })).toEqual({ ok: true });
      expect(await store.commit({})).toEqual({ ok: true });
    },
  },
  {
    about: "expectations",
    name: "expectations speak of the store before the commit's own writes",
    async run({ store }) {
      await mustCommit(store, { expect: [{ kind: "absent", ...personKey("held") }], put: [held] });
      const put = [{ ...held, version: 5 }];
      await mustCommit(store, { expect: [{ kind: "version", ...personKey("held"), version: 4 }], put });
      const freed = await store.commit({
        expect: [{ kind: "free", claim: "taken" }],
        remove: [personKey("held")],
      });
      expect(freed.ok).toBe(false);
      await mustCommit(store, {
        expect: [{ kind: "exists", ...personKey("held") }],
        remove: [personKey("held")],
      });
    },
  },
  {
    about: "expectations",
    name: "of 100 simultaneous commits that expect the same version exactly one is made",
    async run({ store }) {
      await mustCommit(store, { put: [person("a")] });
      const results = await Promise.all(Array.from({ length: 100 }, (_, i) => raise(store, `${i}`)));
      expect(results.filter((result) => result.ok)).toHaveLength(1);
      const winner = results.findIndex((result) => result.ok);
      expect((await store.get([personKey("a")]))[0]?.body).toBe(`${winner}`);
      for (const result of results) if (!result.ok) expect(result.failures).toMatchObject([{ found: 2 }]);
    },
  },
  {
    about: "atomicity",
    name: "a claim that is taken stops the whole commit",
    async run({ store }) {
      await mustCommit(store, { put: [held, person("other", { feeds: ["all"] })] });
      const before = await everything(store);
      const put = [...attempt.put, person("third", { claims: ["taken"] })];
      const result = await store.commit({ put });
      expect(result).toEqual({
        ok: false,
        failures: [{ kind: "claim-taken", claim: "taken", holder: personKey("held") }],
      });
      expect(await everything(store)).toEqual(before);
    },
  },
  {
    about: "atomicity",
    name: "a bad request stops the whole commit",
    async run({ store }) {
      await mustCommit(store, { put: [held, person("other", { feeds: ["all"] })] });
      const before = await everything(store);
      const put = [...attempt.put, person("third", { version: -1 })];
      expect(await codeOf(() => store.commit({ ...attempt, put }))).toBe("bad-request");
      expect(await everything(store)).toEqual(before);
    },
  },
  {
    about: "atomicity",
    name: "a commit makes all of its writes",
    async run({ store }) {
      await mustCommit(store, { put: [held, person("other", { feeds: ["all"] })] });
      await mustCommit(store, attempt);
      expect(await everything(store)).toMatchObject({
        documents: [undefined, { version: 1 }, { version: 2 }],
        claims: [undefined, personKey("new")],
        listed: [{ key: "other" }, { key: "new" }],
        all: { told: ["put new", "gone other", "gone held"] },
        north: { told: ["put new", "put other"] },
      });
    },
  },
  {
    about: "isolation",
    name: "readers see only whole commits",
    async run({ store }) {
      const pair = (version: number) => ["a", "b"].map((key) => person(key, { version, feeds: ["all"] }));
      await mustCommit(store, { put: pair(1) });
      const writing = (async () => {
        for (let version = 2; version <= 30; version++) await mustCommit(store, { put: pair(version) });
      })();
      for (let reads = 0; reads < 30; reads++) {
        const [a, b] = await store.get(["a", "b"].map(personKey));
        expect(a?.version).toBe(b?.version);
        const { documents } = await store.query({ collection: "people", limit: 2 });
        expect(documents[0]?.version).toBe(documents[1]?.version);
      }
      await writing;
    },
  },
];

function raise(store: Store, body: string) {
  const expectation = { kind: "version", ...personKey("a"), version: 1 } as const;
  return store.commit({ expect: [expectation], put: [person("a", { version: 2, body })] });
}
