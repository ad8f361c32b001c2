import { type DocumentKey, StoreError } from "@fieldroll/core";
import { fromColumn } from "../text.ts";
import type { Connection } from "./client.ts";

/** A document whose row is not as this adapter writes it. Nothing of the row is told: it is about a person. */
export class DamagedDocument extends StoreError {
  /** What is wrong with the row. */
  readonly fault: string;

  /** @param at Written for columns. */
  constructor(at: DocumentKey, fault: string) {
    const { collection, key } = keyAsText(at);
    super(
      "corrupt",
      `The document ${collection} ${JSON.stringify(key)} is damaged: ${fault}. ` +
        "Find out how far with `fieldroll verify`, and restore a backup.",
    );
    this.fault = fault;
  }
}

/** Reads a document's key from columns, also from damaged ones that hold something else than text. */
export function keyAsText({
  collection,
  key,
}: {
  readonly collection: unknown;
  readonly key: unknown;
}): DocumentKey {
  return { collection: textFrom(collection), key: textFrom(key) };
}

/** Reads a text from a column, also from a damaged one that holds something else. */
export function textFrom(column: unknown): string {
  if (column instanceof Uint8Array) return fromColumn(new TextDecoder().decode(column));
  return fromColumn(String(column ?? ""));
}

/** Turns SQLite's word for a damaged row of `documents`, which says nothing about whose it is, into the error that does. */
export function namedDamage(connection: Connection, error: unknown): unknown {
  if (!(error instanceof Error && /malformed JSON/i.test(error.message))) return error;
  const sql = "SELECT collection, key FROM documents WHERE NOT json_valid(indexed) LIMIT 1";
  const row = connection.row<DocumentKey>(sql);
  return row ? new DamagedDocument(row, "the column indexed is no JSON") : error;
}

/** A database without the row that says which store it is, and how far its feeds are: positions could be given out twice. */
export function lacksStoreRow(): StoreError {
  return new StoreError(
    "corrupt",
    "The database lacks the row of the table store, so nothing was written. Examine it with `fieldroll verify`; `fieldroll reindex` " +
      "makes it anew.",
  );
}
