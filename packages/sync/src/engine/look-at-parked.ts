import { referenceTo, type Store } from "@fieldroll/core";
import { settleWork } from "../device/commit.ts";
import { collections, everyDocument, readState, stateDocument, stateUnchanged } from "../device/documents.ts";
import { epochKnown, looksKey } from "../device/feed-state.ts";
import { entryOf } from "../device/outbox.ts";
import type { Unmet } from "../device/sweep.ts";
import { hasLeft, waitingItems } from "../device/waiting.ts";
import { serverAlias } from "../device/work.ts";
import { absorb } from "../model/absorb.ts";
import { withKnownPhoto } from "../model/content.ts";
import { entryId } from "../model/entry.ts";
import { shownBy } from "../model/hidden.ts";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import { parkBeside } from "../model/rebase.ts";
import { isAbsent } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import { isAnother } from "./duplicate.ts";
import { every, isDue, isOver, most, showsTaker } from "./look-again.ts";
import { isRestarting } from "./restart.ts";
import { isUntoldThere, stillThere, type There } from "./still-there.ts";
import { type Stop, stopOf } from "./stop.ts";

/** After so many milliseconds one that gave no answer is asked for again, and one of which news waits. */
const again = 60 * 60_000;

/** A record with work that waits for a person. */
interface Waiting extends Unmet {
  readonly id: string;
  /** Whether it has left what this device keeps. */
  readonly left: boolean;
}

/**
 * Looks again at records with work that waits for a person: they may be where no feed of this device tells of them, such as one that a file
 * brought, or that left its area while somebody else had the device.
 *
 * @returns what kept them from being asked for
 */
export async function lookAtParked(context: SyncContext): Promise<Stop | null> {
  const { store, serverTime, feeds } = context;
  const epoch = await epochKnown(store, feeds);
  // What a restored server lacks is compared first.
  if (epoch === null || isPlainEpoch(epoch) || (await isRestarting(context, feeds))) return null;
  const now = serverTime();
  const { due, note } = await dueOf(store, now);
  const stops: (Stop | null)[] = [];
  const seen = new Map<string, boolean>();
  try {
    for (const waiting of due) {
      if (isOver(stops)) break;
      seen.set(waiting.id, false);
      const stop = await lookAtWaiting(context, waiting, now.toISOString());
      stops.push(stop);
      seen.set(waiting.id, stop === null);
    }
  } finally {
    if (seen.size > 0) await note(seen);
  }
  return stops.at(-1) ?? null;
}

/**
 * Those that were not looked at for a day. When each was is kept apart from them: a person who decides on one has to find it as it was shown.
 */
async function dueOf(store: Store, now: Date) {
  const state = await readState(store, looksKey);
  const known = (state?.body ?? {}) as Readonly<Record<string, string>>;
  const looks: Record<string, string> = {};
  const due: Waiting[] = [];
  const told = await toldOf(store);
  const where = [{ index: "state", anyOf: ["parked"] }];
  for await (const document of everyDocument(store, { collection: collections.outbox, where })) {
    const { type, key, parked, base, left = false } = entryOf(document);
    const id = document.key;
    const isTold = told.has(id);
    if (!base || !parked || showsTaker(parked) || (shownBy(base)?.length === 0 && !isTold)) continue;
    looks[id] = known[id] ?? parked.since;
    if (isDue(looks[id], now, isTold ? again : every))
      due.push({ id, type, key, record: base, left: left && !isTold });
  }
  const note = async (seen: ReadonlyMap<string, boolean>) => {
    // One of which news waits is due after that while anyway.
    for (const [id, isSeen] of seen)
      looks[id] = new Date(now.getTime() - (isSeen || told.has(id) ? 0 : every - again)).toISOString();
    const put = [stateDocument(looksKey, state, looks)];
    await store.commit({ expect: [stateUnchanged(looksKey, state)], put, durability: "relaxed" });
  };
  // What waits longest first: one that fails each time holds up no others.
  const age = ({ id }: Waiting) => Date.parse(looks[id] ?? "");
  return { due: due.sort((a, b) => age(a) - age(b)).slice(0, most), note };
}

/**
 * Of which records a feed has told, where that waits for an answer to their work, for they name somebody whom no feed tells of: while the work
 * waits for a person, none comes.
 */
async function toldOf(store: Store): Promise<ReadonlySet<string>> {
  const news = [...(await waitingItems(store)).values()].filter((item) => !hasLeft(item));
  const holders = news.length > 0 ? await store.resolve(news.map(({ key }) => serverAlias(key))) : [];
  return new Set(news.map(({ type, key }, i) => entryId(type, holders[i]?.key ?? key)));
}

async function lookAtWaiting(
  context: SyncContext,
  { left, ...unmet }: Waiting,
  at: string,
): Promise<Stop | null> {
  const there = left
    ? await seenAway(context, unmet, at)
    : await stillThere(context, unmet, { at, restarting: false });
  if (typeof there === "object") return "why" in there ? there : null;
  const isHidden = !there && (await isUntoldThere(context, unmet));
  if (typeof isHidden === "object") return "why" in isHidden ? isHidden : null;
  const news = { kind: "removed", versionId: "0", reason: "consent" } as const;
  // Nothing was told of its key.
  if (isHidden)
    await settleWork(context.store, { ...unmet, at }, ({ entry, local }) =>
      absorb(entry, local, news, { at }),
    );
  return null;
}

/** A record that has left what this device keeps shows what is shown of it there, and does not come back for being looked at. */
async function seenAway({ store, api }: SyncContext, unmet: Unmet, at: string): Promise<There> {
  const { type, key, record } = unmet;
  const reply = await api.read(referenceTo(type, record));
  if (reply.kind !== "value") return isAbsent(reply) ? false : (stopOf(reply) ?? true);
  if (isAnother({ type, base: record, recordKey: undefined }, reply)) return false;
  const theirs = withKnownPhoto({ record: reply.value }, record);
  await settleWork(store, { type, key, at }, ({ entry, local }) => {
    const { parked } = entry;
    const shown = entry.left && parked && parkBeside(entry, local, { ...parked, theirs });
    // A copy that it waits beside is another one by now; beside none, it goes on waiting as it did.
    const waits = parked && (parked.theirs ? { ...parked, theirs } : parked);
    return shown ? { ...shown, entry: shown.entry && { ...shown.entry, parked: waits } } : null;
  });
  return true;
}
