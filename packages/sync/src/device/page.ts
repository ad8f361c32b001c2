import type { Failure, Links, Store } from "@fieldroll/core";
import type { Settled } from "../model/settled.ts";
import { hasAccepted, loadAccepted } from "./accepted.ts";
import {
  type Apart,
  apartOf,
  besideMade,
  comparedNoMore,
  comparedWith,
  joiningPulled,
  ledToOne,
  unlessWritten,
} from "./apart.ts";
import { commitParts, noParts, releaseClaims, withholding } from "./commit.ts";
import { collections } from "./documents.ts";
import { type LocateOptions, locate, type PulledItem } from "./locate.ts";
import type { Told } from "./naming.ts";
import { ledHere, pageLinks, pageNames } from "./page-people.ts";
import { freeRefused } from "./refused.ts";
import { scopeParts } from "./scope.ts";
import { type News, settleItem } from "./settle-item.ts";
import {
  comparedHere,
  hasLeft,
  type Met,
  shownBeside,
  waitingItems,
  waitingKey,
  waitingParts,
} from "./waiting.ts";
import { claimsToLeave, eachOnce } from "./whose-claim.ts";
import { type CommitParts, entryIn, loadWork, settledParts, type Work } from "./work.ts";

/** What applying a page needs to know. */
export interface PageOptions extends News {
  /** Whether a record may be told in several of the feeds read here, so that leaving one is not leaving. */
  readonly tracked: boolean;
  /** Whether the feed was never read to its end, so that most of this is new here. */
  readonly first: boolean;
  /** Who has the names in a record that was asked for by itself, as far as that was asked for too. */
  readonly told?: readonly Told[];
  /** What commits together with the page: the cursor that comes after it. */
  readonly with: CommitParts;
}

/** What is asked for by itself is no page of a feed. */
export const fromNoFeed = { feed: "", tracked: false, first: false, with: noParts };

const rounds = 20;

/**
 * Writes a page of a feed, and its cursor, in one commit. Clean records are replaced, records with unsent work absorb the
 * news, and what left goes unless it has unsent work.
 */
export async function applyPage(
  store: Store,
  items: readonly PulledItem[],
  options: PageOptions,
): Promise<boolean> {
  const met = new Map<string, Set<string>>();
  const withheld = new Set<string>();
  let released = noParts;
  let trusting = true;
  for (let round = 0; round < rounds; round++) {
    const { writers, notes } = await pageParts(store, items, { ...options, met, trusting });
    const written = eachOnce(writers).map((part) => withholding(part, withheld));
    const parts = [...written, ...notes];
    const urgent = parts.some((part) => [...part.put, ...part.remove].some(isOutbox));
    const failures = await commitParts(store, [...parts, released, options.with], {
      durability: urgent ? "strict" : "relaxed",
    });
    if (!failures) return true;
    if (failures.some(isOvertaken)) return false;
    if (trusting) {
      trusting = false;
      continue;
    }
    for (const claim of await claimsToLeave(store, failures, written)) withheld.add(claim);
    const others = await meetMade(store, failures, { writers, met });
    released = await releaseClaims(store, others, withheld);
  }
  return false;
}

function isOutbox({ collection }: { readonly collection: string }): boolean {
  return collection === collections.outbox;
}

/** Another reader of the same feed was faster. */
function isOvertaken(failure: Failure): boolean {
  if (failure.kind !== "expectation" || failure.expectation.kind === "free") return false;
  return failure.expectation.collection === collections.sync;
}

type PartsOptions = PageOptions & Omit<LocateOptions, "redirects"> & { readonly met: Met };

async function pageParts(store: Store, page: readonly PulledItem[], options: PartsOptions) {
  const [waiting, led, compared] = await Promise.all([
    waitingItems(store),
    ledHere(store, page),
    page.length > 0 ? comparedHere(store) : [],
  ]);
  const hidden = await shownBeside(store, led, { waiting, compared });
  const apart = await apartOf(store, led, { ...options, hidden });
  const told = ledToOne(led, apart);
  const [located, scope] = await Promise.all([
    locatedWithAccepted(store, told, { ...options, redirects: apart.redirects }),
    scopeParts(store, told, options),
  ]);
  // A name that two of these have is that of the latter, whom the server calls so.
  const beside = comparedWith(told, located, apart);
  const items = [...beside.map(({ item }) => item), ...told];
  const works = [...beside.map(({ work }) => work), ...located];
  const names = await pageNames(store, items, { works, options });
  const leaving = items.map((item, i) => mayBeTold(item, works[i], options));
  const decided = items.map((item, i) => {
    const [work, called] = [works[i], names[i]];
    const stays = scope.staying.has(item.key) || leaving[i];
    if (!work || !called || stays) return null;
    const news = { ...options, ...(item.epoch && { epoch: item.epoch }), there: called };
    return (i < beside.length && comparedNoMore(item, work)) || settleItem(item, work, news);
  });
  const { settled, others } = await joiningPulled(store, items, { works, decided, apart, at: options.at });
  const links = await pageLinks(store, items, { works, settled });
  const writers = items.flatMap((item, i): readonly Writer[] => {
    const [work, outcome] = [works[i], settled[i]];
    const isCompared = i < beside.length;
    if (!work || !outcome) {
      const isLocated = work !== null && names[i] !== null;
      const isUntouched = isCompared || scope.staying.has(item.key);
      return isUntouched ? [] : unwritten(item, { isLocated, leaves: leaving[i] === true });
    }
    const how = { apart, isCompared, at: options.at, links: links[i] ?? {} };
    return [writerOf(item, { work, outcome }, how)];
  });
  const written = writers.map(({ parts }) => parts);
  const joined = others.map((parts) => unlessWritten(parts, written));
  const noted = waitingParts(
    waiting,
    writers.filter((each) => !each.isCompared),
    options.epoch,
  );
  return { writers, notes: [...joined, scope.parts, noted] };
}

