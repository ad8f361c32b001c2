import { type DocumentKey, StoreError } from "@fieldroll/core";
import { fromColumn } from "../text.ts";
import type { Connection } from "./client.ts";

/** A document whose row is not as this adapter writes it. Nothing of the row is told: it is about a person. */
export class DamagedDocument extends StoreError {
  /** What is wrong with the row. */
  readonly fault: string;

  /** @param at Written for columns. */
  constructor({ collection, key }: DocumentKey, fault: string) {
    super(
      "corrupt",
      `The document ${fromColumn(collection)} ${JSON.stringify(fromColumn(key))} is damaged: ${fault}. ` +
        "Find out how far with `fieldroll verify`, and restore a backup.",
    );
    this.fault = fault;
  }
}

/** Turns SQLite's word for a damaged row of `documents`, which says nothing about whose it is, into the error that does. */
export function namedDamage(connection: Connection, error: unknown): unknown {
  if (!(error instanceof Error && /malformed JSON/i.test(error.message))) return error;
  const sql = "SELECT collection, key FROM documents WHERE NOT json_valid(indexed) LIMIT 1";
  const row = connection.row<DocumentKey>(sql);
  return row ? new DamagedDocument(row, "the column indexed is no JSON") : error;
}
