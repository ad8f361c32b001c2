import {
  contentOf,
  isJsonObject,
  type JsonObject,
  printRaw,
  rawReference,
  type Store,
  wireForm,
} from "@fieldroll/core";
import { oldestEdit } from "../model/edits.ts";
import { entryState, type OutboxEntry } from "../model/entry.ts";
import { printedConflict } from "../model/in-print.ts";
import { conflictsOf } from "../model/rebase.ts";
import type { ParkedRecord, UnsentRecord } from "../types.ts";
import { collections, everyDocument } from "./documents.ts";
import { entryOf } from "./outbox.ts";
import { addressOf, loadWork, localIn, type Work } from "./work.ts";

/** Every record that waits for a person, the longest waiting first. */
export async function parkedRecords(store: Store): Promise<readonly ParkedRecord[]> {
  const where = [{ index: "state", anyOf: ["parked"] }];
  const found: ParkedRecord[] = [];
  const query = { collection: collections.outbox, where, sort: { index: "since" } };
  for await (const document of everyDocument(store, query)) {
    const entry = entryOf(document);
    const [work] = await loadWork(store, [entry]);
    const parked = work && parkedIn(work);
    if (parked) found.push(parked);
  }
  return found;
}

/** Every record with unsent work, by its oldest change. */
export async function unsentRecords(store: Store): Promise<readonly UnsentRecord[]> {
  const found: UnsentRecord[] = [];
  const query = { collection: collections.outbox, sort: { index: "since" } };
  for await (const document of everyDocument(store, query)) {
    const entry = entryOf(document);
    const [work] = await loadWork(store, [entry]);
    if (!work || !localIn(work)) continue;
    found.push({
      type: entry.type,
      reference: printRaw(addressOf(work, rawReference(entry.reference))),
      state: entryState(entry),
      isNew: entry.base === null,
      since: oldestEdit(entry),
    });
  }
  return found;
}

/** What a person is to decide about a record, if anything. */
export function parkedIn(work: Work): ParkedRecord | null {
  const entry = work.outbox ? entryOf(work.outbox) : null;
  const local = localIn(work);
  if (!entry?.parked || !local) return null;
  const { reason, detail, errors, existing, theirs, since, isArchived, households } = entry.parked;
  return {
    type: entry.type,
    reference: printRaw(addressOf(work, rawReference(entry.reference))),
    reason,
    detail,
    conflicts: conflictsOf(entry, local).map((conflict) => printedConflict(entry.type, conflict)),
    errors,
    ...(existing !== null && { existing }),
    ...(isArchived && { isArchived }),
    ...(households && { households }),
    base: wire(entry, entry.base),
    ours: wireForm(entry.type, contentOf(local)),
    theirs: wire(entry, theirs),
    written: writtenOf(theirs),
    revision: revisionOf(work),
    since,
  };
}

/**
 * Changes with everything that a person would want to have seen before deciding. Documents are counted from 1 again when the device
 * changes hands or a record comes back: so whose edits these are, and beside which copy they wait, is told too.
 */
export function revisionOf(work: Work): string {
  const { edits, parked } = work.outbox ? entryOf(work.outbox) : noWork;
  const { versionId = "", lastUpdated = "" } = isJsonObject(parked?.theirs?.meta) ? parked.theirs.meta : {};
  const counted = [work.outbox, work.record].map((document) => document?.version ?? 0);
  return [...counted, edits.at(-1)?.id, versionId, lastUpdated].join("/");
}

const noWork: Pick<OutboxEntry, "edits" | "parked"> = { edits: [], parked: null };

function writtenOf(theirs: JsonObject | null): ParkedRecord["written"] {
  const { lastUpdated, source } = isJsonObject(theirs?.meta) ? theirs.meta : {};
  return typeof lastUpdated === "string" && typeof source === "string"
    ? { at: lastUpdated, by: source }
    : null;
}

function wire({ type }: OutboxEntry, record: JsonObject | null): JsonObject | null {
  return record && wireForm(type, contentOf(record));
}
