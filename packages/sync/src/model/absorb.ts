import { type JsonObject, sameJson } from "@fieldroll/core";
import { acceptedOf, isUnversioned, unversioned } from "./accepted.ts";
import { askedOf } from "./asked.ts";
import { isNewer, takesPhoto, tellsVersion, under, versionOf, withKnownPhoto } from "./content.ts";
import { restated, withoutGone } from "./edits.ts";
import type { OutboxEntry } from "./entry.ts";
import { givenUp } from "./given-up.ts";
import { isBack, showing, shownBy, standingOn } from "./hidden.ts";
import type { Incoming } from "./incoming.ts";
import { doneThere, mootPart } from "./moot.ts";
import { newestCopy, park } from "./park.ts";
import { isPlainEpoch } from "./plain-epoch.ts";
import { type Copies, conflictDetail, parkBeside, rebase, rebaseEntry } from "./rebase.ts";
import { lostUnder } from "./redo.ts";
import type { Settled } from "./settled.ts";
import { askedIfUndone, mayBeUndone, parkUndone } from "./undone.ts";

/** When news arrived, and whether older versions count too, because the server's data was restored. */
export interface AbsorbOptions {
  /** UTC instant. */
  readonly at: string;
  readonly restarting?: boolean;
  /** Whether the news is older than what this device had seen, where the base does not say so any more. */
  readonly isOlder?: boolean;
  /** Of the server's data, as the answer with the news says. */
  readonly epoch?: string;
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
  const settled = withoutLostBase(absorbed(known, local, news, options), options);
  const { epoch, at } = options;
  if (news.kind === "removed" || !known.base || epoch === undefined) return settled;
  // What is there already may be here by a request that counts as refused: it is to be given again as if it had been accepted.
  const sent = { sent: local, covers: known.edits.map(({ id }) => id), epoch };
  const done = acceptedOf(known, sent, { answer: news.record, at });
  // Or because a restored server has lost what it takes back, which whoever made that may give it again.
  const { restarting, isOlder = versionOf(known.base) > versionOf(news.record) } = options;
  const isLost = restarting && isOlder;
  const partOf = isLost ? mootPart : doneThere;
  const [part] = done ? partOf(known.type, done, news.record) : [];
  if (!settled.entry)
    return { ...settled, accepted: done && part?.isMoot ? { ...done, isMoot: true } : done };
  // In a conflict the rest stands on what it stood on, and is merged with that once a person has decided.
  const isMet = settled.entry.base !== known.base || settled.entry.parked?.theirs;
  const isMerged = part?.isMoot || (isMet && !known.parked && !known.request);
  return {
    ...settled,
    accepted: settled.accepted ? { ...settled.accepted, epoch } : isMerged ? part : undefined,
  };
}

/**
 * What waits for a person keeps the copy that its edits were made from: after a restore the version that it had is none any more, and a lower
 * number may be a newer one.
 */
function withoutLostBase(settled: Settled, { restarting }: AbsorbOptions): Settled {
  const { entry } = settled;
  if (!restarting || !entry?.base || !entry.parked?.theirs) return settled;
  return { ...settled, entry: { ...entry, base: unversioned(entry.base) } };
}

function absorbed(known: OutboxEntry, local: JsonObject, news: Incoming, options: AbsorbOptions): Settled {
  const found = foundAgain(known, local, news);
  const back = found.left && news.kind === "upsert" ? { ...found, left: false } : found;
  const entry = options.restarting && news.kind === "upsert" ? withoutLostVersion(back, options) : back;
  if (entry.request) return keep(entry, local, news, options);
  if (news.kind === "removed") return left(entry, local, news, options);
  const { parked, base } = entry;
  const theirs = copyIn(news, entry);
  if (!isNews(entry, theirs, options)) return { entry, local, ended: [] };
  if (!base) return absorbTwin(entry, local, theirs, options);
  if (parked && parked.reason !== "conflict" && parked.reason !== "gone") {
    return underPark(entry, { local, theirs }, options);
  }
  const copies = { local, theirs };
  if (parked?.isUndone && !settles(entry, copies)) {
    return parkBeside(entry, local, { ...parked, theirs });
  }
  // With the decision on a conflict alone, what may have been taken back would be sent unasked.
  const isStillAsked = parked?.isUndone ? parkUndone(entry, copies, options.at) : null;
  return (
    isStillAsked ??
    askedIfUnheard(back, entry, copies, options) ??
    askedIfUndone(entry, copies, options.at) ??
    rebaseEntry(entry, copies, options.at)
  );
}