/** What an item that was decided on writes. While others made here have its record's names, it waits for these. */
function writerOf(
  item: PulledItem,
  { work, outcome }: { readonly work: Work; readonly outcome: Settled },
  {
    apart,
    isCompared,
    ...how
  }: {
    readonly apart: Apart;
    readonly isCompared: boolean;
    readonly at: string;
    readonly links: Links;
  },
): Writer {
  const isUnsent = outcome.entry?.base === null;
  const { withheld, waits } = besideMade(item, work, apart);
  const keys = !isUnsent && outcome.local ? keysTold(item) : {};
  const parts = settledParts(work, outcome, { ...how, ...keys, withheld });
  return { item, parts, isCompared, waits: item.change === "upsert" && (isUnsent || waits) };
}

/** What an item tells of its record's key. */
function keysTold({ key, keyless, askedBy }: PulledItem) {
  if (!keyless) return { serverKey: key };
  return { keyless: key, ...(askedBy !== undefined && { askedBy }) };
}

async function locatedWithAccepted(
  store: Store,
  items: readonly PulledItem[],
  options: LocateOptions,
): Promise<readonly (Work | null)[]> {
  const [works, isKept] = await Promise.all([locate(store, items, options), hasAccepted(store)]);
  if (!isKept) return works;
  const present = works.flatMap((work) => work ?? []);
  const whole = await loadAccepted(store, present);
  const read = new Map(present.map((work, i) => [work, whole[i]]));
  return works.map((work) => work && (read.get(work) ?? work));
}

/** What one item writes. */
interface Writer {
  readonly item: PulledItem;
  readonly parts: CommitParts;
  /** Whether it is looked at again: it met a record made here that the server has not got, or another feed may have what left this one. */
  readonly waits: boolean;
  /** Whether it writes one that is only compared with the item's record, which another one writes. */
  readonly isCompared?: boolean;
}

/** Whether a record that left this feed may have joined another one, which is still to be read: then it goes when that was. */
function mayBeTold(
  { change, reason }: PulledItem,
  work: Work | null | undefined,
  { tracked }: PageOptions,
): boolean {
  const isClean = work?.record !== undefined && !work.outbox;
  return tracked && change === "removed" && reason === "left-feed" && isClean;
}

/** An item that changes no record here: it waits for one, or for names, or ends the waiting of what was told before. */
function unwritten(
  item: PulledItem,
  { isLocated, leaves }: { readonly isLocated: boolean; readonly leaves: boolean },
): readonly Writer[] {
  const waits = item.change === "upsert";
  return isLocated && waits ? [] : [{ item, parts: noParts, waits: waits || leaves }];
}

/**
 * Looks again at the news that waits: what it waited for may be settled.
 *
 * @param how.isRead whether every feed was read: what left one of them, and is told in no other, goes
 * @param how.epoch of the server's data by now: what waited since another one is compared with nothing
 */
export async function applyWaiting(
  store: Store,
  { at, isRead, epoch }: { readonly at: string; readonly isRead: boolean; readonly epoch: string | null },
): Promise<void> {
  await freeRefused(store, { at, wrote: false });
  let before = Number.POSITIVE_INFINITY;
  for (;;) {
    const all = [...(await waitingItems(store)).values()].filter((item) => isRead || !hasLeft(item));
    // Of those who turn out to be one with somebody else here, one is led to that at a time.
    if (all.length === 0 || all.length >= before) return;
    before = all.length;
    await applyWaitingOnce(store, all, { at, epoch });
  }
}

async function applyWaitingOnce(
  store: Store,
  waiting: readonly PulledItem[],
  { at, epoch }: { readonly at: string; readonly epoch: string | null },
): Promise<void> {
  // Former versions of this software gave an enrollment another key each time it was listed.
  const newest = new Map(waiting.map((item) => [item.keyless ? item.reference : item.key, item]));
  const remove = waiting.filter((item) => ![...newest.values()].includes(item)).map(waitingKey);
  const items = [...newest.values()].map(({ epoch: told, ...item }) =>
    told && told === epoch ? { ...item, epoch } : item,
  );
  await applyPage(store, items, { ...fromNoFeed, at, restarting: false, with: { ...noParts, remove } });
}

/**
 * A claim of a pulled record is held by one made here that the server has not got, such as an enrollment of the same
 * people in the same program: the news meets that one, for a person to compare.
 */
async function meetMade(
  store: Store,
  failures: readonly Failure[],
  { writers, met }: { readonly writers: readonly Writer[]; readonly met: Map<string, Set<string>> },
): Promise<readonly Failure[]> {
  const others: Failure[] = [];
  for (const failure of failures) {
    if (failure.kind !== "claim-taken") continue;
    const writer = writers.find(({ parts }) =>
      parts.put.some(({ claims }) => claims?.includes(failure.claim)),
    );
    const [work] = writer ? await loadWork(store, [{ type: writer.item.type, key: failure.holder.key }]) : [];
    if (writer && work && entryIn(work)?.base === null)
      met.set(writer.item.key, (met.get(writer.item.key) ?? new Set()).add(work.key));
    else others.push(failure);
  }
  return others;
}
