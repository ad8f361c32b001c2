import { expect } from "vitest";
import type { Change, Store } from "../store/port.ts";
import {
  handlesOf,
  mustCommit,
  person,
  personKey,
  readFeed,
  type StoreCase,
} from "./describe-store-harness.ts";

/** What a follower knows of one document: the version told last, or that it is gone. */
type Known = Map<string, number | "gone">;

/** Takes a change in, and fails the case where it was told before or goes back. */
function take(known: Known, change: Change): void {
  const { key } = change.kind === "put" ? change.document : change;
  const before = known.get(key);
  if (change.kind === "gone") {
    expect(before, `${key} is told gone once`).not.toBe("gone");
    known.set(key, "gone");
    return;
  }
  const { version } = change.document;
  if (typeof before === "number")
    expect(version, `versions of ${key} go forward, each once`).toBeGreaterThan(before);
  known.set(key, version);
}

/** Something that happens again and again, and that others wait for. */
function createBell() {
  let ring = () => {};
  let rung = new Promise<void>((resolve) => {
    ring = resolve;
  });
  let over = false;
  return {
    strike(last = false): void {
      over ||= last;
      const wake = ring;
      rung = new Promise((resolve) => {
        ring = resolve;
      });
      wake();
    },
    next: () => (over ? Promise.resolve() : rung),
    isOver: () => over,
  };
}

type Bell = ReturnType<typeof createBell>;

/** Follows a feed, page by page, until the writers are done and the feed has no more. */
async function follow(store: Store, bell: Bell, { feed = "all", limit = 7 }): Promise<Known> {
  const known: Known = new Map();
  let cursor: string | undefined;
  let pages = 0;
  for (let last = false, more = true; !last || more; ) {
    if (++pages > 20_000) throw new Error("The feed's pages do not end.");
    // Asked before the page is read, so that the last page comes after the last commit.
    last = bell.isOver();
    const page = await store.changes({ feed, limit, ...(cursor === undefined ? {} : { cursor }) });
    for (const change of page.changes) take(known, change);
    cursor = page.next;
    more = page.more;
    if (!more && !last) await bell.next();
  }
  return known;
}

const rounds = 20;

/**
 * One of several writers: in each round it puts a document of its own, puts again, moves away or removes one that it put
 * before, and adds to a document that all writers share.
 */
async function write(store: Store, writer: number, bell: Bell): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const own = person(`${writer}.${round}`, { feeds: ["all", `of ${writer}`] });
    const earlier = `${writer}.${Math.ceil(round / 2)}`;
    if (round % 5 === 0) await mustCommit(store, { put: [own], remove: [personKey(earlier)] });
    else if (round % 5 === 2) await mustCommit(store, { put: [own, person(earlier, { version: 2 })] });
    else await mustCommit(store, { put: [own] });
    await addToShared(store);
    bell.strike();
  }
}

async function addToShared(store: Store): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    const [shared] = await store.get([personKey("shared")]);
    const { version = 1 } = shared ?? {};
    const put = [person("shared", { version: version + 1, feeds: ["all"] })];
    const expectation = { kind: "version", ...personKey("shared"), version } as const;
    if ((await store.commit({ expect: [expectation], put })).ok) return;
  }
  throw new Error("The commit is refused again and again.");
}

/** What a feed holds in the end, from its beginning. */
async function standing(store: Store, feed: string): Promise<Known> {
  const known: Known = new Map();
  const { changes } = await store.changes({ feed, limit: 1000 });
  for (const change of changes) take(known, change);
  return known;
}

const byKey = (known: Known) => [...known].toSorted(([x], [y]) => (x < y ? -1 : 1));