/** A request that was given up with the server's former data may have been made, and taken back before they were copied. */
function askedIfUnheard(
  { request, ...former }: OutboxEntry,
  entry: OutboxEntry,
  copies: Omit<Copies, "base">,
  { at }: AbsorbOptions,
): Settled | null {
  if (!request || !mayBeUndone({ ...former, request }, request, copies.theirs)) return null;
  return parkUndone(entry, { ...copies, doubted: request.sent }, at);
}

/** So may one that was given up because its repetition was refused. */
function askedIfEarlierUndone(
  { earlier, ...entry }: OutboxEntry,
  copies: Omit<Copies, "base">,
  at: string,
): Settled | null {
  const { base } = entry;
  if (!earlier || !base || isUnversioned(base)) return null;
  const given = { sent: earlier.sent, ifMatch: String(versionOf(base)) };
  const { sent: doubted } = earlier;
  return mayBeUndone(entry, given, copies.theirs) ? parkUndone(entry, { ...copies, doubted }, at) : null;
}

/**
 * The server's copy in news. Unsent work on the photo meets the one there when that is looked at, before it is sent; once it waits for a person, a
 * copy that tells less may hide the photo as well.
 */
function copyIn(news: Incoming & { readonly kind: "upsert" }, entry: OutboxEntry): JsonObject {
  const photo = news.photo ?? ((!entry.parked && takesPhoto(entry)) || undefined);
  return withKnownPhoto({ ...news, photo }, newestCopy(entry));
}

/** A record that the server had lost is there again: another device gave it back. Then it is no duplicate of this one. */
function foundAgain(entry: OutboxEntry, local: JsonObject, news: Incoming): OutboxEntry {
  const { lost, request, parked } = entry;
  if (!lost || request || news.kind !== "upsert") return entry;
  if (!isBack(local, entry, news.record)) return entry;
  return {
    ...entry,
    base: lostUnder(entry, lost, news.record),
    lost: null,
    earlier: null,
    parked: parked?.reason === "duplicate" ? null : parked,
  };
}

function isNews(entry: OutboxEntry, theirs: JsonObject, { restarting }: AbsorbOptions): boolean {
  if (entry.parked?.reason === "gone") return true;
  const [base, newest] = [entry.base, newestCopy(entry)];
  const known = newest && versionOf(newest) >= versionOf(base) ? newest : base;
  // Given back to a server that was restored, another copy may have the number of the one that was lost.
  return (
    (restarting === true && !sameJson(theirs.meta ?? null, known?.meta ?? null)) || isNewer(theirs, known)
  );
}

/**
 * A request that replaces a version of a server that was restored: by now its number may be another version's. Whether it had its
 * effect shows in the news, and what it carried is sent anew where it had none.
 */
function withoutLostVersion(entry: OutboxEntry, { epoch }: AbsorbOptions): OutboxEntry {
  if (!entry.request?.ifMatch || (epoch !== undefined && entry.request.epoch === epoch)) return entry;
  return { ...givenUp(entry), incoming: null };
}

