import type { Database } from "better-sqlite3";
import { Connection } from "../client.ts";
import { trigramsTable, writePending } from "../pending-trigrams.ts";

/** FTS5 itself compares an index's trigrams with its texts, as if nothing waited to be written; throws where they differ. */
export function compareTrigrams(client: Database, number: number): void {
  const connection = new Connection(client);
  connection.undone(() => {
    writePending(connection, number);
    const table = trigramsTable(number);
    connection.run(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`);
  });
}
