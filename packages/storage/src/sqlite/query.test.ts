import { answerQuery, type Condition, type Query, type Store, type StoredDocument } from "@fieldroll/core";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Connection } from "./client.ts";
import { type InOrder, readInOrder } from "./in-order.ts";
import { openSqliteStore } from "./index.ts";
import { type Gathering, type Plan, plansFor } from "./plan.ts";
import { statementsOf } from "./query.ts";
import { type DocumentRow, fromRow } from "./rows.ts";
import { pageOf } from "./select.ts";
import { findMatching, matchingOf, substringIndexes } from "./substrings.ts";

const values = fc.constantFrom(
  "",
  "a",
  "ab",
  "abc",
  "b",
  "ba",
  "\ue000",
  "😀",
  "a😀",
  "true",
  "aba\u{10400}b",
  'b"ab',
  "xaba",
);
const index = fc.constantFrom("name", "active");
const documents = fc
  .array(
    fc.record({ name: fc.array(values, { maxLength: 3 }), active: fc.array(values, { maxLength: 1 }) }),
    {
      maxLength: 12,
    },
  )
  .map((all) =>
    all.map((entries, i): StoredDocument => {
      return { collection: "c", key: `k${i}`, version: 1, body: i, claims: [], feeds: [], entries };
    }),
  );
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ index, anyOf: fc.array(values, { maxLength: 3 }) }),
  fc.record({ index, prefix: values }),
  fc.record({ index, contains: values }),
  fc.record({ index, contains: fc.constantFrom("aba", "aba\u{10400}", '"ab', "abab", "ba\u{10400}b") }),
  fc.record({ index, from: values, below: values }),
  fc.record({ index, from: values }),
  fc.record({ index, below: values }),
  fc.record({ index }),
);
const query: fc.Arbitrary<Query> = fc
  .record({
    where: fc.array(condition, { maxLength: 2 }),
    sort: fc.option(fc.record({ index, descending: fc.boolean() }), { nil: undefined }),
    limit: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ where, sort, limit }) => ({ collection: "c", where, limit, ...(sort && { sort }) }));

/** Every way to read a query, whichever the planner would take. */
function plansOf(connection: Connection, { where = [], sort }: Query, single: boolean): readonly Plan[] {
  const gathering = where.map((by): Plan => {
    return { kind: "gather", by, others: where.filter((other) => other !== by) };
  });
  const walking = [false, ...(single ? [true] : [])].map((each): Plan => ({ kind: "walk", single: each }));
  const indexes = substringIndexes(connection);
  const matching = where.flatMap((by): Plan[] => {
    const through = "contains" in by ? matchingOf(connection, indexes, where, by) : undefined;
    if (!through) return [];
    const others = where.filter((other) => other !== by);
    const looked = findMatching(connection, through, 100).through;
    const gathering = [through, looked].map((each): Plan => ({ kind: "gather", by, others, through: each }));
    if (by.index !== sort?.index) return gathering;
    const ordered = [false, ...(single ? [true] : [])].map((each): Plan => {
      return { kind: "in order", through, single: each };
    });
    return [...gathering, ...ordered];
  });
  return [...walking, ...gathering, ...matching];
}

function read(connection: Connection, asked: Query, plan: Plan): StoredDocument[] {
  const indexes = substringIndexes(connection);
  if (plan.kind === "in order") {
    return readInOrder<DocumentRow>(connection, { ...pageOf(asked, indexes), limit: asked.limit }, plan).map(
      fromRow,
    );
  }
  const rows: DocumentRow[] = [];
  for (const statement of statementsOf(asked, plan, indexes)) {
    const { text, values: bound } = statement(asked.limit - rows.length);
    if (rows.length < asked.limit) rows.push(...connection.rows<DocumentRow>(text, ...bound));
  }
  return rows.map(fromRow);
}

