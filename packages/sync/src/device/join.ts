import type { Store } from "@fieldroll/core";
import { absorb } from "../model/absorb.ts";
import { together } from "../model/accepted.ts";
import { longestDelay } from "../model/backoff.ts";
import { isNewer, withKnownPhoto } from "../model/content.ts";
import type { OutboxEntry } from "../model/entry.ts";
import { everCalled, isBack } from "../model/hidden.ts";
import { putOff } from "../model/settle.ts";
import type { Settled } from "../model/settled.ts";
import { acceptedIn } from "./accepted.ts";
import { twinOf } from "./adopt.ts";
import { recordsRelinked, relinked } from "./relink.ts";
import { type CommitParts, entryIn, loadWhole, localIn, settledParts, type Work } from "./work.ts";

/** What is decided of a record, once another copy of it is taken into account. */
export interface Joined {
  readonly settled: Settled;
  /** The key by which a feed told of the other copy. */
  readonly serverKey?: string;
  /** What becomes of that copy, and of what refers to it. */
  readonly others: readonly CommitParts[];
}

/**
 * The copy of a record that was made here which a feed brought as a stranger: it came under other identifiers, and before an answer told
 * its key. One that goes when nothing of it is left to send leaves the other in its place.
 */
export async function strangerOf(
  store: Store,
  { type, key }: Work,
  { entry, settled }: { readonly entry: OutboxEntry; readonly settled: Settled },
): Promise<Work | undefined> {
  const { recordKey, local } = settled;
  if (entry.base || entry.left || !local || recordKey === undefined || recordKey === key) return undefined;
  const [stranger] = await loadWhole(store, [{ type, key: recordKey }]);
  return stranger && localIn(stranger) ? stranger : undefined;
}

/**
 * Makes the two one, where an answer tells that they are: what was made here stays, with all that leads to it or to the other, and goes on
 * as if the other's copy had been told of it. While the other has unsent work, the answer waits: it is told again.
 *
 * @param at UTC instant
 */
export async function joining(
  store: Store,
  work: Work,
  known: { readonly entry: OutboxEntry; readonly local: NonNullable<Settled["local"]> },
  { settled, at }: { readonly settled: Settled; readonly at: string },
): Promise<Joined> {
  const { entry, local } = known;
  const stranger = await strangerOf(store, work, { entry, settled });
  if (!stranger) return { settled, others: await ledToMade(store, work, { entry, settled }) };
  if (entryIn(stranger)) {
    const nextAttemptAt = new Date(Date.parse(at) + longestDelay).toISOString();
    return {
      settled: { entry: putOff(entry, { detail: hereTwice, nextAttemptAt }), local, ended: [] },
      others: [],
    };
  }
  const gone = settledParts(stranger, { entry: null, local: null, ended: [] }, { at, links: {} });
  // What made the record comes before what was done to it since.
  const kept = [
    ...(settled.accepted ? [settled.accepted] : []),
    ...together(settled.kept ?? acceptedIn(work), acceptedIn(stranger)),
  ];
  return {
    settled: { ...asTold(settled, stranger, at), accepted: undefined, kept },
    serverKey: stranger.key,
    // The key by which it was asked for goes on with the one that stays.
    others: [{ ...gone, put: [] }, await relinked(store, stranger.key, work.key)],
  };
}

/**
 * What a feed told of whoever was made here, while only a lost answer said that, or of whom it turns out to be a duplicate, refers to it by the
 * key that it has on the server.
 */
async function ledToMade(
  store: Store,
  { key }: Work,
  { entry, settled }: { readonly entry: OutboxEntry; readonly settled: Settled },
): Promise<readonly CommitParts[]> {
  const { recordKey } = settled;
  const isLate = entry.base === null && (entry.attempts > 0 || entry.parked?.reason === "duplicate");
  if (!isLate || recordKey === undefined || recordKey === key) return [];
  return [await recordsRelinked(store, recordKey, key)];
}

/**
 * Makes the two one, where a server that was restored has lost a record, and the same reading told of it as another device gave it back:
 * under another key. A copy that has unsent work of its own stays beside this one.
 *
 * @param settled as it would be given back
 * @param isMet whether that reading told of a record
 * @returns `null` where there is no such copy
 */
export async function joiningGivenBack(
  store: Store,
  work: Work,
  settled: Settled,
  { at, isMet }: { readonly at: string; readonly isMet: (work: Work) => boolean },
): Promise<Joined | null> {
  const { entry, local } = settled;
  if (!entry?.lost || !local) return null;
  const isIt = (twin: Work) => !twin.outbox && isMet(twin) && isBack(local, entry, localIn(twin) ?? {});
  const twin = await twinOf(store, work, everCalled(local, entry), isIt);
  if (!twin) return null;
  return joining(store, work, { entry, local }, { settled: { ...settled, recordKey: twin.key }, at });
}

const hereTwice = "This record is here twice; it goes on when the changes of the other one have arrived.";

function asTold(settled: Settled, stranger: Work, at: string): Settled {
  const { entry, local, ended } = settled;
  const record = localIn(stranger);
  if (!local || !record) return settled;
  if (entry) {
    const rest = absorb(entry, local, { kind: "upsert", record }, { at });
    return { ...settled, ...rest, ended: [...ended, ...rest.ended] };
  }
  const theirs = withKnownPhoto({ record }, local);
  return { ...settled, local: isNewer(theirs, local) ? theirs : local };
}
