import { applyMergePatch, type JsonObject } from "@fieldroll/core";
import { absorb, askedIfArchived } from "./absorb.ts";
import { acceptedOf, unversioned } from "./accepted.ts";
import { askedNoMore } from "./asked.ts";
import { isMadeFor, sameContent, tellsVersion, under, versionOf, withKnownPhoto } from "./content.ts";
import { restated } from "./edits.ts";
import type { FrozenRequest, OutboxEntry } from "./entry.ts";
import { doneThere } from "./moot.ts";
import { endAll, rebase, rebaseEntry } from "./rebase.ts";
import { arrivedUpon, lostUnder } from "./redo.ts";
import type { Settled } from "./settled.ts";

/** An entry whose request was answered. */
export type Sent = OutboxEntry & { readonly request: FrozenRequest };

/**
 * The record is there already: by this request, whose first answer got lost; by one before it that was refused, and had less to say;
 * or by one of another device, or of this one in a state that it has lost, which had taken in the same work. What that one did not say
 * is still to be sent. Where nobody can know which it was, what both say stays, and a person decides the rest.
 *
 * @param sent `byOther`: whether it can't have been this request
 */
export function adopt(
  { byOther = false, ...entry }: Sent & { readonly byOther?: boolean },
  local: JsonObject,
  theirs: JsonObject,
  at: string,
): Settled {
  const { request, earlier, lost } = entry;
  if (lost) {
    const base = lostUnder(entry, lost, theirs);
    const found = { ...entry, base, lost: null, earlier: null };
    return askedIfArchived(found, local, { theirs, at }) ?? rebaseEntry(found, { local, theirs }, at);
  }
  const before = earlier ?? carriedAlone(entry);
  const isByThis = !before && !byOther;
  if (isByThis || sameContent(request.sent, theirs)) return accept(entry, local, theirs, at);
  if (before && sameContent(before.sent, theirs)) {
    return accept({ ...entry, request: { ...request, ...before } }, local, theirs, at);
  }
  // Made under an identifier of its own, it is this one, whatever others have changed of it since.
  const isOwn = before && isMadeFor(before.sent, theirs);
  const nothing = under(unversioned(theirs), {});
  const sent = isOwn ? [before.sent, ...(before.later ?? [])] : [];
  const base = isOwn ? arrivedUpon(entry.type, nothing, { sent, theirs }) : entry.base;
  return rebaseEntry({ ...entry, base, request: null, incoming: null }, { local, theirs }, at);
}

/** What another device may have made of a file, where this request says more than that. */
function carriedAlone({ request: { covers, key: _, ...request }, edits }: Sent): OutboxEntry["earlier"] {
  const covered = edits.filter(({ id }) => covers.includes(id));
  const carried = covered.filter((edit) => edit.carried);
  if (carried.length === 0 || carried.length === covered.length) return null;
  const sent = carried.reduce<JsonObject>(
    (made, { patch }) => applyMergePatch(made, patch) as JsonObject,
    {},
  );
  return { ...request, sent, covers: carried.map(({ id }) => id) };
}

/** The server made the change: its answer is the new base, and what was edited meanwhile goes on top of that. */
export function accept(entry: Sent, local: JsonObject, answer: JsonObject, at: string): Settled {
  const { request, incoming } = entry;
  const covered = new Set(request.covers);
  const ended = endAll(
    entry.edits.filter((edit) => covered.has(edit.id)),
    "accepted",
  );
  const edits = entry.edits.filter((edit) => !covered.has(edit.id));
  const rest: OutboxEntry = {
    ...askedNoMore(entry),
    base: request.sent,
    edits,
    request: null,
    earlier: null,
    lost: null,
    incoming: null,
    attempts: 0,
    rebases: 0,
    nextAttemptAt: null,
    lastAnswer: "accepted",
  };
  const accepted = acceptedOf(entry, request, { answer, at });
  if (incoming?.kind === "removed") {
    if (sameContent(local, request.sent)) return { entry: null, local: null, ended };
    // What a file had of it may lack what the answer has: nobody here took that out.
    const { local: left, stands } = rebase(entry.type, { base: request.sent, local, theirs: answer });
    return {
      ...absorb(restated({ ...rest, base: stands }, left), left, incoming, { at }),
      ended,
      accepted,
    };
  }
  const settled = rebaseEntry(rest, { local, theirs: newest(answer, entry) }, at);
  return { ...settled, ended: [...ended, ...settled.ended], accepted };
}

/**
 * A request that counts as refused, and has had its effect: its answer was lost, and news or the refusal itself has what it said. Then
 * it is one that the server accepted, to be given to it again should it lose that. So is the part of it that others made too.
 */
export function withArrived(
  entry: Sent,
  {
    settled,
    theirs,
    at,
  }: { readonly settled: Settled; readonly theirs: JsonObject | null; readonly at: string },
): Settled {
  const { type, base, request, incoming } = entry;
  const there = theirs ?? (incoming?.kind === "upsert" ? incoming.record : null);
  if (!base || !there) return settled;
  const done = acceptedOf(entry, request, { answer: there, at });
  const isAll = rebase(type, { base, local: request.sent, theirs: there }).nothingLeft;
  const [accepted] = isAll ? [done] : done ? doneThere(type, done, there) : [];
  return accepted ? { ...settled, accepted } : settled;
}

/** The newest copy known: the answer, or what a pull brought or base says, where those are later. One whose version consents hide by now is. */
function newest(answer: JsonObject, entry: OutboxEntry): JsonObject {
  if (!tellsVersion(answer)) return answer;
  const newer = withNews(answer, entry);
  return entry.base && versionOf(entry.base) > versionOf(newer) ? entry.base : newer;
}

/**
 * A copy that the server gave, or what a pull brought, where that is later. What it brought of a record that the server did not have may
 * be of another one that has one of its identifiers, or had it: that waits beside the entry too, until it is known whose it is.
 */
export function withNews(copy: JsonObject, { incoming, base, request }: OutboxEntry): JsonObject {
  if (incoming?.kind !== "upsert" || base === null) return copy;
  const pulled = withKnownPhoto(incoming, request?.sent ?? null);
  return versionOf(pulled) > versionOf(copy) ? pulled : copy;
}