describe("every plan", () => {
  it("gives what the port's meaning of a query gives, page after page", async () => {
    await fc.assert(
      fc.asyncProperty(documents, query, async (put, asked) => {
        const client = new Database(":memory:");
        const store = await openSqliteStore({ client });
        const connection = new Connection(client);
        await store.commit({ put });
        let page: Query = asked;
        for (;;) {
          const expected = answerQuery(put, page);
          const index = page.sort?.index ?? "";
          const single = put.every(({ entries }) => new Set(entries[index]).size <= 1);
          for (const plan of plansOf(connection, page, single)) {
            expect(read(connection, page, plan)).toEqual(expected.documents);
          }
          expect(await store.query(page)).toEqual(expected);
          if (!expected.next) break;
          page = { ...page, after: expected.next };
        }
        await store.close();
      }),
      { numRuns: 150 },
    );
  });
});

it("takes many conditions", async () => {
  const store = await openSqliteStore({ client: new Database(":memory:") });
  const document = { collection: "c", version: 1, body: 1, claims: [], feeds: [] };
  const put = ["0", "1"].map((key) => ({ ...document, key, entries: { name: [`${key}b`], active: ["x"] } }));
  await store.commit({ put });
  const where = Array.from({ length: 125 }, (_, i): Condition[] => [
    { index: "name", contains: "b" },
    { index: "name", prefix: "1" },
    { index: "active", anyOf: ["x", `y${i}`] },
    { index: "active", anyOf: ["x"] },
  ]).flat();
  for (const sort of [{}, { sort: { index: "active" } }]) {
    const page = await store.query({ collection: "c", where, limit: 5, ...sort });
    expect(page).toEqual({ documents: [put[1]] });
  }
  await store.close();
});

