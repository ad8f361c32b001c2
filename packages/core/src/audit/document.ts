import type { JsonObject } from "../json.ts";
import type { Document, StoredDocument } from "../store/port.ts";
import type { AuditEntry } from "./types.ts";

/** Where the audit trail is kept. */
export const auditCollection = "audit";

/** The document of one entry, such as that of a change, which commits with it. */
export function auditDocument(entry: AuditEntry, id: string): Document {
  return readAuditDocument([entry], id);
}

/**
 * One document for many entries: a server gathers those of its reads and writes them together, within a second.
 *
 * @param entries one or more, oldest first
 * @param id a new UUIDv7
 */
export function readAuditDocument(entries: readonly AuditEntry[], id: string): Document {
  return {
    collection: auditCollection,
    key: id,
    version: 1,
    body: { entries } as unknown as JsonObject,
    entries: {
      at: momentsOf(entries.map(({ at }) => at)),
      clientId: distinct(entries.map(({ clientId }) => clientId)),
      record: distinct(entries.flatMap(({ records }) => records)),
      kind: distinct(entries.map(({ undo }) => (undo === undefined ? "read" : "change"))),
    },
  };
}

/** The first instant, and the later seconds that have entries: each entry's own instant would be a row for every read. */
function momentsOf([first = "", ...others]: readonly string[]): readonly string[] {
  return [first, ...distinct(others.map(toSecond)).filter((second) => second !== toSecond(first))];
}

/** The second of an instant. As a text it comes before all instants of that second. */
export function toSecond(at: string): string {
  return at.slice(0, 19);
}

/** Reads the entries of a document back. */
export function auditEntries({ body }: StoredDocument): readonly AuditEntry[] {
  return (body as unknown as { readonly entries: readonly AuditEntry[] }).entries;
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
