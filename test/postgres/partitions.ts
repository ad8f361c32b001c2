import { Client } from "pg";

/** By which column each table is parted: docs/scale.md. */
const columns = { documents: "key", entries: "key", feeds: "feed" } as const;
const parts = 4;

/** Lays the tables of an empty store out in partitions by hash, as docs/scale.md says; the indexes keep their names. */
export async function partition(connectionString: string, schema: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query("BEGIN");
    for (const [table, column] of Object.entries(columns)) {
      const name = `${schema}.${table}`;
      const { rows } = await client.query<{ indexdef: string }>(
        "SELECT indexdef FROM pg_indexes WHERE schemaname = $1 AND tablename = $2",
        [schema, table],
      );
      await client.query(`ALTER TABLE ${name} RENAME TO whole`);
      await client.query(
        `CREATE TABLE ${name} (LIKE ${schema}.whole INCLUDING DEFAULTS) PARTITION BY HASH (${column})`,
      );
      for (let part = 0; part < parts; part++) {
        await client.query(
          `CREATE TABLE ${name}_${part} PARTITION OF ${name} FOR VALUES WITH (MODULUS ${parts}, REMAINDER ${part})`,
        );
      }
      await client.query(`DROP TABLE ${schema}.whole`);
      for (const { indexdef } of rows) await client.query(indexdef);
    }
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
}
