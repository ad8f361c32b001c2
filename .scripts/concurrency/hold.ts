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

/** Opens a transaction that has written to the tables what a commit writes. */
export async function heldWrite({ url, schema }: Place): Promise<Hold> {
  const key = "held";
  const statement = `WITH made AS (
      INSERT INTO ${schema}.documents (collection, key, version, claims, indexed, feeds, body, position, nth)
      SELECT $1::text, $2::text, 1, '[]', '{}', jsonb_build_array($3::text), '{}', shift + pg_current_xact_id()::text::bigint, 1
      FROM ${schema}.store RETURNING collection, key, position, nth
    )
    INSERT INTO ${schema}.feeds (feed, collection, key, position, nth, gone)
    SELECT $3::text, collection, key, position, nth, false FROM made`;
  return hold(url, statement, { values: [collection, key, feed], keys: [key] });
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
  // A run that failed for another reason ends the server under it, and that reason is to be told.
  client.on("error", () => undefined);
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
