import type { JsonObject } from "../json.ts";
import type { Document, StoredDocument } from "../store/port.ts";
import type { AuditEntry } from "./types.ts";

/** Where the audit trail is kept. */
export const auditCollection = "audit";

/** The document of one entry, such as that of a change, which commits with it. */
export function auditDocument(entry: AuditEntry, id: string): Document {
  return documentOf([entry], { id });
}

/** So few reads are found by the record itself, in one document. */
const few = 64;
/** Of more, one document has those of a share of all records. The number is written down with the documents: it never changes. */
const shares = 64;
/** Most entries of a document. */
const largest = 250;

/**
 * Documents for many entries: a server gathers those of its reads and writes them together, within a second.
 *
 * The index by which a record's reads are found is in order of records. With a value for each record that is read, every read
 * would write a page of it somewhere else, at ten times the price of its entry. So where there are many reads, each document has
 * those of one of 64 shares of the records, and the index its share only: whoever asks for a record reads a 64th of the busy times.
 *
 * @param entries oldest first
 * @param newId makes a new UUIDv7
 */
export function readAuditDocuments(entries: readonly AuditEntry[], newId: () => string): readonly Document[] {
  const groups = new Map<string, AuditEntry[]>();
  for (const entry of entries) {
    const [record = "", ...others] = entry.records;
    const group = entries.length > few && others.length === 0 ? shareOf(record) : "";
    const own = groups.get(group);
    if (own) own.push(entry);
    else groups.set(group, [entry]);
  }
  return [...groups].flatMap(([share, own]) =>
    chunks(own).map((part) => documentOf(part, { id: newId(), ...(share !== "" && { share }) })),
  );
}

/** Under which value a record's reads are found, where there are many: FNV-1a of it, as one of the shares. */
export function shareOf(record: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < record.length; at++) {
    hash = Math.imul(hash ^ record.charCodeAt(at), 0x01000193) >>> 0;
  }
  return `share/${((hash ^ (hash >>> 16)) >>> 0) % shares}`;
}

function chunks(entries: readonly AuditEntry[]): readonly (readonly AuditEntry[])[] {
  const count = Math.ceil(entries.length / largest);
  return Array.from({ length: count }, (_, nth) => entries.slice(nth * largest, (nth + 1) * largest));
}

function documentOf(
  entries: readonly AuditEntry[],
  { id, share }: { readonly id: string; readonly share?: string },
): Document {
  return {
    collection: auditCollection,
    key: id,
    version: 1,
    body: { entries } as unknown as JsonObject,
    entries: {
      at: momentsOf(entries.map(({ at }) => at)),
      clientId: distinct(entries.map(({ clientId }) => clientId)),
      record: share === undefined ? distinct(entries.flatMap(({ records }) => records)) : [share],
      kind: distinct(entries.map(({ undo }) => (undo === undefined ? "read" : "change"))),
    },
  };
}

/** The first instant, and the later seconds that have entries: each entry's own instant would be a row for every read. */
function momentsOf([first = "", ...others]: readonly string[]): readonly string[] {
  return [first, ...distinct(others.map(toSecond)).filter((second) => second !== toSecond(first))];
}

/** The document of the same entries once more: found by their share where it was and they are of one, else by their records. */
export function auditDocumentAgain(stored: StoredDocument): Document {
  const entries = auditEntries(stored);
  const [share = ""] = stored.entries.record ?? [];
  const shared = entries.every(({ records }) => records.length === 1 && shareOf(records[0] ?? "") === share);
  return documentOf(entries, { id: stored.key, ...(shared && { share }) });
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
