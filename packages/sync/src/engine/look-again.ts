import {
  type DocumentKey,
  type JsonObject,
  referenceTo,
  type Store,
  type StoredDocument,
} from "@fieldroll/core";
import { acceptedIn, acceptedKey, isMadeHere } from "../device/accepted.ts";
import { settleWork } from "../device/commit.ts";
import { collections, everyDocument, unchanged } from "../device/documents.ts";
import { epochKnown } from "../device/feed-state.ts";
import { askedItem } from "../device/locate.ts";
import { entryOf } from "../device/outbox.ts";
import { applyPage, fromNoFeed } from "../device/page.ts";
import type { Unmet } from "../device/sweep.ts";
import { isUntold, loadWhole, localIn, meantByUnsent, type Work } from "../device/work.ts";
import { namesAlone } from "../model/absorb.ts";
import { changesLostIn, lostIn } from "../model/accepted.ts";
import { entryId, nameIn } from "../model/entry.ts";
import type { Park } from "../model/park.ts";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import { type Checked, isAbsent } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import { referenceIn } from "./duplicate.ts";
import { isRestarting } from "./restart.ts";
import { stillThere } from "./still-there.ts";
import { type Stop, stopOf } from "./stop.ts";

/** Records of others that are asked for in one run, and the milliseconds between two looks at one. */
export const most = 20;
export const every = 24 * 60 * 60_000;
/** Within that, a person who asks again sees the others. */
const justLooked = 60_000;

/**
 * Looks again at the records that people were shown to compare with their own: they were fetched, and a feed that does not tell of them
 * does not tell either that they changed, or that a consent to see them ended.
 *
 * @returns what kept them from being asked for
 */
export async function lookAtTakers({ store, api, serverTime }: SyncContext): Promise<Stop | null> {
  const now = serverTime();
  const at = now.toISOString();
  const where = [{ index: "state", anyOf: ["parked"] }];
  let looks = 0;
  for await (const document of everyDocument(store, { collection: collections.outbox, where })) {
    const { type, key, parked } = entryOf(document);
    if (!parked || !showsTaker(parked) || !isDue(parked.seenAt ?? parked.since, now)) continue;
    if (++looks > most) break;
    const reply = await api.read(referenceIn(parked.existing ?? "") ?? referenceTo(type, parked.theirs));
    // Noted without an answer too: one that never has any must not keep the others from being asked for.
    await settleWork(store, { type, key, at }, ({ entry, local }) => {
      if (entry.parked?.reason !== "duplicate" || entry.parked.since !== parked.since) return null;
      const known = isAbsent(reply) ? null : entry.parked.theirs;
      const theirs = reply.kind === "value" ? reply.value : known;
      const told = reply.kind === "value" ? reply.recordKey : undefined;
      const seen = { theirs, ...(told !== undefined && { recordKey: told }) };
      return { entry: { ...entry, parked: { ...entry.parked, ...seen, seenAt: at } }, local, ended: [] };
    });
    if (reply.kind !== "value" && reply.kind !== "problem") return stopOf(reply);
  }
  return null;
}

/**
 * Looks again at records that were made here, and are where no feed of this device tells of them: they are replaced, narrowed or let go
 * of as if one did. What has unsent work meets the server by itself. Of records that were forgotten while somebody else had the device,
 * and did not come back, what is kept of them goes where they are not there.
 *
 * @param isAsked whether a person asked for this run: then what is shown is to be up to date after it
 * @returns what kept them from being asked for
 */
export async function lookAtUntold(context: SyncContext, isAsked: boolean): Promise<Stop | null> {
  const { store, serverTime, feeds } = context;
  // Without feeds everything is listed now and then.
  const epoch = await epochKnown(store, feeds);
  const isListed = isPlainEpoch(epoch);
  const isUnread = await isRestarting(context, feeds);
  const needless: DocumentKey[] = [];
  const stops: (Stop | null)[] = [];
  let looks = 0;
  const due = await untoldNotes(store, serverTime(), isAsked ? justLooked : every);
  const meant = due.length > 0 ? await meantByUnsent(store) : new Set<string>();
  for (const document of due) {
    const [work] = await loadWhole(store, [nameIn(document.key)]);
    if (!work || isListed || isTold(work)) {
      needless.push({ collection: document.collection, key: document.key });
      continue;
    }
    const compared = comparedWith(work, epoch, isUnread);
    if (!compared) continue;
    if (++looks > most || isOver(stops)) break;
    stops.push(await lookAtOne(context, { ...work, ...compared, isMeant: isMeant(work, meant) }, document));
  }
  if (needless.length > 0) await store.commit({ remove: needless, durability: "relaxed" });
  return stops.at(-1) ?? null;
}