describe("plans at size", () => {
  const client = new Database(":memory:");
  const connection = new Connection(client);
  const size = 20_000;
  let all: readonly StoredDocument[] = [];
  let store: Store;

  beforeAll(async () => {
    store = await openSqliteStore({ client });
    const put = Array.from({ length: size }, (_, i): StoredDocument => {
      const name = `${["ana", "juan", "fatima", "sita"][i % 4]} ${(i * 7919) % size}`;
      const entries = {
        name: [name],
        alias: [name, "of the plains"],
        active: ["true"],
        group: [`g${i % 4000}`],
        identifier: [`urn:id|${i}`],
      };
      return {
        collection: "Individual",
        key: `${i}`.padStart(8, "0"),
        version: 1,
        body: i,
        claims: [],
        feeds: [],
        entries,
      };
    });
    await store.commit({ put });
    all = put;
  });
  afterAll(() => connection.close());

  const sort = { index: "name" };
  const after = { value: "juan 5", key: "x" };
  const gather = (by: Condition, others: readonly Condition[] = []): Gathering => ({
    kind: "gather",
    by,
    others,
  });
  const one = { index: "group", anyOf: ["g7"] };
  const active = { index: "active", anyOf: ["true"] };
  const rare = { index: "name", contains: "199" };
  const gatherRare = {
    kind: "gather",
    by: rare,
    others: [active],
    through: { index: { number: 1, name: "name" }, trigrams: ['"199"'] },
  } as const;

  it.each<{
    name: string;
    asked: Omit<Query, "collection" | "limit">;
    plan: Exclude<Plan, InOrder>;
    uses: RegExp[];
    sorts: boolean;
  }>([
    {
      name: "a listing by name walks the entries in order",
      asked: { sort, after },
      plan: { kind: "walk", single: false },
      uses: [/^SEARCH s USING PRIMARY KEY \(idx=\? AND \(value,key\)>\(\?,\?\)\)/],
      sorts: false,
    },
    {
      name: "a listing by name downwards walks the entries backwards",
      asked: { sort: { index: "name", descending: true }, after },
      plan: { kind: "walk", single: false },
      uses: [/^SEARCH s USING PRIMARY KEY \(idx=\? AND \(value,key\)<\(\?,\?\)\)/],
      sorts: false,
    },
    {
      name: "a listing by name tests an equality by the whole key",
      asked: { sort, where: [active] },
      plan: { kind: "walk", single: false },
      uses: [/^SEARCH e (EXISTS )?USING PRIMARY KEY \(idx=\? AND value=\? AND key=\?\)/],
      sorts: false,
    },
    {
      name: "an equality without a sort is read in order",
      asked: { where: [active], after: { value: null, key: "00000100" } },
      plan: gather(active),
      uses: [/^SEARCH w USING PRIMARY KEY \(idx=\? AND value=\? AND key>\?\)/],
      sorts: false,
    },
    {
      name: "a rare equality is gathered and sorted",
      asked: { sort, where: [active, one] },
      plan: gather(one, [active]),
      uses: [
        /^SEARCH w USING PRIMARY KEY \(idx=\? AND value=\?\)/,
        /^SEARCH x USING INTEGER PRIMARY KEY \(rowid=\?\)/,
      ],
      sorts: true,
    },
    {
      name: "a range of the sort's own values bounds the walk",
      asked: { sort, where: [{ index: "name", from: "juan" }, active] },
      plan: { kind: "walk", single: true },
      uses: [/^SEARCH s USING PRIMARY KEY \(idx=\? AND value>\? AND value<\?\)/],
      sorts: false,
    },
    {
      name: "a range without a sort is gathered along its values",
      asked: { where: [{ index: "name", from: "juan" }, active], after: { value: null, key: "00000100" } },
      plan: gather({ index: "name", from: "juan" }, [active]),
      uses: [/^SEARCH w USING PRIMARY KEY \(idx=\? AND value>\? AND value<\?\)/],
      sorts: true,
    },
    {
      name: "a substring by key is found by its trigrams",
      asked: { where: [rare, active] },
      plan: gatherRare,
      uses: [/^SCAN codes_1 VIRTUAL TABLE INDEX 0:M/, /^SEARCH w USING INTEGER PRIMARY KEY \(rowid=\?\)/],
      sorts: true,
    },
    {
      name: "a glance along the names is bounded on both sides",
      asked: { sort, after, where: [active] },
      plan: { kind: "walk", single: false, until: { value: "sita", key: "x" } },
      uses: [
        /^SEARCH s USING PRIMARY KEY \(idx=\? AND \(value,key\)>\(\?,\?\) AND \(value,key\)<\(\?,\?\)\)/,
      ],
      sorts: false,
    },
    {
      name: "a prefix is a range of the entries",
      asked: { sort, where: [{ index: "name", prefix: "ana 1" }] },
      plan: gather({ index: "name", prefix: "ana 1" }),
      uses: [/^SEARCH w USING PRIMARY KEY \(idx=\? AND value>\? AND value<\?\)/],
      sorts: true,
    },
    {
      name: "looks up several values one after the other, however few documents there are",
      asked: { where: [{ index: "identifier", anyOf: ["a", "b"] }] },
      plan: { kind: "gather", by: { index: "identifier", anyOf: ["a", "b"] }, others: [] },
      uses: [/^SEARCH w USING PRIMARY KEY \(idx=\? AND value=\?\)/],
      sorts: true,
    },
  ])("$name", ({ asked, plan, uses, sorts }) => {
    const [statement] = statementsOf({ collection: "Individual", limit: 20, ...asked }, plan, []);
    const { text, values: bound } = statement?.(21) ?? { text: "", values: [] };
    const lines = connection.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, ...bound);
    const details = lines.map((line) => line.detail);
    for (const use of uses) expect(details).toContainEqual(expect.stringMatching(use));
    // The picked rows, a page at most, are sorted again around the documents; what is picked must not be.
    const inner = details.slice(
      0,
      details.findIndex((detail) => /^S(CAN|EARCH) (p|d)\b/.test(detail)),
    );
    expect(inner.some((detail) => detail.includes("TEMP B-TREE FOR ORDER BY"))).toBe(sorts);
    expect(
      details.filter((detail) => /^SCAN (?!c$|p$|f$|f VIRTUAL|v VIRTUAL|j |codes_1 |late$)/.test(detail)),
    ).toEqual([]);
  });

  it("looks for a page of what is common by a glance, before all of it is put in order", () => {
    const where = [{ index: "alias", prefix: "of" }];
    const common: Query = { collection: "Individual", where, sort: { index: "alias" }, limit: 20 };
    const planned = plansFor(connection, common, []);
    const plans: Plan[] = [];
    for (let next = planned.next(0); !next.done; next = planned.next(0)) plans.push(next.value);
    expect(plans).toEqual([
      { kind: "walk", single: false, until: { value: expect.any(String), key: expect.any(String) } },
      { kind: "gather", by: where[0], others: [] },
    ]);
  });

  const contains = { index: "name", contains: "ana" };
  const from = { index: "name", from: "juan" };
  const many = { index: "identifier", prefix: "urn:id" };
  it.each<{ name: string; where: readonly Condition[]; sort?: string }>([
    { name: "a common substring by key", where: [contains, active] },
    { name: "a common substring, sorted by it", where: [contains, active], sort: "name" },
    { name: "a common substring, sorted by something else", where: [contains], sort: "identifier" },
    { name: "a rare substring", where: [contains, rare, active], sort: "name" },
    { name: "a long range, sorted by it", where: [from, active], sort: "name" },
    { name: "a long range by key", where: [from] },
    {
      name: "a long range, sorted by an index with several values",
      where: [many, active],
      sort: "identifier",
    },
    {
      name: "what lies together far along",
      where: [{ index: "name", contains: "sit" }, active],
      sort: "name",
    },
    { name: "what most have among several values", where: [{ index: "alias", prefix: "of" }], sort: "alias" },
    { name: "what lies far along", where: [{ index: "alias", prefix: "sita" }, active], sort: "alias" },
    { name: "what is rare where others are tested", where: [rare, one], sort: "name" },
    {
      name: "some that few of the others meet",
      where: [
        { index: "name", contains: "ita" },
        { index: "active", contains: "fal" },
      ],
      sort: "name",
    },
    { name: "a short substring", where: [{ index: "name", contains: "ta" }, active], sort: "name" },
    { name: "nothing", where: [active, { index: "name", contains: "?" }], sort: "name" },
  ])("$name gives what the port's meaning gives", async ({ where, sort: index }) => {
    for (const descending of index ? [false, true] : [false]) {
      let page: Query = {
        collection: "Individual",
        where,
        limit: 900,
        ...(index && { sort: { index, descending } }),
      };
      for (let pages = 0; pages < 3; pages++) {
        const expected = answerQuery(all, page);
        const { documents, next } = await store.query(page);
        expect(documents.map(({ key }) => key)).toEqual(expected.documents.map(({ key }) => key));
        expect(next).toEqual(expected.next);
        if (!next) break;
        page = { ...page, after: next };
      }
    }
  });
});

describe("a page", () => {
  it("has as many documents as are asked for", async () => {
    const client = new Database(":memory:");
    const store = await openSqliteStore({ client });
    await store.commit({ put: [{ collection: "c", key: "k", version: 1, body: null }] });
    const columns = "collection, version, claims, indexed, feeds, body";
    const many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)";
    client.exec(
      `${many} INSERT INTO documents (key, position, ${columns}) SELECT 'k' || i, position + i, ${columns} FROM n, documents`,
    );
    const { documents, next } = await store.query({ collection: "c", limit: 149_999 });
    expect(documents).toHaveLength(149_999);
    expect(next?.key).toBe(documents.at(-1)?.key);
    await store.close();
  });
});
