import { Client } from "pg";
import { collection, feed } from "./program.ts";

/** A transaction that is open. */
export interface Hold {
  /** Ends it, and tells the keys of the documents it has made. */
  commit(): Promise<readonly string[]>;
}

interface Place {
  readonly url: string;
  readonly schema: string;
}

/** Opens a transaction that has written to the tables, as a commit does. */
export async function heldWrite({ url, schema }: Place): Promise<Hold> {
  const key = "held";
  const texts = [[collection], [key], [1], ["[]"], ["{}"], [JSON.stringify([feed])], ["{}"]];
  return hold(
    url,
    `SELECT ${schema}.commit(1, $1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
      '{}', '{}', '{}', '{}', true)`,
    { values: texts, keys: [key] },
  );
}

/** Opens a transaction that has a number, and has written nothing. */
export async function heldId({ url }: Place): Promise<Hold> {
  return hold(url, "SELECT pg_current_xact_id()", { values: [], keys: [] });
}

async function hold(
  url: string,
  statement: string,
  { values, keys }: { readonly values: readonly unknown[]; readonly keys: readonly string[] },
): Promise<Hold> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("BEGIN");
  await client.query(statement, [...values]);
  return {
    async commit() {
      await client.query("COMMIT");
      await client.end();
      return keys;
    },
  };
}
