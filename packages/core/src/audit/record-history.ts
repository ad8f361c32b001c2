import { sees, visiblePart } from "../consent/visibility.ts";
import { type Json, type JsonObject, jsonBytes } from "../json.ts";
import type { VisibleRecord } from "../registry/find-visible.ts";
import { wireForm } from "../registry/record/stored.ts";
import type { Settings } from "../registry/settings.ts";
import { versionOf } from "../registry/write/precondition.ts";
import { historyEntry } from "./history.ts";
import { changesBackwards } from "./trail.ts";
import type { HistoryEntry } from "./types.ts";
import { undone } from "./undo.ts";

/** Which versions are wanted. */
export interface HistoryRequest {
  /** At most so many. */
  readonly limit: number;
  /** Only versions below this one. */
  readonly below: number;
}

/** A page of versions. */
export interface Versions {
  readonly data: readonly HistoryEntry[];
  /** The oldest version of the page, where there are earlier ones to read. */
  readonly next?: number;
  readonly complete?: false;
}

/**
 * Reads a page of a record's versions, newest first, from its present state and the audit trail. Each version names its author and its
 * instant, which are `meta`: a caller that does not see `meta` gets no versions. The page also ends where the budget is spent.
 *
 * A version is known only by undoing all later ones, so each page reads the entries of the pages before it again. Versions that a
 * request can't reach within its budget are not told, and `complete` is false.
 */
export async function recordHistory(
  settings: Settings,
  { stored, visibility }: VisibleRecord,
  { limit, below }: HistoryRequest,
): Promise<Versions> {
  if (!sees(visibility, "meta")) return { data: [] };
  const { budget, namespace } = settings;
  const { type, key, record } = stored;
  const seen = (state: JsonObject | null) => (state ? visiblePart(wireForm(type, state), visibility) : {});
  const data: HistoryEntry[] = [];
  const { meta: _, ...present } = record;
  let state: JsonObject | null = present;
  const newest = Number(versionOf(record));
  let version = newest + 1;
  let after: JsonObject | undefined;
  for await (const entry of changesBackwards(settings, `${type}/${key}`, newest)) {
    if (data.length >= limit || (version <= newest && budget.isSpent())) break;
    budget.spendRecords(1);
    version--;
    const former: JsonObject | null = state && undone(state, entry.undo ?? null);
    if (version < below) {
      const before = seen(former);
      const told = historyEntry(entry, namespace, { before, after: after ?? seen(state) });
      budget.spendBytes(jsonBytes(told as unknown as Json));
      data.push(told);
      after = before;
      await budget.pause();
    }
    state = former;
  }
  if (state === null) return { data };
  const isCut = data.length >= limit || (data.length > 0 && budget.isSpent());
  return isCut ? { data, next: version } : { data, complete: false };
}
