import { randomBytes } from "node:crypto";
import type { Store, StoreFault } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";

const server = inject("postgres");

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, nth) => `Individual/${from + nth} ${"long ".repeat(12)}`);
const cut = (end: string) => `${"x".repeat(600)}${end}`;

/** What one index has at each put, one after the other, with more bytes than are compared value by value. */
const puts: readonly (readonly [what: string, values: readonly string[]])[] = [
  ["many values", numbered(0, 300)],
  ["another one first", [...numbered(1, 299), ...numbered(0, 1)]],
  ["values twice", [...numbered(5, 295), ...numbered(5, 90)]],
  ["one less, one more", [...numbered(6, 294), "Individual/new"]],
  ["values that an index cuts alike", [cut("a"), cut("b"), ...numbered(6, 200)]],
  ["one of these", [...numbered(6, 200), cut("b")]],
  ["a few", numbered(7, 3)],
  ["none", []],
  ["many again", numbered(0, 300)],
];

describe("a document with many values on PostgreSQL", () => {
  const schema = `many_${randomBytes(6).toString("hex")}`;
  let store: Store;

  beforeEach(async ({ skip }) => {
    if ("absent" in server) return skip(server.absent);
    store = await openPostgresStore({ connectionString: server.url, schema });
  });
  afterEach(async () => {
    if ("absent" in server) return;
    await store.close();
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  });

  it("has the rows of the values it declares, whatever they were before", async () => {
    for (const [nth, [what, member]] of puts.entries()) {
      const group = { collection: "groups", version: nth + 1, body: nth };
      const put = [
        { ...group, key: "large", claims: member, entries: { member, same: ["s"] } },
        { ...group, key: "small", entries: { member: [`m${nth}`] } },
      ];
      expect(await store.commit({ put }), what).toEqual({ ok: true });
      const faults: StoreFault[] = [];
      await store.verify?.((fault) => faults.push(fault));
      expect(faults, what).toEqual([]);
    }
  });
});
