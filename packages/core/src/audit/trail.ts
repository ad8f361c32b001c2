import { failure, type Outcome, success } from "../problem.ts";
import { pagesOf } from "../registry/every-page.ts";
import { isPosition, readCursor, writeCursor } from "../registry/search/cursor.ts";
import type { Settings } from "../registry/settings.ts";
import type { Condition } from "../store/port.ts";
import { auditCollection, auditEntries, shareOf, toSecond } from "./document.ts";
import type { AuditEntry, AuditPage, AuditQuery } from "./types.ts";

const largestPage = 500;

/**
 * Reads the audit trail, oldest first: contract section 3.8. A page holds the entries of up to `limit` documents (default
 * 100, at most 500), so it may be a little longer or shorter.
 */
export async function auditTrail(
  { store }: Pick<Settings, "store">,
  query: AuditQuery,
): Promise<Outcome<AuditPage>> {
  const { limit = 100, cursor } = query;
  const where = conditionsOf(query);
  const belongsTo = `audit\n${JSON.stringify(where)}`;
  const position = cursor === undefined ? success(null) : readCursor(belongsTo, cursor);
  if (!position.ok) return position;
  if (!Number.isInteger(limit) || limit < 1 || limit > largestPage) {
    const given = typeof limit === "string" ? "text" : String(limit);
    const message = `must be a whole number from 1 to ${largestPage}, not ${given}`;
    const errors = [{ field: "limit", code: "invalid_parameter", message }];
    return failure({ kind: "bad-request", detail: `limit ${message}.`, errors });
  }
  const page = await store.query({
    collection: auditCollection,
    where,
    sort: { index: "at" },
    limit,
    ...(isPosition(position.value) && { after: position.value }),
  });
  // Reads of one moment are in several documents.
  const data = page.documents
    .flatMap(auditEntries)
    .filter((entry) => meets(entry, query))
    .sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
  return success({ data, ...(page.next && { nextCursor: writeCursor(belongsTo, { ...page.next }) }) });
}

/**
 * Reads the entries of a record's changes backwards from a version, newest first, without gaps: it ends at the
 * first missing version. Consent entries, which name the record as their subject, are skipped.
 */
export async function* changesBackwards(
  { store, budget }: Pick<Settings, "store" | "budget">,
  record: string,
  newest: number,
): AsyncGenerator<AuditEntry> {
  const where = [
    { index: "record", anyOf: [record] },
    { index: "kind", anyOf: ["change"] },
  ];
  const sort = { index: "at", descending: true };
  // Versions of one instant come in any order.
  const waiting = new Map<number, AuditEntry>();
  let version = newest;
  for await (const documents of pagesOf(store, { collection: auditCollection, where, sort })) {
    for (const entry of documents.flatMap(auditEntries)) {
      if (entry.undo !== undefined && entry.records[0] === record)
        waiting.set(Number(entry.versionId), entry);
    }
    for (let entry = waiting.get(version); entry; entry = waiting.get(version)) {
      yield entry;
      waiting.delete(version);
      version--;
    }
    await budget.pause();
  }
}

function conditionsOf({ record, clientId, from, below }: AuditQuery): readonly Condition[] {
  const span = { ...(from !== undefined && { from: toSecond(from) }), ...(below !== undefined && { below }) };
  return [
    ...(record === undefined ? [] : [{ index: "record", anyOf: [record, shareOf(record)] }]),
    ...(clientId === undefined ? [] : [{ index: "clientId", anyOf: [clientId] }]),
    ...(from === undefined && below === undefined ? [] : [{ index: "at", ...span }]),
  ];
}

/** A document may hold entries of other records and moments. */
function meets(entry: AuditEntry, { record, clientId, from, below }: AuditQuery): boolean {
  return (
    (record === undefined || entry.records.includes(record)) &&
    (clientId === undefined || entry.clientId === clientId) &&
    (from === undefined || entry.at >= from) &&
    (below === undefined || entry.at < below)
  );
}
