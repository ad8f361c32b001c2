import { randomBytes } from "node:crypto";
import type { Commit, Document, Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { connectionsEnded, rowsReadBy } from "./rows-read.ts";

const server = inject("postgres");

const people = 20_000;
const gone = 2_000;

const at = (nth: number) => ({ collection: "people", key: String(nth) });
const person = (nth: number, version: number, ...feeds: readonly string[]): Document => ({
  ...at(nth),
  ...{ version, body: {}, entries: { name: [`name ${nth}`, `${version}`] }, claims: [`id ${nth}`], feeds },
});
const put = (...documents: readonly Document[]): Commit => ({ put: documents });

/** A commit finds everything by key, however much there is: told by the server's own count of what it read. */
describe("what a commit reads on PostgreSQL", { timeout: 120_000 }, () => {
  let admin: Client;
  const schema = `commit_costs_${randomBytes(6).toString("hex")}`;
  const open = () => {
    const place = new URL("absent" in server ? "postgres://nowhere" : server.url);
    place.searchParams.set("application_name", schema);
    return openPostgresStore({ connectionString: place.href, schema, connections: 1, substringIndexes: [] });
  };

  beforeAll(async () => {
    if ("absent" in server) return;
    admin = new Client({ connectionString: server.url });
    await admin.connect();
    const store = await open();
    for (let from = 0; from < people; from += 2000) {
      const numbers = Array.from({ length: 2000 }, (_, i) => from + i);
      await store.commit(put(...numbers.map((nth) => person(nth, 1, "all", `area ${nth % 20}`))));
    }
    const left = Array.from({ length: gone }, (_, nth) => person(people - 1 - nth, 2, "all"));
    await store.commit(put(...left));
    await store.close();
    await admin.query(
      `VACUUM ANALYZE ${schema}.entries, ${schema}.documents, ${schema}.feeds, ${schema}.claims`,
    );
  });
  afterAll(async () => {
    if ("absent" in server) return;
    await admin.query("SET client_min_messages = warning");
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  });

  const readBy = (work: (store: Store) => Promise<unknown>) => rowsReadBy({ admin, schema, open }, work);

  const cases: readonly (readonly [string, Commit])[] = [
    ["that changes somebody", put(person(1, 2, "all", "area 1"))],
    ["by which somebody leaves a feed", put(person(2, 2, "all"))],
    ["by which somebody comes into a feed", put(person(3, 2, "all", "area 3", "area 4"))],
    ["by which somebody comes back", put(person(people - 1, 3, "all", `area ${(people - 1) % 20}`))],
    ["that removes somebody", { remove: [at(4)] }],
    ["that makes somebody", put(person(people, 1, "all", "area 0"))],
    ["that makes somebody who was removed", put(person(4, 1, "all", "area 4"))],
    ["by which two swap feeds", put(person(5, 2, "all", "area 6"), person(6, 2, "all", "area 5"))],
  ];

  it.for(cases)("%s", async ([_, commit], { skip }) => {
    if ("absent" in server) return skip(server.absent);
    const opening = await readBy(async () => undefined);
    const read = await readBy(async (store) => expect(await store.commit(commit)).toEqual({ ok: true }));
    expect(read - opening).toBeLessThan(60);
  });

  /** Once, what a commit reads grew with those who had left since the database took its statistics. */
  it("that brings somebody into a feed which many left since statistics were taken", async ({ skip }) => {
    if ("absent" in server) return skip(server.absent);
    const name = `${schema}_left`;
    const preparing = new Client({ connectionString: server.url, application_name: name });
    await preparing.connect();
    await preparing.query(`DELETE FROM ${schema}.feeds WHERE gone`);
    await preparing.query(`VACUUM ANALYZE ${schema}.feeds`);
    await preparing.query(`INSERT INTO ${schema}.feeds (feed, collection, key, position, nth, gone)
      SELECT 'all', 'others', n::text, 1, -n, true FROM generate_series(1, ${gone}) n`);
    await preparing.end();
    await connectionsEnded(admin, name);
    const opening = await readBy(async () => undefined);
    const making = put(person(people + 1, 1, "all", "area 0"));
    const read = await readBy(async (store) => expect(await store.commit(making)).toEqual({ ok: true }));
    expect(read - opening).toBeLessThan(60);
  });
});
