import {
  type JsonObject,
  type ResourceType,
  resourceTypes,
  type Store,
  type StoredDocument,
} from "@fieldroll/core";
import { absorb } from "../model/absorb.ts";
import { isUnversioned, lostIn } from "../model/accepted.ts";
import { namesOf } from "../model/content.ts";
import { nameIn, type OutboxEntry } from "../model/entry.ts";
import { giveBack, hiddenKnown } from "../model/given-back.ts";
import type { Settled } from "../model/settled.ts";
import { acceptedIn, isMadeHere } from "./accepted.ts";
import { twinOf } from "./adopt.ts";
import { commitParts, keptLinks, noParts, releaseClaims, withholding } from "./commit.ts";
import { collections, everyDocument } from "./documents.ts";
import { giveElsewhere } from "./elsewhere.ts";
import { metKeys } from "./feed-state.ts";
import { joiningGivenBack } from "./join.ts";
import { summaries } from "./summaries.ts";
import { waitingItems } from "./waiting.ts";
import { claimsToLeave } from "./whose-claim.ts";
import {
  entryIn,
  isKeyUntold,
  isUntold,
  keyOnServer,
  loadWhole,
  loadWork,
  localIn,
  meantByUnsent,
  serverCopy,
  settledParts,
  type Work,
} from "./work.ts";

/** A record of this device that a pull which started over did not meet, as the server last had it. */
export interface Unmet {
  readonly type: ResourceType;
  /** On this device. */
  readonly key: string;
  readonly record: JsonObject;
}

/** Asks the server about a record: `false` when it is not there, `hidden` when it may be, or what kept it from being asked. */
export type Ask<T> = (left: Unmet) => Promise<boolean | "hidden" | T>;

/** What ending a pull that started over needs to know. */
export interface SweepOptions<T> {
  /** UTC instant. */
  readonly at: string;
  readonly ask: Ask<T>;
  /** Asks the server by the record's key. */
  readonly find: Ask<T>;
  /** Whether the pull's word is enough for none; else it is for all but those that were made here, and that no feed has told of yet. */
  readonly asksAll: boolean;
  /** Of the server's data; `null` where it has none. */
  readonly epoch: string | null;
  /** Whether that is known to be another one than before. */
  readonly isRestored: boolean;
}

/**
 * Ends a pull that started over: what the server did not tell of again is not there any more. Clean records go, records
 * with unsent work are parked, and those made here that the server has not got stay as they are. What a server that was restored
 * had accepted from here is given back to it. The notes of what was met stay too, for the commit that says that the pull is
 * over: without them, the next one would let go of everything.
 *
 * @returns what `ask` was kept by
 */
export async function sweep<T extends object>(store: Store, options: SweepOptions<T>): Promise<T | null> {
  const met = await metKeys(store);
  const isMet = (work: Pick<Work, "key" | "record">) => met.has(keyOnServer(work)) || met.has(work.key);
  const stillThere = await endUnmetWaiting(store, met);
  const meeting = { ...options, stillThere, isMet, meant: await meantByUnsent(store) };
  const stop = await giveAllBack(store, { ...meeting, met });
  if (stop) return stop;
  for (const type of resourceTypes) {
    for await (const document of everyDocument(store, { collection: type })) {
      if (isMet({ key: document.key, record: document })) continue;
      const kept = await sweepOne(store, document, { ...meeting, type });
      if (kept) return kept;
    }
  }
  return null;
}

/** News that waits for a record made here goes where it was not met again. @returns what the others are called */
async function endUnmetWaiting(store: Store, met: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const waiting = [...(await waitingItems(store)).values()];
  const remove = waiting.flatMap(({ key }) =>
    met.has(key) ? [] : [{ collection: collections.waiting, key }],
  );
  if (remove.length > 0) await store.commit({ remove });
  return new Set(
    waiting.flatMap(({ type, key, record }) => (met.has(key) ? namesOf(type, record ?? {}) : [])),
  );
}

/**
 * What was accepted and is not met: of records that were forgotten meanwhile too. What the server has under another name by now is
 * met so.
 */
async function giveAllBack<T extends object>(
  store: Store,
  options: LetGoOptions & Pick<SweepOptions<T>, "find"> & { readonly met: Set<string> },
): Promise<T | null> {
  const { at, epoch, isMet, find, met } = options;
  if (epoch === null) return null;
  for await (const document of everyDocument(store, { collection: collections.accepted })) {
    const accepted = acceptedIn({ accepted: document });
    const name = nameIn(document.key);
    const [work] = lostIn(accepted, epoch).length > 0 ? await loadWork(store, [name]) : [];
    if (!work || isMet(work) || (await giveElsewhere(store, work, document, { at, epoch, isMet }))) continue;
    const record = serverCopy(work);
    const found = record !== null && (await find({ ...name, record }));
    if (typeof found === "object") return found;
    if (found === true) met.add(name.key);
    else await letGo(store, name, { ...options, isHidden: found === "hidden" });
  }
  return null;
}

