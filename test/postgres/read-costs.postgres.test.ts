import { randomBytes } from "node:crypto";
import type { Query, Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { rowsReadBy } from "./rows-read.ts";

const server = inject("postgres");

const people = 20_000;

/** Every person has a name of their own, and one of seven sorts of names: half of all come last in order. */
const nameOf = (nth: number) => `${"abcdezzzzz"[nth % 10]}${String((nth * 7919) % people).padStart(5, "0")}`;

/** What a query reads must follow what it finds, and not how much there is: told by the server's own count of what it read. */
describe("what a query reads on PostgreSQL", () => {
  let admin: Client;
  const schema = `read_costs_${randomBytes(6).toString("hex")}`;
  const open = () => {
    const place = new URL("absent" in server ? "postgres://nowhere" : server.url);
    place.searchParams.set("application_name", schema);
    return openPostgresStore({ connectionString: place.href, schema });
  };

  beforeAll(async () => {
    if ("absent" in server) return;
    admin = new Client({ connectionString: server.url });
    await admin.connect();
    const store = await open();
    for (let from = 0; from < people; from += 2000) {
      const put = Array.from({ length: 2000 }, (_, i) => ({
        ...{ collection: "people", key: String(from + i), version: 1, body: {} },
        entries: { name: [nameOf(from + i), "of the plains"], code: [nameOf(from + i)] },
      }));
      await store.commit({ put });
    }
    await store.close();
    await admin.query(`VACUUM ANALYZE ${schema}.entries, ${schema}.documents`);
  });
  afterAll(async () => {
    if ("absent" in server) return;
    await admin.query("SET client_min_messages = warning");
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  });

  const readBy = (work: (store: Store) => Promise<unknown>) => rowsReadBy({ admin, schema, open }, work);

  const [byName, byCode] = [{ index: "name" }, { index: "code" }];
  const cases: readonly (readonly [string, Query["where"], Query["sort"], number])[] = [
    ["a substring that one has", [{ index: "name", contains: nameOf(3) }], byName, 200],
    ["a substring that one has, by key", [{ index: "name", contains: nameOf(3) }], undefined, 200],
    [
      "a beginning that one has, where each has one value",
      [{ index: "code", prefix: nameOf(3) }],
      byCode,
      200,
    ],
    ["a beginning that all have, where each has one value", [{ index: "code", from: "a" }], byCode, 10_000],
    ["a beginning that a tenth has", [{ index: "name", prefix: "b" }], byName, 10_000],
    ["a beginning that the last half has", [{ index: "name", prefix: "z" }], byName, 15_000],
    ["a beginning that all have", [{ index: "name", prefix: "of the" }], byName, 20_000],
  ];

  it.for(cases)("%s", async ([_, where = [], sort, most], { skip }) => {
    if ("absent" in server) return skip(server.absent);
    const query: Query = { collection: "people", where, limit: 20, ...(sort && { sort }) };
    const opening = await readBy(async () => undefined);
    const read = await readBy((store) => store.query(query));
    expect(read - opening).toBeLessThan(most);
  });
});
