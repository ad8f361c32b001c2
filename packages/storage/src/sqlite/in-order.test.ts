import {
  answerQuery,
  type Condition,
  type DocumentKey,
  type Query,
  type Store,
  type StoredDocument,
} from "@fieldroll/core";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";
import { rowsInOrder } from "./places.ts";

function person(key: string, name: readonly string[], version = 1): StoredDocument {
  const entries = { name: [...name], group: [`g${key.length}`] };
  return { collection: "people", key, version, body: key, claims: [], feeds: [], entries };
}

/** Pages through a query, to its end or so far, each page compared with the port's meaning. */
async function expectPages(
  store: Store,
  all: readonly StoredDocument[],
  query: Query,
  pages = Number.POSITIVE_INFINITY,
): Promise<void> {
  let page = query;
  for (let nth = 0; nth < pages; nth++) {
    const expected = answerQuery(all, page);
    const found = await store.query(page);
    expect(found.documents.map(({ key }) => key)).toEqual(expected.documents.map(({ key }) => key));
    expect(found.next).toEqual(expected.next);
    if (!found.next) return;
    page = { ...page, after: found.next };
  }
}

/** Puts and removes documents, in two commits that are written together. */
async function make(
  store: Store,
  present: Map<string, StoredDocument>,
  changes: readonly Change[],
): Promise<void> {
  const put: StoredDocument[] = [];
  const remove: DocumentKey[] = [];
  for (const [key, names] of new Map(changes.map((each) => [`k${each.key}`, each.names]))) {
    const before = present.get(key);
    const document = person(key, names, (before?.version ?? 0) + 1);
    if (before && names.length === 0) {
      remove.push({ collection: "people", key });
      present.delete(key);
    } else {
      put.push(document);
      present.set(key, document);
    }
  }
  await Promise.all([store.commit({ put: put.slice(0, 2), remove }), store.commit({ put: put.slice(2) })]);
}

const both = [false, true];

const orders: readonly Pick<Query, "sort">[] = [
  {},
  { sort: { index: "group" } },
  ...both.map((descending) => ({ sort: { index: "name", descending } })),
];

/** Has the next documents get numbers from this one on. */
async function countFrom(client: Database.Database, store: Store, row: number): Promise<void> {
  await store.commit({ put: [{ collection: "other", key: "a", version: 1, body: 1 }] });
  client.prepare("UPDATE documents SET id = ? WHERE collection = 'other'").run(row - 1);
}

const part = fc.constantFrom(
  "maria ",
  "maria santos",
  "ana",
  "a",
  " ",
  "\u0001",
  "\ud7ff",
  "\ue000",
  "\ufb01",
  "😀",
  "محمد ",
  "सीता ",
);
const name = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""));

/** A text that does not wait for its trigrams to be written, nor do others then. */
const long = { ...person("long", ["z".repeat(2001)]), collection: "elsewhere" };

interface Change {
  readonly key: number;
  readonly names: readonly string[];
}

const change: fc.Arbitrary<Change> = fc.record({
  key: fc.integer({ min: 0, max: 9 }),
  names: fc.array(name, { maxLength: 2 }),
});

describe("a search in the order of its own index", () => {
  it("gives what the port's meaning gives, whatever was renamed, removed, or has a row beyond all places", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.boolean(), fc.array(change, { maxLength: 6 })), { maxLength: 6 }),
        fc.constantFrom(0, rowsInOrder - 2, rowsInOrder),
        fc.record({
          contains: fc.constantFrom("maria", "ria s", "ana", "محمد", "सीता", "a\ue000"),
          limit: fc.integer({ min: 1, max: 4 }),
        }),
        async (commits, row, { contains, limit }) => {
          const client = new Database(":memory:");
          const store = await openSqliteStore({ client });
          const present = new Map<string, StoredDocument>();
          for (const [nth, [isWritten, changes]] of commits.entries()) {
            await make(store, present, changes);
            if (isWritten) await store.commit({ put: [long] });
            if (nth === 0 && row > 0) await countFrom(client, store, row);
          }
          const query = { collection: "people", where: [{ index: "name", contains }], limit };
          for (const order of orders) await expectPages(store, [...present.values()], { ...query, ...order });
          const faults: unknown[] = [];
          await store.verify?.((fault) => faults.push(fault));
          expect(faults).toEqual([]);
          await store.close();
        },
      ),
      { numRuns: 150 },
    );
  });

  it("tells documents of one transaction apart when one gets the row's number of another", async () => {
    const client = new Database(":memory:");
    const store = await openSqliteStore({ client });
    await store.commit({ put: [person("a", ["ana reyes"])] });
    await Promise.all([
      store.commit({ remove: [{ collection: "people", key: "a" }] }),
      store.commit({ put: [person("b", ["ana reyes"])] }),
    ]);
    const where = [{ index: "name", contains: "ana" }];
    await expectPages(store, [person("b", ["ana reyes"])], {
      collection: "people",
      where,
      sort: { index: "name" },
      limit: 3,
    });
    await store.close();
  });

  describe("among many in one bucket", async () => {
    const client = new Database(":memory:");
    const store = await openSqliteStore({ client });
    const all = Array.from({ length: 9000 }, (_, i) => {
      const end = i > 8900 ? "zita rare" : `${["ana", "bea", "zoe"][i % 3]} ${i}`;
      return person(`${"k".repeat(1 + (i % 2))}${i}`, [`maria santos ${end}`]);
    });
    const some = Array.from({ length: 300 }, (_, i) => person(`s${i}`, [`santa maria ${i % 50}`, "zoe"]));
    await store.commit({ put: [...all, ...some, { ...person("o", ["maria ana"]), collection: "other" }] });
    const asked: readonly { name: string; where: readonly Condition[] }[] = [
      { name: "all", where: [{ index: "name", contains: "maria" }] },
      { name: "a third", where: [{ index: "name", contains: "bea" }] },
      { name: "what lies together at the end", where: [{ index: "name", contains: "rare" }] },
      { name: "two terms", where: ["santos", "77"].map((contains) => ({ index: "name", contains })) },
      {
        name: "what few meet",
        where: [
          { index: "name", contains: "maria" },
          { index: "name", contains: "99" },
        ],
      },
      {
        name: "a range of the same index",
        where: [
          { index: "name", contains: "maria" },
          { index: "name", from: "maria santos z", below: "santa maria 3" },
        ],
      },
      {
        name: "a prefix of the same index",
        where: [
          { index: "name", contains: "zoe" },
          { index: "name", prefix: "santa" },
        ],
      },
      {
        name: "another index",
        where: [
          { index: "name", contains: "zoe" },
          { index: "group", anyOf: ["g5", "g6"] },
        ],
      },
    ];
    it.each(asked)("finds $name, from either end", async ({ where }) => {
      const sort = { index: "name" };
      for (const descending of both) {
        for (const limit of [20, 4500]) {
          const query = { collection: "people", where, sort: { ...sort, descending }, limit };
          await expectPages(store, [...all, ...some], query, 4);
        }
      }
    });
  });
});