function keep(entry: OutboxEntry, local: JsonObject, news: Incoming, { restarting }: AbsorbOptions): Settled {
  // A record that is hidden from now on, or is seen again, tells no version to compare.
  const sightChanged = isHidden(news) || isHidden(entry.incoming);
  const newer =
    restarting ||
    entry.incoming === null ||
    sightChanged ||
    (news.kind === "upsert" && !tellsVersion(news.record)) ||
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

/**
 * Unsent work of a record that turns out to be archived waits for a person: merged onto it, it would leave with it, and nobody would see
 * it. `null` where it is not archived, or was here too.
 */
export function askedIfArchived(
  entry: OutboxEntry,
  local: JsonObject,
  { theirs, at }: { readonly theirs: JsonObject; readonly at: string },
): Settled | null {
  if (theirs.active !== false || local.active === false) return null;
  const parked = park("gone", archivedDetail, { since: at, isArchived: true });
  const { base } = entry;
  const next = {
    ...entry,
    base: base && unversioned(base),
    request: null,
    incoming: null,
    left: true,
    parked,
  };
  return { entry: restated(next, local), local, ended: [] };
}

const archivedDetail = "The record was archived on the server; your edits are kept here.";

function left(
  entry: OutboxEntry,
  local: JsonObject,
  news: Incoming & { kind: "removed" },
  { at }: AbsorbOptions,
): Settled {
  if (!entry.base) return withoutTwin(entry, local);
  const isArchived = news.reason === "archived";
  const detail = isArchived
    ? archivedDetail
    : "The record left what this device keeps a copy of; your edits are kept here.";
  const parked = park("gone", detail, { since: at, ...(isArchived && { isArchived }) });
  const next = { ...entry, left: true, parked };
  if (news.reason !== "consent") return { entry: next, local, ended: [] };
  // Whoever consents to nothing is shown no more than what was changed here, and by which names she goes.
  const shown = parkBeside(next, local, { ...parked, theirs: namesAlone(entry.type, entry.base) });
  // What is typed now is typed upon nothing: what is there is to be met, should it be shown again.
  const base = showing(shown.entry?.base ?? entry.base, []);
  return { ...shown, entry: shown.entry && { ...shown.entry, base, parked } };
}

/** A record of which nothing is shown but what it goes by. */
export function namesAlone(of: OutboxEntry["type"], { type = of, identifier = [] }: JsonObject): JsonObject {
  return { type, identifier };
}

/** A record as it is shown while news waits for the outcome of a request: what consents hide goes at once, but for what was changed here. */
export function shownMeanwhile(entry: OutboxEntry, local: JsonObject): JsonObject {
  return meanwhile(entry, local).local ?? local;
}

/** The same, with the unsent work as it is shown. */
export function meanwhile(entry: OutboxEntry, local: JsonObject): Pick<Settled, "entry" | "local"> {
  const { type, base, incoming } = entry;
  if (!base || !incoming) return { entry, local };
  const theirs = incoming.kind === "upsert" ? copyIn(incoming, entry) : namesAlone(type, base);
  // A server that does not say what it shows leaves out what it hides, and what is not there.
  const tells = shownBy(theirs) !== undefined || isPlainEpoch(entry.request?.epoch ?? null);
  if (!(incoming.kind === "upsert" ? tells : isHidden(incoming))) return { entry, local };
  return parkBeside(entry, local, { ...park("gone", "", { since: "" }), theirs });
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

/** The other record is not there any more: what was made here may be sent after all, unless it may be that one. */
function withoutTwin(entry: OutboxEntry, local: JsonObject): Settled {
  const { parked } = entry;
  const alone = parked?.isUndone ? { ...parked, theirs: null } : null;
  return { entry: { ...entry, parked: parked?.reason === "duplicate" ? alone : parked }, local, ended: [] };
}

/** A sentence about a duplicate, for people. */
export const duplicateDetail =
  "The server already has a record with one of these identifiers; compare the two and decide.";

/** Whether a newer copy says it all, or makes a conflict of it: what may have been taken back waits for a person till then. */
function settles(entry: OutboxEntry, { local, theirs }: { local: JsonObject; theirs: JsonObject }): boolean {
  const { nothingLeft, conflicts } = rebase(entry.type, { ...askedOf(entry), local, theirs });
  return nothingLeft || conflicts.length > 0;
}

/** A record that waits for a correction follows the server, unless that makes a conflict of it. */
function underPark(
  entry: OutboxEntry,
  { local, theirs }: { local: JsonObject; theirs: JsonObject },
  { at }: AbsorbOptions,
): Settled {
  if (settles(entry, { local, theirs })) return rebaseEntry(entry, { local, theirs }, at);
  const undone = askedIfEarlierUndone(entry, { local, theirs }, at);
  if (undone) return undone;
  const rebased = rebase(entry.type, { base: entry.base, local, theirs });
  const base = standingOn(entry.type, theirs, { base: entry.base, local });
  const next = withoutGone({ ...entry, base, earlier: null }, local, rebased.local);
  return { entry: restated(next, rebased.local), local: rebased.local, ended: [] };
}

/**
 * Looks at a parked conflict again after the person edited the record: it may have become clean. Not so what may have been made and taken
 * back, which an edit of something else says nothing about.
 */
export function reconsider(entry: OutboxEntry, local: JsonObject, at: string): Settled {
  const { parked, type, base } = entry;
  const theirs = parked?.theirs;
  if (parked?.reason !== "conflict" || !theirs) return { entry, local, ended: [] };
  const { conflicts, nothingLeft } = rebase(type, { ...askedOf(entry), local, theirs });
  if (parked.isUndone && !nothingLeft) return { entry, local, ended: [] };
  if (conflicts.length === 0) return rebaseEntry(entry, { local, theirs }, at);
  const next = { ...parked, detail: conflictDetail };
  return { entry: { ...entry, parked: next }, local: under(base, local), ended: [] };
}
