import { randomBytes } from "node:crypto";
import { createMemoryStore, type Document, type Position, type Query, type Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import fc from "fast-check";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { check } from "../properties/check.ts";

const server = inject("postgres");

/** More than a plan gathers: what most documents meet is walked, glanced at, or read in two parts. */
const people = 4600;

/** They differ in what an index keeps: by that they are sorted. */
const long = (nth: number) => `${" mnz"[nth % 4]}${nth}${"x".repeat(490 + (nth % 20))} common ${nth % 7}`;

function person(nth: number): Document {
  const own = `${"abcdemmmmzzzzzz"[nth % 15]}${String((nth * 7919) % people).padStart(4, "0")} common`;
  const first = nth % 90 === 0 ? long(nth) : own;
  const further = nth % 3 === 0 ? [`${"amz"[nth % 9] ?? "of "}${nth % 50}`, "of the plains"] : [];
  const entries = {
    name: [first, ...further],
    code: [nth % 150 === 8 ? long(nth) : own],
    ...(nth % 40 === 0 ? {} : { born: [`19${nth % 100}`] }),
    area: nth % 2 === 0 ? ["north"] : ["south", "east"],
  };
  return { collection: "people", key: `k${(nth * 31) % people}`, version: 1, body: nth, entries };
}

const terms = [
  "common",
  "m",
  "mn",
  "z",
  "z1",
  "00",
  "of the",
  "xxx",
  "common 3",
  "x common",
  "east",
  "s",
  "19",
];
const term = fc.constantFrom(...terms, long(90), long(8).slice(0, 499));
const index = fc.constantFrom("name", "name", "code", "born", "area");
const condition = fc.oneof(
  fc.record({ index, prefix: term }),
  fc.record({ index, contains: term }),
  fc.record({ index, from: term }),
  fc.record({ index, from: term, below: fc.constantFrom("n", "z5", "of u") }),
  fc.record({
    index,
    anyOf: fc.array(fc.constantFrom("of the plains", "north", "m0", long(90)), { maxLength: 2 }),
  }),
);
const asked = fc.record({
  where: fc.array(condition, { minLength: 1, maxLength: 2 }),
  sort: fc.option(fc.record({ index, descending: fc.boolean() }), { nil: undefined }),
  limit: fc.constantFrom(1, 3, 20, 150, 400),
});

describe("searches of many documents on PostgreSQL", () => {
  const schema = `at_size_${randomBytes(6).toString("hex")}`;
  const memory = createMemoryStore();
  let store: Store;
  beforeAll(async () => {
    if ("absent" in server) return;
    store = await openPostgresStore({ connectionString: server.url, schema, preparedStatements: true });
    const put = Array.from({ length: people }, (_, nth) => person(nth));
    for (const each of [store, memory]) expect(await each.commit({ put })).toEqual({ ok: true });
    await onServer(`ANALYZE ${schema}.entries, ${schema}.documents`);
  });
  afterAll(async () => {
    if ("absent" in server) return;
    await store.close();
    await onServer(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
  });

  const onServer = async (sql: string) => {
    const admin = new Client({ connectionString: "absent" in server ? "" : server.url });
    await admin.connect();
    await admin.query(sql);
    await admin.end();
  };

  it("find what only the end of a value has that an index cuts, sorted by that index", async ({ skip }) => {
    if ("absent" in server) return skip(server.absent);
    const where = [{ index: "code", contains: "common" }];
    const query: Query = { collection: "people", where, sort: { index: "code" }, limit: 50 };
    const [found, meant] = [await store.query(query), await memory.query(query)];
    expect(meant.documents.some(({ body }) => Number(body) % 150 === 8)).toBe(true);
    expect(found.documents.map(({ key }) => key)).toEqual(meant.documents.map(({ key }) => key));
  });

  it("have the pages of the memory store", { timeout: 120_000 }, async ({ skip }) => {
    if ("absent" in server) return skip(server.absent);
    const property = fc.asyncProperty(asked, async ({ where, sort, limit }) => {
      const query: Query = { collection: "people", where, limit, ...(sort && { sort }) };
      let after: Position | undefined;
      for (let page = 0; page < 3; page++) {
        const [found, meant] = await Promise.all(
          [store, memory].map((each) => each.query({ ...query, ...(after && { after }) })),
        );
        expect(found?.documents.map(({ key }) => key)).toEqual(meant?.documents.map(({ key }) => key));
        expect(found?.next === undefined).toBe(meant?.next === undefined);
        after = meant?.next;
        if (!after) return;
      }
    });
    await check("search at size on PostgreSQL", property, { runs: 250 });
  });
});
