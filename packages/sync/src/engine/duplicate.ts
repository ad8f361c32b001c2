import {
  contentOf,
  identifiersOf,
  isJsonObject,
  type JsonObject,
  type ResourceType,
  referenceTo,
  sameJson,
} from "@fieldroll/core";
import { isMadeFor, mayBeSame, namesMadeFor, sameContent, versionOf } from "../model/content.ts";
import type { FrozenRequest, OutboxEntry } from "../model/entry.ts";
import { isBack } from "../model/hidden.ts";
import { rebase } from "../model/rebase.ts";
import type { Verdict } from "../model/verdict.ts";
import type { Api } from "../transport/api.ts";
import type { WireProblem } from "../transport/reply.ts";
import type { Checked } from "../transport/verdict-in.ts";

/** An entry with the request that is answered; `repeated`: it may have left before. */
export type Answered = OutboxEntry & {
  readonly request: FrozenRequest;
  readonly repeated?: boolean;
  /** Whether no attempt before this one may have had its effect. */
  readonly isFirst?: boolean;
};

/** A record that was fetched. */
type Found = Checked<JsonObject> & { readonly kind: "value" };

/** Fetches the record that has an identifier, or stands for a pair, of one that was to be made. */
export async function readTaker(
  entry: Answered,
  { existing }: Pick<WireProblem, "existing">,
  api: Api,
): Promise<Checked<JsonObject> | null> {
  const address = (existing && referenceIn(existing)) ?? ownReference(entry);
  return address === null ? null : api.read(address);
}

/**
 * What it comes to that such a record is there.
 *
 * @param problem `remembers`: whether the server would have answered this request as it did before, had it made the record
 */
export function duplicateOf(
  entry: Answered,
  reply: Found | null,
  {
    detail,
    existing,
    remembers,
  }: Pick<WireProblem, "detail" | "existing"> & { readonly remembers: boolean } = {
    ...{ detail: "", existing: null, remembers: false },
  },
): Verdict {
  const { value: theirs = null, recordKey } = reply ?? {};
  const own = entry.base === null && theirs !== null && isOwn(entry, theirs);
  const isFirst = entry.attempts === 0 && entry.repeated === false;
  return { kind: "duplicate", detail, existing, theirs, recordKey, own, byOther: remembers || isFirst };
}

/**
 * Looks whether a record got there by an attempt whose answer was lost, before it is sent again to a server that keeps no
 * idempotency keys. Not finding it is no answer: it may be hidden, and the request itself will meet it.
 */
export async function arrivedAlready(entry: Answered, api: Api): Promise<Found | null> {
  const own = ownReference(entry);
  const reply = own === null ? null : await api.read(own);
  return reply?.kind === "value" ? reply : null;
}

/**
 * What it comes to that the server answered a POST with a record that has none of the identifiers that were sent: repeated, it would make
 * one more. Unless it is there under those too, a person has to say what became of it.
 */
export async function madeAnother(entry: Answered, theirs: JsonObject, api: Api): Promise<Verdict> {
  const arrived = await arrivedAlready(entry, api);
  if (arrived) return duplicateOf(entry, arrived);
  const existing = identifiersOf(theirs).length > 0 ? referenceTo(entry.type, theirs) : null;
  const detail = `The server answered with ${existing ?? "a record without an identifier"}, which may be this record: look it up and compare the two. Sent again, it may be registered twice.`;
  return {
    kind: "duplicate",
    detail,
    existing,
    theirs: existing === null ? null : theirs,
    own: false,
    isMade: true,
  };
}

/** Whether a record that answers to the name of a request can't be the one that the request was made of: it may have got the name just now. */
export function isOther({ type, base, request }: Answered, theirs: Found): boolean {
  return base !== null && isAnother({ type, base, recordKey: request.recordKey }, theirs);
}

/** Whether a record that was fetched by the name of one is another one: by their keys where both are known, else by what they say. */
export function isAnother(
  {
    type,
    base,
    recordKey,
  }: { readonly type: ResourceType; readonly base: JsonObject; readonly recordKey: string | undefined },
  { value, recordKey: found }: Found,
): boolean {
  return recordKey !== undefined && found !== undefined ? recordKey !== found : !mayBeSame(type, base, value);
}

/** Whether the server knows a record by numbers alone, of which another record may have any by now. */
export function isNumbered({ type, base }: Pick<OutboxEntry, "type" | "base">): boolean {
  return base !== null && namesMadeFor(type, base).length === 0;
}

/**
 * Looks whether another record has the name by which one is to be changed, where the server compares nothing but its version; or whether
 * that version is another one, of a server that was restored and has gone on to the same number; or whether a consent shows more of it by
 * now than the copy had that was changed. Then it is a conflict as any other.
 *
 * @returns that record, or what kept it from being seen; `null` where the request may leave
 */
export async function givenAway(entry: Answered, api: Api): Promise<Checked<JsonObject> | null> {
  if (!isNumbered(entry) && !(entry.base && addsTo(entry.base, entry.request.sent) && (await api.isPlain())))
    return null;
  const reply = await api.read(entry.request.path.slice(1));
  if (reply.kind !== "value" || isOther(entry, reply)) return reply;
  return isReplaced(entry, reply.value) ? replaced : null;
}

/**
 * Whether a request adds what a copy lacks, takes anything out of it, or changes a list: parts of that may be hidden there. A photo is looked at
 * by itself.
 */
function addsTo(
  { photo: _p, meta: _m, ...base }: JsonObject,
  { photo: _, meta: __, ...sent }: JsonObject,
): boolean {
  if (Object.keys(base).some((member) => sent[member] === undefined)) return true;
  return Object.entries(sent).some(([member, value]) => {
    const before = base[member];
    if (Array.isArray(value)) return !sameJson(before, value);
    return before === undefined || (isJsonObject(before) && isJsonObject(value) && addsTo(before, value));
  });
}

/**
 * Whether a copy is of the version that is to be changed, but not that one. Consents that show less of that say so in the same `meta`; what
 * they show more of is met where it is to be changed.
 */
function isReplaced({ base, request: { ifMatch, sent } }: Answered, theirs: JsonObject): boolean {
  if (base === null || String(versionOf(theirs)) !== ifMatch) return false;
  if (!sameJson(theirs.meta, base.meta)) return !sameContent(theirs, base);
  return Object.entries(contentOf(theirs)).some(
    ([member, value]) => !sameJson(sent[member], base[member]) && !sameJson(value, base[member]),
  );
}

const replaced: WireProblem & { readonly kind: "problem" } = {
  ...{ kind: "problem", status: 409, problem: "conflict" },
  detail: "This version says something else there: the server was restored, or shows more of it by now.",
  ...{ errors: [], existing: null, missingScope: null },
};

/** The reference that an address of the API ends with. */
export function referenceIn(address: string): string | null {
  const match = /(Individual|Group|Program|ProgramMembership)\/[^/].*$/.exec(address);
  return match ? match[0] : null;
}

/** The name that was sent, whatever the record is called here by now. */
function ownReference({ type, base, request }: Answered): string | null {
  return base === null ? referenceTo(type, request.sent) : null;
}

/**
 * It carries an identifier that only this device can have made, or says everything that was to be said; or it is the record that the
 * server had lost, and that another device gave back.
 */
function isOwn(entry: Answered, theirs: JsonObject): boolean {
  const { type, lost, request } = entry;
  const { sent } = request;
  const isFound = lost && identifiersOf(theirs).length > 0 && isBack(sent, entry, theirs);
  return isFound || isMadeFor(sent, theirs) || rebase(type, { base: null, local: sent, theirs }).nothingLeft;
}
