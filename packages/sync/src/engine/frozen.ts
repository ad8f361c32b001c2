import type { ResourceType } from "@fieldroll/core";
import { type Known, knownAfter, settleWork } from "../device/commit.ts";
import { epochKnown } from "../device/feed-state.ts";
import { versionOf } from "../model/content.ts";
import type { OutboxEntry } from "../model/entry.ts";
import { freeze } from "../model/freeze.ts";
import { seenPart } from "../model/hidden.ts";
import { endAll } from "../model/rebase.ts";
import type { Settled } from "../model/settled.ts";
import type { SyncContext } from "./context.ts";
import type { Answered } from "./duplicate.ts";

/**
 * The entry with its request, frozen and durable before anything leaves; `null` when there is nothing to send.
 *
 * @param seen the version whose photo may be replaced
 */
export async function frozen(
  context: SyncContext,
  name: { readonly type: ResourceType; readonly key: string },
  seen: number | null = null,
): Promise<Answered | null> {
  const options = await freezing(context);
  let known: Known | null = null;
  let before: OutboxEntry | null = null;
  const decided = await settleWork(context.store, { ...name, at: options.at }, (found) => {
    known = found;
    before = found.entry;
    return freezeIn(found, options, seen);
  });
  return requested(decided ? knownAfter(decided) : known, before);
}

/** A record with its request, and what is known of that. @param before the record until then */
export function requested(
  known: Pick<Known, "entry"> | null,
  before: Pick<OutboxEntry, "request" | "unheard"> | null,
): Answered | null {
  const { entry } = known ?? {};
  if (!entry?.request) return null;
  const repeated = before?.request != null;
  return { ...entry, request: entry.request, repeated, isFirst: !repeated || !isUnheard(before) };
}

/** Whether an attempt at the request has begun whose outcome is not known. */
function isUnheard({ request, unheard }: Pick<OutboxEntry, "request" | "unheard">): boolean {
  return request !== null && request.key === unheard;
}

/** What requests are frozen with; `at` is a UTC instant. */
export interface Freezing {
  readonly newId: () => string;
  readonly at: string;
  readonly serverAt?: string;
  readonly epoch: string | null;
  readonly photos: boolean;
  /** Whether keys go beside references. */
  readonly refersByKey?: boolean;
}

export async function freezing(context: SyncContext): Promise<Freezing> {
  const { store, feeds, api, newId, clock, serverTime, photos } = context;
  const epoch = await epochKnown(store, feeds);
  const refersByKey = await api.refersByKey(false);
  const [now, there] = [clock(), serverTime()];
  // Two looks at one clock are some milliseconds apart.
  const serverAt = Math.abs(there.getTime() - now.getTime()) > 60_000 && { serverAt: there.toISOString() };
  return { newId, at: now.toISOString(), ...serverAt, epoch, photos: photos(), refersByKey };
}

/** The record with its request, and with the note that this leaves; `null` where that is noted already, or there is a decision to wait for. */
export function freezeIn(known: Known, options: Freezing, seen: number | null = null): Settled | null {
  const { entry, local } = known;
  if (isUnheard(entry)) return null;
  const again = entry.request && !entry.parked ? { entry, local, ended: [] } : null;
  const work = freezeWork(known, options, seen) ?? again;
  const { request } = work?.entry ?? {};
  return work?.entry && request ? { ...work, entry: { ...work.entry, unheard: request.key } } : work;
}

/** The record with its request; `null` where there is one already, or a decision to wait for. A photo never replaces one unseen. */
export function freezeWork(
  { entry, local, recordKey, keys = {} }: Known,
  { newId, refersByKey, ...options }: Freezing,
  seen: number | null = null,
): Settled | null {
  if (entry.request || entry.parked) return null;
  const photos = options.photos && (!entry.base || versionOf(entry.base) === seen);
  const work = freeze(entry, local, { key: newId(), ...options, photos, ...(refersByKey && { keys }) });
  if (work.kind === "request") {
    const request = { ...work.request, ...(entry.base && recordKey !== undefined && { recordKey }) };
    return { entry: { ...entry, request }, local, ended: [] };
  }
  return work.kind === "later" ? null : nothingLeft(entry);
}

/** The edits cancelled each other out, or the server has it all by now. */
function nothingLeft(entry: OutboxEntry): Settled {
  return { entry: null, local: entry.base && seenPart(entry.base), ended: endAll(entry.edits, "merged") };
}
