import type { JsonObject } from "@fieldroll/core";
import { absorb, duplicateDetail } from "./absorb.ts";
import { sameContent, sameRecord, versionOf, withKnownPhoto } from "./content.ts";
import type { FrozenRequest, OutboxEntry, Settled } from "./entry.ts";
import { freeze } from "./freeze.ts";
import { conflictDetail, endAll, park, rebase, rebaseEntry, restated } from "./rebase.ts";
import type { Verdict } from "./verdict.ts";

/** Rebases on the very version that was refused, after which a person looks at it. */
const mostRebases = 3;

/**
 * What a verdict does to an entry and its record: the outcome table of the design. An answer updates base and rebases
 * the rest; it never writes the view. Nothing leaves the outbox but by acceptance or by a merge that leaves nothing.
 *
 * @param at UTC instant
 */
export function settle(entry: OutboxEntry, local: JsonObject, verdict: Verdict, at: string): Settled {
  const { request } = entry;
  if (!request) return { entry, local, ended: [] };
  switch (verdict.kind) {
    case "accepted":
      return accept({ ...entry, request }, local, verdict.record, at);
    case "conflict":
      return conflict({ ...entry, request }, local, verdict.theirs, at);
    case "duplicate": {
      const { detail, existing, theirs } = verdict;
      if (verdict.own && theirs) return accept({ ...entry, request }, local, theirs, at);
      if (isCorrected({ ...entry, request }, local, at)) return refuse(entry, local, detail, at);
      const parked = park("duplicate", detail || duplicateDetail, { existing, theirs, since: at });
      return refuse({ ...entry, parked }, local, detail, at);
    }
    case "rejected": {
      const { detail, errors } = verdict;
      if (isCorrected({ ...entry, request }, local, at)) return refuse(entry, local, detail, at);
      return refuse({ ...entry, parked: park("rejected", detail, { errors, since: at }) }, local, detail, at);
    }
    case "forbidden":
    case "gone": {
      const parked = park(verdict.kind, verdict.detail, { since: at });
      return refuse({ ...entry, parked }, local, verdict.detail, at);
    }
    case "unknown":
      return { entry: putOff(entry, verdict), local, ended: [] };
  }
}

type Sent = OutboxEntry & { readonly request: FrozenRequest };

function accept(entry: Sent, local: JsonObject, answer: JsonObject, at: string): Settled {
  const { request, incoming } = entry;
  const covered = new Set(request.covers);
  const ended = endAll(
    entry.edits.filter((edit) => covered.has(edit.id)),
    "accepted",
  );
  const edits = entry.edits.filter((edit) => !covered.has(edit.id));
  const rest: OutboxEntry = {
    ...entry,
    base: request.sent,
    edits,
    request: null,
    incoming: null,
    attempts: 0,
    rebases: 0,
    nextAttemptAt: null,
    lastAnswer: "accepted",
  };
  if (incoming?.kind === "removed") {
    if (sameContent(local, request.sent)) return { entry: null, local: null, ended };
    return { ...absorb(restated({ ...rest, base: answer }, local), local, incoming, { at }), ended };
  }
  const settled = rebaseEntry(rest, { local, theirs: newest(answer, entry) }, at);
  return { ...settled, ended: [...ended, ...settled.ended] };
}

/** The newest copy known: the answer, or what a pull brought or base says, where those are later. */
function newest(answer: JsonObject, { incoming, base, request }: OutboxEntry): JsonObject {
  const pulled = incoming?.kind === "upsert" ? withKnownPhoto(incoming.record, request?.sent ?? null) : null;
  const newer =
    pulled && sameRecord(pulled, answer) && versionOf(pulled) > versionOf(answer) ? pulled : answer;
  return base && versionOf(base) > versionOf(newer) ? base : newer;
}

function conflict(entry: Sent, local: JsonObject, fetched: JsonObject, at: string): Settled {
  if (entry.incoming?.kind === "removed") return refuse(entry, local, "conflict", at);
  const theirs = newest(fetched, { ...entry, base: null });
  if (isArchived(entry, local, theirs)) {
    const versionId = String(versionOf(theirs));
    const incoming = { kind: "removed", versionId, reason: "archived" } as const;
    return refuse({ ...entry, incoming }, local, "conflict", at);
  }
  const unchanged = versionOf(theirs) === Number(entry.request.ifMatch ?? Number.NaN);
  const rebases = unchanged ? entry.rebases + 1 : 0;
  const rebased = rebase(entry.type, { base: entry.base, local, theirs });
  const next: OutboxEntry = { ...entry, rebases, lastAnswer: "conflict" };
  if (rebases >= mostRebases && rebased.conflicts.length === 0 && !rebased.nothingLeft) {
    const detail =
      "The server keeps refusing this record's version although nobody changed it; try again later.";
    const parked = park("conflict", detail, { theirs, since: at });
    return { entry: { ...next, request: null, incoming: null, parked }, local, ended: [] };
  }
  const detail = rebased.conflicts.length > 0 ? conflictDetail(rebased.conflicts) : "conflict, merged";
  return rebaseEntry({ ...next, lastAnswer: detail }, { local, theirs }, at);
}

/** Whether edits made meanwhile change what is sent, so that the refusal speaks of what is not there any more. */
function isCorrected(entry: Sent, local: JsonObject, at: string): boolean {
  const next = freeze(entry, local, { key: entry.request.key, at });
  return next.kind === "nothing" || next.request.body !== entry.request.body;
}

/** Whether someone else archived the record: merged onto it, the edits would leave with it, and nobody would see them. */
function isArchived({ base, left }: OutboxEntry, local: JsonObject, theirs: JsonObject): boolean {
  return !left && theirs.active === false && base?.active !== false && local.active !== false;
}

/** The request was refused: nothing of it happened. What a pull brought meanwhile is looked at now. */
function refuse(entry: OutboxEntry, local: JsonObject, detail: string, at: string): Settled {
  const { incoming } = entry;
  const free: OutboxEntry = {
    ...entry,
    request: null,
    incoming: null,
    attempts: 0,
    nextAttemptAt: null,
    lastAnswer: detail,
  };
  if (!incoming) return { entry: free, local, ended: [] };
  return absorb(free, local, incoming, { at });
}

function putOff(entry: OutboxEntry, verdict: Verdict & { kind: "unknown" }): OutboxEntry {
  const { detail, nextAttemptAt } = verdict;
  return { ...entry, attempts: entry.attempts + 1, nextAttemptAt, lastAnswer: detail };
}