/** Readers of feeds on handles of their own, while others commit. */
export const followerCases: readonly StoreCase[] = [
  {
    about: "followers",
    name: "followers on other handles miss no change of many commits in flight, and are told none twice",
    async run(open) {
      const writers = 3;
      const [first, ...others] = await handlesOf(open, 5);
      const handles = [first, ...others];
      await mustCommit(first, { put: [person("shared", { feeds: ["all"] })] });
      const bell = createBell();
      const writing = Promise.all(
        Array.from({ length: writers }, (_, n) => write(handles[n] ?? first, n, bell)),
      ).finally(() => bell.strike(true));
      const following = [
        follow(handles[3] ?? first, bell, { limit: 7 }),
        follow(handles[4] ?? first, bell, { limit: 1 }),
        follow(handles[3] ?? first, bell, { limit: 500 }),
        follow(handles[4] ?? first, bell, { feed: "of 1", limit: 2 }),
      ];
      await writing;
      const [all, slow, wide, own] = await Promise.all(following);
      const expected = byKey(await standing(first, "all"));
      expect(expected).toHaveLength(1 + writers * rounds);
      expect(expected).toContainEqual(["shared", 1 + writers * rounds]);
      for (const known of [all, slow, wide]) expect(byKey(known ?? new Map())).toEqual(expected);
      expect(byKey(own ?? new Map())).toEqual(byKey(await standing(first, "of 1")));
    },
  },
  {
    about: "followers",
    name: "a follower that has read to the end is told the next commit at once, on whichever handle it was made",
    async run(open) {
      const handles = await handlesOf(open, 3);
      const ends = await Promise.all(handles.map(async (store) => (await readFeed(store, "all")).next));
      for (let round = 0; round < 12; round++) {
        const key = `${round}`;
        await mustCommit(handles[round % handles.length] ?? open.store, {
          put: [person(key, { feeds: ["all"] })],
        });
        const told = await Promise.all(
          handles.map((store, i) => readFeed(store, "all", { cursor: ends[i] ?? "" })),
        );
        for (const [i, each] of told.entries()) {
          expect(each.told, `round ${round}, handle ${i}`).toEqual([`put ${key}`]);
          ends[i] = each.next;
        }
      }
    },
  },
  {
    about: "followers",
    name: "a cursor of one handle goes on with another, as often as it is used",
    async run(open) {
      const [one, two = one] = await handlesOf(open, 2);
      await mustCommit(one, { put: ["a", "b", "c"].map((key) => person(key, { feeds: ["all"] })) });
      const { next } = await one.changes({ feed: "all", limit: 1 });
      for (const store of [two, one, two]) {
        expect((await readFeed(store, "all", { cursor: next, limit: 1 })).told).toEqual(["put b", "put c"]);
      }
      await mustCommit(two, { put: [person("b", { version: 2, feeds: [] })] });
      for (const store of [one, two, one]) {
        expect((await readFeed(store, "all", { cursor: next, limit: 1 })).told).toEqual(["put c", "gone b"]);
      }
    },
  },
  {
    about: "followers",
    name: "what leaves a feed is told there gone once, and put again when it comes back, also at its first version",
    async run({ store }) {
      const at = (version: number, feeds: readonly string[]) => person("a", { version, feeds });
      const steps: readonly (readonly [string, () => Promise<void>, readonly string[], readonly string[]])[] =
        [
          ["comes", () => mustCommit(store, { put: [at(1, ["n"])] }), ["put a"], []],
          ["moves", () => mustCommit(store, { put: [at(2, ["s"])] }), ["gone a"], ["put a"]],
          ["changes there", () => mustCommit(store, { put: [at(3, ["s"])] }), [], ["put a"]],
          ["is in both", () => mustCommit(store, { put: [at(4, ["n", "s"])] }), ["put a"], ["put a"]],
          ["goes", () => mustCommit(store, { remove: [personKey("a")] }), ["gone a"], ["gone a"]],
          ["goes again", () => mustCommit(store, { remove: [personKey("a")] }), [], []],
          ["is nowhere", () => mustCommit(store, { put: [at(1, [])] }), [], []],
          ["comes back", () => mustCommit(store, { put: [at(2, ["n", "s"])] }), ["put a"], ["put a"]],
        ];
      const cursors = new Map<string, string>();
      for (const [what, step, ...expected] of steps) {
        await step();
        for (const [i, feed] of ["n", "s"].entries()) {
          const cursor = cursors.get(feed);
          const { told, next } = await readFeed(store, feed, cursor === undefined ? {} : { cursor });
          expect(told, `${feed} when it ${what}`).toEqual(expected[i]);
          cursors.set(feed, next);
        }
      }
    },
  },
  {
    about: "followers",
    name: "300 small feeds each tell their own, to who follows them all",
    async run({ store }) {
      const feeds = Array.from({ length: 300 }, (_, n) => `feed ${n}`);
      const put = feeds.flatMap((feed, n) => [
        person(`${n}`, { feeds: [feed, "all"] }),
        person(`${n} too`, { feeds: [feed, feeds[(n + 1) % 300] ?? ""] }),
      ]);
      for (const half of [put.slice(0, 300), put.slice(300)]) await mustCommit(store, { put: half });
      const ends = await Promise.all(feeds.map(async (feed) => (await readFeed(store, feed)).next));
      await mustCommit(store, { put: [person("100", { version: 2, feeds: ["all"] })] });
      const told = await Promise.all(
        feeds.map(async (feed, n) => (await readFeed(store, feed, { cursor: ends[n] ?? "" })).told),
      );
      expect(told.flatMap((each, n) => each.map((what) => `${n}: ${what}`))).toEqual(["100: gone 100"]);
      const { told: whole } = await readFeed(store, "feed 8");
      expect(whole.toSorted()).toEqual(["put 7 too", "put 8", "put 8 too"]);
    },
  },
];
