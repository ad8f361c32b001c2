import { expect } from "vitest";
import type { Commit, CommitResult, Store } from "../store/port.ts";
import { mustCommit, person, personKey, readFeed, type StoreCase } from "./describe-store-harness.ts";

const keys = Array.from({ length: 60 }, (_, i) => `p${i}`);

/** Every third expects what is not there; of the others every second expects what holds. */
function attempt(key: string, nth: number): Commit {
  const put = [person(key, { feeds: ["all"], claims: [`of ${key}`] })];
  if (nth % 3 === 0) return { expect: [{ kind: "version", ...personKey("nobody"), version: 7 }], put };
  return nth % 2 === 0 ? { expect: [{ kind: "absent", ...personKey(key) }], put } : { put };
}

const lasting = keys.filter((_, nth) => nth % 3 !== 0);

async function allOf(store: Store, commits: readonly Commit[]): Promise<readonly CommitResult[]> {
  return Promise.all(commits.map((commit) => store.commit(commit)));
}

/** Commits that no store can take. */
const impossible: readonly { readonly name: string; readonly commit: Commit }[] = [
  { name: "a version that is none", commit: { put: [person("bad", { version: -1 })] } },
  { name: "an empty key", commit: { put: [person("")] } },
  { name: "a document named twice", commit: { put: [person("bad")], remove: [personKey("bad")] } },
  { name: "a claim that is no text", commit: { put: [person("bad", { claims: ["\ud800"] })] } },
  { name: "a body that is no JSON", commit: { put: [person("bad", { body: 10n as never })] } },
];

const impossibleCases = impossible.map(
  ({ name, commit }): StoreCase => ({
    about: "together",
    name: `a commit with ${name} is refused alone`,
    async run({ store }) {
      const others = keys.slice(0, 10).map((key) => ({ put: [person(key, { feeds: ["all"] })] }));
      const asked = [...others.slice(0, 5), commit, ...others.slice(5)];
      const settled = await Promise.allSettled(asked.map((each) => store.commit(each)));
      const made = settled.map((each) => each.status === "fulfilled" && each.value.ok);
      expect(made).toEqual(asked.map((each) => each !== commit));
      expect(settled[5]).toMatchObject({ status: "rejected", reason: { code: "bad-request" } });
      expect((await readFeed(store, "all")).told.toSorted()).toEqual(
        keys.slice(0, 10).map((key) => `put ${key}`),
      );
      expect(await store.get([personKey("bad")])).toEqual([undefined]);
    },
  }),
);

/** Commits that are asked for at one moment: an adapter may write them together, and nobody must notice. */
export const togetherCases: readonly StoreCase[] = [
  {
    about: "together",
    name: "of many commits of one moment exactly those are not made whose expectations fail",
    async run({ store }) {
      const results = await allOf(store, keys.map(attempt));
      expect(keys.filter((_, nth) => results[nth]?.ok)).toEqual(lasting);
      for (const result of results) if (!result.ok) expect(result.failures).toHaveLength(1);
      const found = await store.get(keys.map(personKey));
      expect(keys.filter((_, nth) => found[nth])).toEqual(lasting);
      const holders = await store.resolve(keys.map((key) => `of ${key}`));
      expect(keys.filter((_, nth) => holders[nth])).toEqual(lasting);
    },
  },
  {
    about: "together",
    name: "a feed tells each change of one moment once, to who follows it meanwhile as well",
    async run({ store }) {
      const begun = await readFeed(store, "all");
      let over = false;
      const committing = allOf(store, keys.map(attempt)).then(() => {
        over = true;
      });
      const told: string[] = [];
      let { next } = begun;
      for (let last = false; !last; ) {
        last = over;
        const page = await readFeed(store, "all", { cursor: next, limit: 7 });
        told.push(...page.told);
        next = page.next;
      }
      await committing;
      expect(told.toSorted()).toEqual(lasting.map((key) => `put ${key}`).toSorted());
      expect((await readFeed(store, "all", { limit: 7 })).told).toEqual(told);
      await mustCommit(store, { put: [person("later", { feeds: ["all"] })] });
      expect((await readFeed(store, "all", { cursor: next })).told).toEqual(["put later"]);
    },
  },
  {
    about: "together",
    name: "of two commits of one moment with the same claim exactly one is made",
    async run({ store }) {
      const claims = Array.from({ length: 20 }, (_, i) => `claim ${i}`);
      const sides = ["left", "right"];
      const results = await allOf(
        store,
        claims.flatMap((claim) =>
          sides.map((side) => ({ put: [person(`${side} ${claim}`, { claims: [claim] })] })),
        ),
      );
      for (const [nth, claim] of claims.entries()) {
        const pair = results.slice(2 * nth, 2 * nth + 2);
        const [winner, loser] = pair[0]?.ok ? sides : sides.toReversed();
        const holder = personKey(`${winner} ${claim}`);
        const refused = pair.find(({ ok }) => !ok);
        expect(refused).toEqual({ ok: false, failures: [{ kind: "claim-taken", claim, holder }] });
        expect(pair.filter(({ ok }) => ok)).toHaveLength(1);
        expect(await store.resolve([claim])).toEqual([holder]);
        expect(await store.get([personKey(`${loser} ${claim}`)])).toEqual([undefined]);
      }
    },
  },
  {
    about: "together",
    name: "of commits of one moment that swap claims none is made, as each claim is still held",
    async run({ store }) {
      const [a, b] = [person("a", { claims: ["1"] }), person("b", { claims: ["2"] })];
      await mustCommit(store, { put: [a, b] });
      const swapped = [
        { ...a, version: 2, claims: ["2"] },
        { ...b, version: 2, claims: ["1"] },
      ];
      const results = await allOf(
        store,
        swapped.map((each) => ({ put: [each] })),
      );
      expect(results).toEqual([
        { ok: false, failures: [{ kind: "claim-taken", claim: "2", holder: personKey("b") }] },
        { ok: false, failures: [{ kind: "claim-taken", claim: "1", holder: personKey("a") }] },
      ]);
      expect(await store.resolve(["1", "2"])).toEqual([personKey("a"), personKey("b")]);
      expect(await store.get([a, b])).toMatchObject([a, b]);
      await mustCommit(store, { put: swapped });
      expect(await store.resolve(["1", "2"])).toEqual([personKey("b"), personKey("a")]);
    },
  },
  ...impossibleCases,
];
