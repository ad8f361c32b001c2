import type { Store } from "@fieldroll/core";
import type { Client } from "pg";
import { expect } from "vitest";

interface Counting {
  readonly admin: Client;
  /** Of the store, whose connections go by the same name. */
  readonly schema: string;
  readonly open: () => Promise<Store>;
}

/** Rows of indexes and tables that the store's connections read; they tell it at their end. */
export async function rowsReadBy(
  { admin, schema, open }: Counting,
  work: (store: Store) => Promise<unknown>,
): Promise<number> {
  const before = await readSoFar(admin, schema);
  const store = await open();
  await work(store);
  await store.close();
  await connectionsEnded(admin, schema);
  return (await readSoFar(admin, schema)) - before;
}

/** Until no connection has the name. What each read is counted by then; while it goes on, up to seconds later. */
export async function connectionsEnded(admin: Client, name: string): Promise<void> {
  const sql = "SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name = $1";
  await expect
    .poll(async () => (await admin.query<{ open: number }>(sql, [name])).rows[0]?.open, { timeout: 10_000 })
    .toBe(0);
}

async function readSoFar(admin: Client, schema: string): Promise<number> {
  const { rows } = await admin.query<{ read: string }>(
    `SELECT (SELECT sum(coalesce(idx_tup_read, 0)) FROM pg_stat_user_indexes WHERE schemaname = $1)
      + (SELECT sum(coalesce(seq_tup_read, 0)) FROM pg_stat_user_tables WHERE schemaname = $1) AS read`,
    [schema],
  );
  return Number(rows[0]?.read);
}