/**
 * A restored server may lack the record for having lost it. Once it was read anew, whatever was made here is there, or given again; and what is
 * here and lacks something waits until consents show it, while what they hide is to go: it is compared with what was accepted from here.
 *
 * @returns `null` where it is not to be looked at
 */
function comparedWith(work: Work, epoch: string | null, isUnread: boolean): Pick<Looked, "epoch"> | null {
  if (work.outbox || epoch === null) return null;
  const accepted = acceptedIn(work);
  if (isUnread) return lostIn(accepted, epoch).length > 0 ? null : {};
  if (changesLostIn(accepted, epoch).length === 0) return {};
  return work.record ? { epoch } : null;
}

/** Whoever was registered together with what waits here is found again by it alone, should consents hide her until then. */
function isMeant(work: Work, meant: ReadonlySet<string>): boolean {
  return meant.has(work.key) && isMadeHere(work);
}

/** One that gives no answer may be alone in that, which the next tells. */
export function isOver(stops: readonly (Stop | null)[]): boolean {
  const [before, last] = [stops.at(-2), stops.at(-1)];
  return last ? before != null || last.why !== "network" : false;
}

/** What was made here, and no feed had told of, and was not looked at for so long, in milliseconds; what waits longest first. */
async function untoldNotes(store: Store, now: Date, after: number): Promise<readonly StoredDocument[]> {
  const due: StoredDocument[] = [];
  for await (const document of everyDocument(store, { collection: collections.untold }))
    if (isDue(String(document.body), now, after)) due.push(document);
  return due.sort((a, b) => (String(a.body) < String(b.body) ? -1 : 1));
}

/** Whether a feed tells of a record, or nothing is kept of it. */
function isTold(work: Work): boolean {
  return work.record ? !isUntold(work.record) : acceptedIn(work).length === 0;
}

interface Looked {
  readonly isMeant: boolean;
  /** Of the server's data, where what it has is to be compared with what was accepted from here. */
  readonly epoch?: string;
}

async function lookAtOne(
  context: SyncContext,
  work: Work & Looked,
  note: StoredDocument,
): Promise<Stop | null> {
  const at = context.serverTime().toISOString();
  const next = { collection: note.collection, key: note.key, version: note.version + 1, body: at };
  await context.store.commit({ expect: [unchanged(note, note)], put: [next] });
  const record = localIn(work);
  return record ? lookAtRecord(context, { ...work, record }, at) : lookForForgotten(context, work);
}

/** Another one that has its name by now says nothing of it. */
async function lookForForgotten({ store, api }: SyncContext, work: Work): Promise<Stop | null> {
  const { type, key, accepted } = work;
  const reply = await api.read(acceptedIn(work).at(-1)?.reference ?? "");
  if (reply.kind !== "value" && reply.kind !== "problem") return stopOf(reply);
  const isGone = reply.kind === "problem" ? isAbsent(reply) : isArchived(reply, key);
  if (isGone && accepted) {
    const remove = [acceptedKey(type, key), { collection: collections.untold, key: entryId(type, key) }];
    await store.commit({ expect: [unchanged(accepted, accepted)], remove });
  }
  return null;
}

function isArchived(
  { value, recordKey }: Checked<JsonObject> & { readonly kind: "value" },
  key: string,
): boolean {
  return value.active === false && (recordKey === undefined || recordKey === key);
}

async function lookAtRecord(
  context: SyncContext,
  { type, key, record, isMeant, epoch }: Unmet & Looked,
  at: string,
): Promise<Stop | null> {
  const how = { at, restarting: false, ...(epoch !== undefined && { epoch }) };
  const there = await stillThere(context, { type, key, record }, how);
  if (typeof there === "object") return "why" in there ? there : null;
  if (there) return null;
  const reference = referenceTo(type, record);
  const gone = { change: "removed", reason: "not-found", versionId: "0", record: null } as const;
  const item = isMeant
    ? askedItem({ type, key }, reference, namesAlone(type, record))
    : { ...gone, type, key, reference };
  await applyPage(context.store, [item], { ...fromNoFeed, at, restarting: false });
  return null;
}

export function showsTaker(parked: Park): parked is Park & { readonly theirs: NonNullable<Park["theirs"]> } {
  return parked.reason === "duplicate" && parked.theirs !== null;
}

/** Not by the age of a clock that was put back since, either. */
export function isDue(at: string, now: Date, after = every): boolean {
  const age = now.getTime() - Date.parse(at);
  return !(age >= 0 && age < after);
}