async function sweepOne<T extends object>(
  store: Store,
  document: StoredDocument,
  {
    asksAll,
    ask,
    meant,
    ...options
  }: LetGoOptions &
    Pick<SweepOptions<T>, "asksAll" | "ask"> &
    Pick<Name, "type"> & { readonly meant: ReadonlySet<string> },
): Promise<T | null> {
  const name = { type: options.type, key: document.key };
  const [work] = await loadWhole(store, [name]);
  // Who was made here and is hidden has no other name: what is unsent could not say whom it means.
  if (work && meant.has(name.key) && isKeyUntold(document) && isMadeHere(work)) return null;
  // Unsent work may have come from elsewhere, upon a record of which no feed here tells.
  const isAsked = asksAll || isUntold(document) || (work && entryIn(work)?.base);
  const record = isAsked && work ? serverCopy(work) : null;
  const there = record ? await ask({ ...name, record }) : false;
  if (typeof there === "object") return there;
  if (there !== true) await letGo(store, name, { ...options, isHidden: there === "hidden" });
  return null;
}

type LetGoOptions = Omit<SweepOptions<object>, "ask" | "find" | "asksAll"> & {
  /** Raw references to records that were met, and wait because one made here has one of their identifiers. */
  readonly stillThere: ReadonlySet<string>;
  readonly isMet: (work: Pick<Work, "key" | "record">) => boolean;
  /** Whether it may be there, and hidden. */
  readonly isHidden?: boolean;
};

type Name = Pick<Unmet, "type" | "key">;

/** Tried until nothing interferes: an edit made meanwhile turns going into being parked. */
async function letGo(store: Store, name: Name, options: LetGoOptions): Promise<void> {
  const withheld = new Set<string>();
  let released = noParts;
  for (let round = 0; round < 20; round++) {
    const [work] = await loadWhole(store, [name]);
    const decided = work && (await unmet(store, work, options));
    if (!work || !decided) return;
    const { settled, others, ...told } = (await joiningGivenBack(store, work, decided, options)) ?? {
      settled: await besideOther(store, work, decided),
      others: [],
    };
    const links = await keptLinks(store, work, settled);
    const isKeyLost = settled.entry?.base === null;
    const parts = withholding(
      settledParts(work, settled, { at: options.at, links, isKeyLost, ...told }),
      withheld,
    );
    const failures = await commitParts(store, [parts, ...others, released]);
    if (!failures) return;
    for (const claim of await claimsToLeave(store, failures, [parts])) withheld.add(claim);
    released = await releaseClaims(store, failures, withheld);
  }
}

async function unmet(store: Store, work: Work, options: LetGoOptions): Promise<Settled | null> {
  const { at, epoch, stillThere, isMet, isHidden } = options;
  const { type } = work;
  const [entry, local] = [entryIn(work), localIn(work)];
  const back = epoch === null ? null : await goneThere(store, work, { ...options, epoch });
  if (back) return back;
  if (!local) return null;
  if (!entry) return { entry: null, local: null, ended: [] };
  const other = otherOf(entry);
  // Sent again, it meets the other record if that is somewhere that this device does not read.
  const twin = await twinOf(store, work, other);
  const isHere = twin !== undefined && isMet(twin);
  const isAlone = other !== null && !isHere && !namesOf(type, other).some((name) => stillThere.has(name));
  if (entry.base ? entry.parked?.reason === "gone" : !isAlone) return null;
  const reason = isHidden ? "consent" : "not-found";
  return absorb(entry, local, { kind: "removed", versionId: "0", reason }, { at });
}

/** What becomes of a record that the server does not have, or says nothing of, and that unsent work or accepted changes stand on. */
async function goneThere(
  store: Store,
  work: Work,
  { at, epoch, isRestored, isHidden = false }: LetGoOptions & { readonly epoch: string },
): Promise<Settled | null> {
  const { type, key } = work;
  const [entry, local] = [entryIn(work), localIn(work)];
  const whole = { type, key, entry, local, accepted: acceptedIn(work) };
  const known = isHidden ? hiddenKnown(whole, at) : whole;
  const isNeeded = async () =>
    entry !== null || (!isHidden && (await needs(store, namesOf(type, local ?? {}))));
  const isLost = isRestored && (await isNeeded());
  const back = giveBack(known, isLost || isUnversioned(entry?.base), { at, epoch });
  // Should it turn out to be there, that is compared as it was accepted, one by one.
  return back && isHidden ? { ...back, kept: whole.accepted } : back;
}

/** The record that one waits for as a duplicate, and may be sent without. */
function otherOf({ parked }: OutboxEntry): JsonObject | null {
  return parked?.reason === "duplicate" && !parked.isUndone ? parked.theirs : null;
}

/**
 * A record to be given back whose name another one on this device has by now: should that turn out to be the same, given back by
 * another device, this one goes when nothing of it is left to send.
 */
async function besideOther(store: Store, work: Work, settled: Settled): Promise<Settled> {
  const { type, key } = work;
  const { entry, local } = settled;
  if (!entry?.lost || entryIn(work)?.base === null) return settled;
  const holders = await store.resolve(namesOf(type, local ?? {}));
  if (!holders.some((holder) => holder && holder.key !== key)) return settled;
  return { ...settled, entry: { ...entry, left: true } };
}

/** Whether unsent work refers to a record by one of these names. */
async function needs(store: Store, names: readonly string[]): Promise<boolean> {
  return (await summaries(store)).some((entry) => entry.needs.some((name) => names.includes(name)));
}
