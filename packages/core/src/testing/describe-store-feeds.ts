import { expect } from "vitest";
import type { Store } from "../store/port.ts";
import { codeOf, mustCommit, person, personKey, readFeed, type StoreCase } from "./describe-store-harness.ts";

const inAll = (key: string, version = 1, feeds: readonly string[] = ["all"]) =>
  person(key, { version, feeds });

/** The change feed. */
export const feedCases: readonly StoreCase[] = [
  {
    about: "feeds",
    name: "a feed tells changes oldest first, those of one commit in the order of its puts and then its removals",
    async run({ store }) {
      await mustCommit(store, { put: [inAll("c"), inAll("a")] });
      await mustCommit(store, { put: [inAll("b")] });
      expect((await readFeed(store, "all")).told).toEqual(["put c", "put a", "put b"]);
      await mustCommit(store, { remove: [personKey("a")], put: [inAll("d"), inAll("b", 2)] });
      expect((await readFeed(store, "all")).told).toEqual(["put c", "put d", "put b", "gone a"]);
    },
  },
  {
    about: "feeds",
    name: "a document appears once, at its newest change and in its newest state",
    async run({ store }) {
      await mustCommit(store, { put: [inAll("a"), inAll("b")] });
      for (let version = 2; version <= 50; version++) await mustCommit(store, { put: [inAll("a", version)] });
      const { changes, more } = await store.changes({ feed: "all", limit: 10 });
      expect(more).toBe(false);
      expect(changes).toMatchObject([
        { kind: "put", document: { key: "b", version: 1 } },
        { kind: "put", document: { key: "a", version: 50 } },
      ]);
    },
  },
  {
    about: "feeds",
    name: "feeds tell only of their own documents",
    async run({ store }) {
      await mustCommit(store, {
        put: [inAll("a", 1, ["north"]), inAll("b", 1, ["north", "south"]), person("c")],
      });
      expect((await readFeed(store, "north")).told).toEqual(["put a", "put b"]);
      expect((await readFeed(store, "south")).told).toEqual(["put b"]);
      expect((await readFeed(store, "nor")).told).toEqual([]);
    },
  },
  {
    about: "feeds",
    name: "a feed tells that a document left it, and that it came back",
    async run({ store }) {
      await mustCommit(store, { put: [inAll("a", 1, ["north"]), inAll("b", 1, ["north"])] });
      await mustCommit(store, { put: [inAll("a", 2, ["south"])] });
      const { changes } = await store.changes({ feed: "north", limit: 10 });
      expect(changes.at(-1)).toEqual({ kind: "gone", ...personKey("a") });
      expect((await readFeed(store, "south")).told).toEqual(["put a"]);
      await mustCommit(store, { put: [inAll("a", 3, ["south", "north"])] });
      expect((await readFeed(store, "north")).told).toEqual(["put b", "put a"]);
    },
  },
  {
    about: "feeds",
    name: "a feed tells of removals, and goes on telling late readers",
    async run({ store }) {
      await mustCommit(store, { put: [inAll("a"), inAll("b")] });
      const { next } = await readFeed(store, "all");
      await mustCommit(store, { remove: [personKey("a")] });
      expect((await readFeed(store, "all", { cursor: next })).told).toEqual(["gone a"]);
      expect((await readFeed(store, "all")).told).toEqual(["put b", "gone a"]);
      await mustCommit(store, { put: [inAll("a", 2)] });
      expect((await readFeed(store, "all")).told).toEqual(["put b", "put a"]);
    },
  },
  {
    about: "feeds",
    name: "a document that left a feed is not told there when it changes or goes later",
    async run({ store }) {
      await mustCommit(store, { put: [inAll("a", 1, ["north", "south"])] });
      await mustCommit(store, { put: [inAll("a", 2, ["south"])] });
      const { next } = await readFeed(store, "north");
      await mustCommit(store, { put: [inAll("a", 3, ["south"])] });
      await mustCommit(store, { remove: [personKey("a")] });
      expect((await readFeed(store, "north", { cursor: next })).told).toEqual([]);
      expect((await readFeed(store, "north")).told).toEqual(["gone a"]);
    },
  },
  {
    about: "feeds",
    name: "pages of any size follow on without gap or repetition",
    async run({ store }) {
      const keys = Array.from({ length: 23 }, (_, i) => `${i}`);
      await mustCommit(store, { put: keys.map((key) => inAll(key)) });
      for (const limit of [1, 2, 22, 23, 24]) {
        expect((await readFeed(store, "all", { limit })).told).toEqual(keys.map((key) => `put ${key}`));
      }
      expect((await store.changes({ feed: "all", limit: 23 })).more).toBe(false);
      expect((await store.changes({ feed: "all", limit: 22 })).more).toBe(true);
    },
  },
  {
    about: "feeds",
    name: "a document that changes behind the cursor is told again",
    async run({ store }) {
      await mustCommit(store, { put: ["a", "b", "c", "d"].map((key) => inAll(key)) });
      const page = await store.changes({ feed: "all", limit: 2 });
      await mustCommit(store, { put: [inAll("a", 2), inAll("c", 2)] });
      const rest = await readFeed(store, "all", { cursor: page.next, limit: 1 });
      expect(rest.told).toEqual(["put d", "put a", "put c"]);
    },
  },
  {
    about: "feeds",
    name: "the next of an empty page goes on",
    async run({ store }) {
      const nothing = await store.changes({ feed: "all", limit: 5 });
      expect(nothing).toMatchObject({ changes: [], more: false });
      await mustCommit(store, { put: [inAll("elsewhere", 1, ["other"])] });
      const still = await store.changes({ feed: "all", limit: 5, cursor: nothing.next });
      expect(still).toMatchObject({ changes: [], more: false });
      await mustCommit(store, { put: [inAll("a")] });
      const { told, next } = await readFeed(store, "all", { cursor: still.next });
      expect(told).toEqual(["put a"]);
      const { next: end } = await store.changes({ feed: "all", limit: 5, cursor: next });
      await mustCommit(store, { put: [inAll("b")] });
      expect((await readFeed(store, "all", { cursor: end })).told).toEqual(["put b"]);
      expect((await readFeed(store, "all", { cursor: next })).told).toEqual(["put b"]);
      expect((await readFeed(store, "all", { cursor: nothing.next })).told).toEqual(["put a", "put b"]);
    },
  },
  {
    about: "feeds",
    name: "a cursor that the store did not give is refused",
    async run({ store }) {
      await mustCommit(store, { put: [inAll("a")] });
      for (const cursor of ["", " ", "nonsense", "-1", "1 OR 1=1", "✗", "{}", "NaN", "0x10", "null"]) {
        expect(await codeOf(() => store.changes({ feed: "all", limit: 5, cursor })), cursor).toBe(
          "bad-cursor",
        );
      }
    },
  },
  {
    about: "feeds",
    name: "a cursor that another store of the same kind gave is refused, also where both began alike",
    needs: "another",
    async run(open, _, another) {
      const other = await another();
      try {
        for (const { store } of [open, other]) await mustCommit(store, { put: [inAll("a"), inAll("b")] });
        for (const key of ["c", "d", "e"]) await mustCommit(open.store, { put: [inAll(key)] });
        for (const key of ["x", "y", "z"]) await mustCommit(other.store, { put: [inAll(key)] });
        const cursors = await cursorsOf(other.store);
        const areRefused = async (store: Store) => {
          for (const cursor of cursors) {
            expect(await codeOf(() => store.changes({ feed: "all", limit: 9, cursor }))).toBe("bad-cursor");
          }
        };
        await areRefused(open.store);
        const own = await cursorsOf(open.store);
        const reopened = await open.reopen();
        await areRefused(reopened);
        for (const cursor of own) await reopened.changes({ feed: "all", limit: 9, cursor });
      } finally {
        await other.drop();
      }
    },
  },
  {
    about: "feeds",
    name: "a reader that follows during simultaneous commits misses no document and ends at its newest version",
    async run({ store }) {
      const seen = new Map<string, number>();
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let version = 1; version <= 25; version++) {
          await mustCommit(store, {
            put: [inAll(`shared ${writer}`, version), inAll(`${writer}.${version}`)],
          });
        }
      });
      const finished = Promise.all(writers).then(() => true);
      let cursor: string | undefined;
      for (let done = false; ; ) {
        const wasDone: boolean = done;
        const page = await store.changes({
          feed: "all",
          limit: 7,
          ...(cursor === undefined ? {} : { cursor }),
        });
        for (const change of page.changes) {
          if (change.kind === "put") note(seen, change.document.key, change.document.version);
        }
        cursor = page.next;
        if (wasDone && !page.more) break;
        if (!page.more) done = await Promise.race([finished, Promise.resolve(false)]);
      }
      expect(seen.size).toBe(4 + 100);
      for (let writer = 0; writer < 4; writer++) expect(seen.get(`shared ${writer}`)).toBe(25);
    },
  },
];

/** A cursor after each change. */
async function cursorsOf(store: Store): Promise<string[]> {
  const cursors: string[] = [];
  for (let more = true; more; ) {
    const cursor = cursors.at(-1);
    const page = await store.changes({ feed: "all", limit: 1, ...(cursor === undefined ? {} : { cursor }) });
    cursors.push(page.next);
    more = page.more;
  }
  return cursors;
}

function note(seen: Map<string, number>, key: string, version: number): void {
  expect(version, `versions of ${key} go forward`).toBeGreaterThan(seen.get(key) ?? 0);
  seen.set(key, version);
}
