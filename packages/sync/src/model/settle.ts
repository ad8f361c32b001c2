import type { JsonObject } from "@fieldroll/core";
import { absorb, duplicateDetail } from "./absorb.ts";
import { accept, adopt, type Sent, withArrived, withNews } from "./accept.ts";
import { isUnversioned } from "./accepted.ts";
import { isMadeFor, versionOf } from "./content.ts";
import type { OutboxEntry } from "./entry.ts";
import { isCorrected } from "./freeze.ts";
import { giveBack } from "./given-back.ts";
import { givenUp } from "./given-up.ts";
import { inVain } from "./in-vain.ts";
import { park } from "./park.ts";
import { rebaseEntry } from "./rebase.ts";
import type { Settled } from "./settled.ts";
import type { Verdict } from "./verdict.ts";

/**
 * What a verdict does to an entry and its record: the outcome table of the design. An answer updates base and rebases
 * the rest; it never writes the view. Nothing leaves the outbox but by acceptance or by a merge that leaves nothing.
 *
 * @param at UTC instant
 */
export function settle(entry: OutboxEntry, local: JsonObject, verdict: Verdict, at: string): Settled {
  const { request } = entry;
  if (!request) return { entry, local, ended: [] };
  const settled = decided({ ...entry, request }, local, verdict, at);
  if (verdict.kind === "accepted" || (verdict.kind === "duplicate" && verdict.own)) {
    return { ...settled, recordKey: verdict.recordKey };
  }
  const theirs = verdict.kind === "conflict" ? verdict.theirs : null;
  return settled.accepted || settled.entry?.request
    ? settled
    : withArrived({ ...entry, request }, { settled, theirs, at });
}

function decided(entry: Sent, local: JsonObject, verdict: Verdict, at: string): Settled {
  switch (verdict.kind) {
    case "accepted":
      return accept(entry, local, verdict.record, at);
    case "conflict":
      return conflict(entry, local, verdict, at);
    case "duplicate": {
      const { detail, existing, theirs, recordKey, byOther = false, isMade: isUndone = false } = verdict;
      if (verdict.own && theirs) return adopt({ ...entry, byOther }, local, theirs, at);
      if (!isUndone && isCorrected(entry, local, at)) return refuse(entry, local, detail, at);
      const other = { existing, theirs, isUndone, since: at, ...(recordKey !== undefined && { recordKey }) };
      const parked = park("duplicate", detail || duplicateDetail, other);
      return refuse({ ...entry, parked }, local, detail, at);
    }
    case "rejected": {
      const { kind, ...told } = verdict;
      const parked = park(kind, told.detail, { ...told, named: entry.needs, since: at });
      return refuse(isCorrected(entry, local, at) ? entry : { ...entry, parked }, local, told.detail, at);
    }
    case "forbidden":
    case "gone":
      return turnedAway(entry, local, verdict, at);
    case "unknown":
      if (verdict.isOld && isCorrected(entry, local, at)) return refuse(entry, local, verdict.detail, at);
      return { entry: putOff(entry, verdict), local, ended: [] };
  }
}

/** The record is not there, or not for this person, or can't be looked at; a look may tell so before anything is sent. */
export function turnedAway(
  entry: OutboxEntry,
  local: JsonObject,
  verdict: Verdict & { readonly kind: "forbidden" | "gone" | "rejected" },
  at: string,
): Settled {
  const { kind, detail } = verdict;
  const again = kind === "rejected" && verdict.again ? { again: verdict.again } : {};
  const parked = park(kind, detail, { since: at, ...again });
  const settled = refuse({ ...entry, parked }, local, detail, at);
  return (kind === "gone" && giveBackFormer(settled, at)) || settled;
}

function conflict(
  entry: Sent,
  local: JsonObject,
  verdict: Verdict & { kind: "conflict" },
  at: string,
): Settled {
  if (entry.incoming?.kind === "removed") return refuse(entry, local, "conflict", at);
  const theirs = withNews(verdict.theirs, entry);
  if (isArchived(entry, local, theirs)) {
    const versionId = String(versionOf(theirs));
    const incoming = { kind: "removed", versionId, reason: "archived" } as const;
    return refuse({ ...entry, incoming }, local, "conflict", at);
  }
  const { ifMatch } = entry.request;
  // One that replaces no version, for what is hidden there, is as often refused.
  const replaced = ifMatch === "0" && entry.base ? versionOf(entry.base) : Number(ifMatch ?? Number.NaN);
  const unchanged = versionOf(theirs) === replaced;
  const next: Sent = { ...entry, rebases: unchanged ? entry.rebases + 1 : 0, lastAnswer: "conflict" };
  const parked = inVain(next, { local, theirs }, { ...verdict, at });
  if (parked) return parked;
  const settled = rebaseEntry(verdict.doubtful ? givenUp(next) : next, { local, theirs }, at);
  const lastAnswer = settled.entry?.parked?.detail ?? "conflict, merged";
  return { ...settled, entry: settled.entry && { ...settled.entry, lastAnswer } };
}

/** Whether someone else archived the record: merged onto it, the edits would leave with it, and nobody would see them. */
function isArchived({ base, left }: OutboxEntry, local: JsonObject, theirs: JsonObject): boolean {
  return !left && theirs.active === false && base?.active !== false && local.active !== false;
}

/** What was put away before the server was restored may stand on a record that it lost. */
function giveBackFormer({ entry, local }: Settled, at: string): Settled | null {
  if (!entry || !isUnversioned(entry.base)) return null;
  const { type, key } = entry;
  return giveBack({ type, key, entry, local, accepted: [] }, true, { at, epoch: "" });
}

/** The request was refused: nothing of it happened. What a pull brought meanwhile is looked at now. */
function refuse(entry: OutboxEntry, local: JsonObject, detail: string, at: string): Settled {
  const { incoming, request, base, attempts } = entry;
  if (request && incoming?.kind === "upsert" && base === null && isMadeFor(request.sent, incoming.record)) {
    // An attempt before this one arrived, and what was refused was its repetition.
    return adopt({ ...entry, request, incoming: null }, local, incoming.record, at);
  }
  const mayArrive = attempts > 0 || request?.early;
  const free: OutboxEntry = {
    ...(mayArrive ? givenUp(entry) : entry),
    request: null,
    incoming: null,
    attempts: 0,
    nextAttemptAt: null,
    lastAnswer: detail,
  };
  if (!incoming) return { entry: free, local, ended: [] };
  return absorb(free, local, incoming, { at });
}

/** Work that waits for its next attempt. */
export function putOff(
  entry: OutboxEntry,
  { detail, nextAttemptAt }: Omit<Verdict & { kind: "unknown" }, "kind">,
): OutboxEntry {
  return { ...entry, attempts: entry.attempts + 1, nextAttemptAt, lastAnswer: detail };
}
