import type { JsonObject } from "@fieldroll/core";
import { isNewer, under, versionOf, withKnownPhoto } from "./content.ts";
import type { Incoming, OutboxEntry, Settled } from "./entry.ts";
import { conflictDetail, conflictsOf, park, rebase, rebaseEntry, restated } from "./rebase.ts";

/** When news arrived, and whether older versions count too, because the server's data was restored. */
export interface AbsorbOptions {
  /** UTC instant. */
  readonly at: string;
  readonly restarting?: boolean;
}

/**
 * What a pull's news does to a record with unsent work. While a request's outcome is unknown the news waits for it;
 * else the work is rebased at once, so that conflicts show early, and what left is parked, never dropped.
 */
export function absorb(
  known: OutboxEntry,
  local: JsonObject,
  news: Incoming,
  options: AbsorbOptions,
): Settled {
  const entry = known.left && news.kind === "upsert" ? { ...known, left: false } : known;
  if (entry.request) return keep(entry, local, news, options);
  if (news.kind === "removed") return left(entry, local, news, options);
  const { parked, base } = entry;
  const theirs = withKnownPhoto(news.record, parked?.theirs ?? base);
  if (!isNews(entry, theirs, options)) return { entry, local, ended: [] };
  if (!base) return absorbTwin(entry, local, theirs, options);
  if (parked && parked.reason !== "conflict" && parked.reason !== "gone") {
    return underPark(entry, { local, theirs }, options);
  }
  return rebaseEntry(entry, { local, theirs }, options.at);
}

function isNews(entry: OutboxEntry, theirs: JsonObject, { restarting }: AbsorbOptions): boolean {
  if (entry.parked?.reason === "gone") return true;
  const [base, parked] = [entry.base, entry.parked?.theirs ?? null];
  const known = parked && versionOf(parked) >= versionOf(base) ? parked : base;
  return restarting ? versionOf(theirs) !== versionOf(known) : isNewer(theirs, known);
}

function keep(entry: OutboxEntry, local: JsonObject, news: Incoming, { restarting }: AbsorbOptions): Settled {
  // A record that is hidden from now on, or is seen again, tells no version to compare.
  const sightChanged = isHidden(news) || isHidden(entry.incoming);
  const newer =
    restarting ||
    entry.incoming === null ||
    sightChanged ||
    (news.kind === "upsert" && news.record.meta === undefined) ||
    version(news) >= version(entry.incoming);
  return { entry: newer ? { ...entry, incoming: news } : entry, local, ended: [] };
}

function isHidden(news: Incoming | null): boolean {
  return news?.kind === "removed" && news.reason === "consent";
}

/** The version that a piece of news speaks of. */
function version(news: Incoming): number {
  return news.kind === "upsert" ? versionOf(news.record) : Number(news.versionId) || 0;
}

function left(
  entry: OutboxEntry,
  local: JsonObject,
  news: Incoming & { kind: "removed" },
  { at }: AbsorbOptions,
): Settled {
  if (!entry.base) return withoutTwin(entry, local);
  const detail =
    news.reason === "archived"
      ? "The record was archived on the server; your edits are kept here."
      : "The record left what this device keeps a copy of; your edits are kept here.";
  const parked = park("gone", detail, { since: at });
  return { entry: { ...entry, left: true, parked }, local, ended: [] };
}

/**
 * A record of the server has an identifier of one that was made here and never sent: nobody can know without a person
 * whether they are the same.
 */
function absorbTwin(
  entry: OutboxEntry,
  local: JsonObject,
  theirs: JsonObject,
  { at }: AbsorbOptions,
): Settled {
  const since = entry.parked?.reason === "duplicate" ? entry.parked.since : at;
  const parked = park("duplicate", duplicateDetail, { theirs, since });
  return { entry: { ...entry, parked }, local, ended: [] };
}

/** The other record is not there any more: what was made here may be sent after all. */
function withoutTwin(entry: OutboxEntry, local: JsonObject): Settled {
  const parked = entry.parked?.reason === "duplicate" ? null : entry.parked;
  return { entry: { ...entry, parked }, local, ended: [] };
}

/** A sentence about a duplicate, for people. */
export const duplicateDetail =
  "The server already has a record with one of these identifiers; compare the two and decide.";

/** A record that waits for a correction follows the server, unless that makes a conflict of it. */
function underPark(
  entry: OutboxEntry,
  { local, theirs }: { local: JsonObject; theirs: JsonObject },
  { at }: AbsorbOptions,
): Settled {
  const rebased = rebase(entry.type, { base: entry.base, local, theirs });
  if (rebased.nothingLeft || rebased.conflicts.length > 0) return rebaseEntry(entry, { local, theirs }, at);
  return { entry: restated({ ...entry, base: theirs }, rebased.local), local: rebased.local, ended: [] };
}

/** Looks at a parked conflict again after the person edited the record: it may have become clean. */
export function reconsider(entry: OutboxEntry, local: JsonObject, at: string): Settled {
  const theirs = entry.parked?.theirs;
  if (entry.parked?.reason !== "conflict" || !theirs) return { entry, local, ended: [] };
  const conflicts = conflictsOf(entry, local);
  if (conflicts.length === 0) return rebaseEntry(entry, { local, theirs }, at);
  const parked = { ...entry.parked, detail: conflictDetail(conflicts) };
  return { entry: { ...entry, parked }, local: under(entry.base, local), ended: [] };
}
