import { expect } from "vitest";
import type { Store, StoreCensus, StoreFault } from "../store/port.ts";
import {
  codeOf,
  handlesOf,
  impatience,
  keysOf,
  mustCommit,
  person,
  personKey,
  readAll,
  readFeed,
  type StoreCase,
} from "./describe-store-harness.ts";

/** Verifies a store, and fails the case with all that it tells. Stores that can't verify pass. */
export async function isSound(store: Store): Promise<StoreCensus | undefined> {
  const faults: StoreFault[] = [];
  const census = await store.verify?.((fault) => faults.push(fault));
  expect(faults, "faults that verify tells").toEqual([]);
  return census;
}

const texts = ["ana", "é", "😀", "\uff21", "علي", "n\u0001"];

/** Puts, changes, moves and removes documents with everything that one can declare. */
async function live(store: Store): Promise<void> {
  const full = (key: string, version: number, n: number) =>
    person(key, {
      version,
      body: { n },
      claims: [`claim ${key}`, `other ${n}`],
      entries: { name: [`${key} ${n}`, key], [`${key}s`]: [key, ""] },
      feeds: ["all", n % 2 === 0 ? "even" : "odd"],
    });
  await mustCommit(store, { put: texts.map((key, n) => full(key, 1, n)) });
  await mustCommit(store, { put: texts.slice(0, 4).map((key, n) => full(key, 2, n + 7)) });
  await mustCommit(store, { put: texts.slice(0, 2).map((key, n) => full(key, 3, 8 - n)) });
  await mustCommit(store, { remove: [personKey("😀")] });
  await store.commit({ put: [full("late", 1, 9)], expect: [{ kind: "exists", ...personKey("nobody") }] });
}

/** Everything that a store answers, but for the order in feeds and what is gone from them. */
async function answers(store: Store): Promise<unknown> {
  const claims = [
    ...texts.map((key) => `claim ${key}`),
    ...Array.from({ length: 16 }, (_, n) => `other ${n}`),
  ];
  const feed = async (name: string) => {
    const { changes } = await store.changes({ feed: name, limit: 100 });
    return changes.flatMap((each) => (each.kind === "put" ? [each.document.key] : [])).toSorted();
  };
  const find = (condition: object) =>
    readAll(store, { collection: "people", where: [{ index: "name", ...condition }], limit: 2 });
  return {
    documents: await store.get(texts.map(personKey)),
    listed: await readAll(store, {
      collection: "people",
      sort: { index: "name", descending: true },
      limit: 2,
    }),
    found: [await find({ prefix: "é" }), await find({ contains: "n" }), await find({ anyOf: texts })],
    holders: await store.resolve(claims),
    feeds: [await feed("all"), await feed("even"), await feed("odd")],
  };
}

/** What a store that can verify or rebuild itself promises of it. */
export const upkeepCases: readonly StoreCase[] = [
  {
    about: "upkeep",
    asks: "verify",
    name: "verify, where a store has it, tells no fault of a store that was written through its port, and counts",
    async run(open) {
      await isSound(open.store);
      await live(open.store);
      const census = await isSound(open.store);
      if (census) {
        expect(census).toMatchObject({ documents: 5, claims: 10, entries: 20 });
        expect(census.feeds).toBeGreaterThanOrEqual(10);
      }
      await isSound(await open.reopen());
    },
  },
  {
    about: "upkeep",
    asks: "verify",
    name: "verify tells no fault of what others change meanwhile",
    async run(open) {
      const [one, two = one, three = one] = await handlesOf(open, 3);
      const { committed, read } = impatience();
      let writing = 2;
      const writers = [one, two].map(async (store, writer) => {
        for (let round = 1; round <= 20; round++) {
          const rest = { version: round, claims: [`${writer} ${round % 3}`], feeds: ["all", `${round % 2}`] };
          const put = ["a", "b"].map((key, i) =>
            person(`${writer}${key}`, {
              ...rest,
              claims: i === 0 ? rest.claims : [],
              entries: { n: [`${round}`] },
            }),
          );
          await mustCommit(store, round % 7 === 0 ? { remove: put } : { put });
          committed();
        }
      });
      const ended = Promise.allSettled(writers).then(() => {
        writing = 0;
      });
      do {
        await isSound(three);
        // Takes as long as the writers' calls do, so that they get on where verify takes no time at all.
        await three.get([personKey("0a")]);
        read();
      } while (writing > 0 && three.verify);
      await Promise.all([...writers, ended]);
      await isSound(one);
    },
  },
  {
    about: "upkeep",
    asks: "rebuild",
    name: "rebuild, where a store has it, changes no answer, refuses former cursors, and leaves a store that goes on",
    async run(open) {
      const [store, other = store] = await handlesOf(open, 2);
      if (!store.rebuild) return;
      await live(store);
      expect((await readFeed(other, "all")).told).toContain("gone 😀");
      const before = await answers(store);
      const { next } = await readFeed(store, "all");
      const faults: StoreFault[] = [];
      const census = await store.rebuild((fault) => faults.push(fault));
      expect(census).toMatchObject({ documents: 5, claims: 10, entries: 20, feeds: 10 });
      expect(faults).toEqual([]);
      await isSound(store);
      expect(await answers(store)).toEqual(before);
      for (const handle of [store, other]) {
        for (const feed of ["all", "none"]) {
          expect(await codeOf(() => handle.changes({ feed, cursor: next, limit: 5 }))).toBe("bad-cursor");
        }
        // Nobody declares what is gone: feeds that were built anew tell nothing of it.
        expect((await readFeed(handle, "all")).told.toSorted()).toEqual(
          texts
            .filter((key) => key !== "😀")
            .map((key) => `put ${key}`)
            .toSorted(),
        );
      }
      const reopened = await open.reopen();
      expect(await answers(reopened)).toEqual(before);
      expect(await codeOf(() => reopened.changes({ feed: "all", cursor: next, limit: 5 }))).toBe(
        "bad-cursor",
      );
      const { next: end } = await readFeed(reopened, "all");
      await mustCommit(reopened, { put: [person("new", { feeds: ["all"], claims: ["claim 😀"] })] });
      expect((await readFeed(reopened, "all", { cursor: end })).told).toEqual(["put new"]);
      const refused = await reopened.commit({ put: [person("other", { claims: ["claim ana"] })] });
      expect(refused.ok).toBe(false);
      expect(keysOf((await reopened.resolve(["claim 😀"])).filter((each) => each !== undefined))).toEqual([
        "new",
      ]);
    },
  },
  {
    about: "upkeep",
    asks: "renew",
    name: "renew, where a store has it, refuses former cursors and changes nothing else, also after reopening",
    async run(open) {
      const [store, other = store] = await handlesOf(open, 2);
      if (!store.renew) return;
      await live(store);
      const before = await answers(store);
      const { next } = await readFeed(store, "all");
      expect((await readFeed(other, "all", { cursor: next })).told).toEqual([]);
      const feeds = (each: Store) =>
        Promise.all(["all", "even", "odd"].map(async (feed) => (await readFeed(each, feed)).told));
      const toldBefore = await feeds(store);
      await store.renew();
      const isRenewed = async (each: Store) => {
        expect(await codeOf(() => each.changes({ feed: "all", cursor: next, limit: 5 }))).toBe("bad-cursor");
        expect(await answers(each)).toEqual(before);
        expect(await feeds(each)).toEqual(toldBefore);
        await isSound(each);
      };
      for (const handle of [store, other]) await isRenewed(handle);
      await isRenewed(await open.reopen());
    },
  },
];
