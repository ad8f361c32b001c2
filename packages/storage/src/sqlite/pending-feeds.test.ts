import type { Store } from "@fieldroll/core";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";

const person = (key: string, version: number, feeds: readonly string[] = ["all"]) => ({
  ...{ collection: "people", key, version, body: version, feeds },
});

const cora = { collection: "people", key: "cora" };

async function opened() {
  const client = new Database(":memory:");
  const store = await openSqliteStore({ client });
  const rows = (table: string) => client.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  return { client, store, rows };
}

/** What a feed tells from the beginning, read so many at a time: each as key and body, or as key alone where it is gone. */
async function told(store: Store, feed: string, limit = 2): Promise<readonly string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await store.changes({ feed, limit, ...(cursor !== undefined && { cursor }) });
    for (const change of page.changes) {
      found.push(change.kind === "gone" ? `-${change.key}` : `${change.document.key}${change.document.body}`);
    }
    expect(page.changes.length, "a page is full where more follow").toBe(
      page.more ? limit : page.changes.length,
    );
    ({ next: cursor, more } = page);
  }
  return found;
}

async function verified(store: Store) {
  const faults: unknown[] = [];
  const census = await store.verify?.((fault) => faults.push(fault));
  expect(faults).toEqual([]);
  return census;
}

/** Commits that tell feeds nothing of others, until what waits is moved. */
async function fill(store: Store, rows: (table: string) => unknown): Promise<void> {
  for (let nth = 0; rows("pending_feeds") !== 0; nth++) {
    const put = Array.from({ length: 100 }, (_, i) => person(`other ${nth} ${i}`, 1, ["others"]));
    expect(await store.commit({ put })).toEqual({ ok: true });
  }
}

describe("places in feeds that wait", () => {
  const steps: readonly {
    name: string;
    commit: Parameters<Store["commit"]>[0];
    all: string[];
    north: string[];
  }[] = [
    {
      name: "created",
      commit: {
        put: [person("ana", 1, ["all", "north"]), person("ben", 1), person("cora", 1, ["all", "north"])],
      },
      all: ["ana1", "ben1", "cora1"],
      north: ["ana1", "cora1"],
    },
    {
      name: "changed",
      commit: { put: [person("ana", 2, ["all", "north"])] },
      all: ["ben1", "cora1", "ana2"],
      north: ["cora1", "ana2"],
    },
    {
      name: "changed again",
      commit: { put: [person("ana", 3, ["all", "north"])] },
      all: ["ben1", "cora1", "ana3"],
      north: ["cora1", "ana3"],
    },
    {
      name: "moved away",
      commit: { put: [person("ana", 4, ["all"])] },
      all: ["ben1", "cora1", "ana4"],
      north: ["cora1", "-ana"],
    },
    {
      name: "come back",
      commit: { put: [person("ana", 5, ["north", "all"])] },
      all: ["ben1", "cora1", "ana5"],
      north: ["cora1", "ana5"],
    },
    { name: "removed", commit: { remove: [cora] }, all: ["ben1", "ana5", "-cora"], north: ["ana5", "-cora"] },
    {
      name: "made anew",
      commit: { put: [person("cora", 1, ["north"])] },
      all: ["ben1", "ana5", "-cora"],
      north: ["ana5", "cora1"],
    },
  ];

  // After which steps what waits is moved, as bits: none, all, and every one or two of them, so that each state follows each other one, there and here.
  const bits = (set: number) => [...set.toString(2)].filter((bit) => bit === "1").length;
  const sets = Array.from({ length: 2 ** steps.length }, (_, set) => set);
  const movedAfter = sets.filter((set) => bits(set) < 3 || bits(set) === steps.length);

  it.each(movedAfter)("are told in their order, moved after the steps of %i or waiting", async (set) => {
    const { store, rows } = await opened();
    for (const [nth, { name, commit, all, north }] of steps.entries()) {
      expect(await store.commit(commit), name).toEqual({ ok: true });
      const isMoved = ((set >> nth) & 1) === 1;
      if (isMoved) await fill(store, rows);
      for (const limit of [1, 2, 10]) {
        expect(await told(store, "all", limit), name).toEqual(all);
        expect(await told(store, "north", limit), name).toEqual(north);
      }
      const others = (await told(store, "others", 1000)).length;
      expect((await verified(store))?.feeds, name).toBe(all.length + north.length + others);
    }
    await store.close();
  });

  it("wait until there are enough of them, and leave nothing behind", async () => {
    const { store, rows } = await opened();
    await store.commit({ put: [person("ana", 1, ["all", "north"])] });
    let version = 1;
    for (let most = 0; rows("feeds") === 0; most = Number(rows("pending_feeds"))) {
      expect(most).toBeLessThan(2 * 1200);
      version += 1;
      await store.commit({ put: [person("ana", version, ["all", "north"])] });
    }
    expect([rows("feeds"), rows("pending_feeds")]).toEqual([2, 0]);
    expect(version).toBeGreaterThan(1000);
    expect(await told(store, "all")).toEqual([`ana${version}`]);
    await store.close();
  });

  it("which a damaged file has moved and kept all the same keep no later commit from being made", async () => {
    const { client, store, rows } = await opened();
    await store.commit({ put: [person("ana", 1), person("ben", 1)] });
    client.exec(
      "INSERT INTO feeds SELECT feed, position, told, collection, key FROM pending_feeds WHERE position = 1",
    );
    await fill(store, rows);
    expect(await told(store, "all")).toEqual(["ana1", "ben1"]);
    await store.close();
  });

  it("give a reader that has read to the end nothing again, before and after they are moved", async () => {
    const { store, rows } = await opened();
    await store.commit({ put: [person("ana", 1), person("ben", 1)] });
    const { next } = await store.changes({ feed: "all", limit: 10 });
    await fill(store, rows);
    expect((await store.changes({ feed: "all", limit: 10, cursor: next })).changes).toEqual([]);
    await store.commit({ put: [person("ben", 2)] });
    const { changes } = await store.changes({ feed: "all", limit: 10, cursor: next });
    expect(changes).toMatchObject([{ kind: "put", document: { key: "ben", version: 2 } }]);
    await store.close();
  });
});
