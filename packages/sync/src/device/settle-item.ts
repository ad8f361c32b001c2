import type { JsonObject } from "@fieldroll/core";
import { type AbsorbOptions, absorb } from "../model/absorb.ts";
import { changesLostIn, withAcceptedPhoto } from "../model/accepted.ts";
import { isNewer, withKnownPhoto } from "../model/content.ts";
import { acceptedNamed, entryNamed, recordNamed, understood } from "../model/in-names.ts";
import { afterNews, askedIfBack, giveAgain } from "../model/lost.ts";
import { type Names, namesAs, type There } from "../model/naming.ts";
import type { Settled } from "../model/settled.ts";
import { shownAgain } from "../model/shown-again.ts";
import { typedUpon } from "../model/typed-over.ts";
import { acceptedIn } from "./accepted.ts";
import type { PulledItem } from "./locate.ts";
import { namingIn } from "./naming.ts";
import { entryIn, keyOnServer, localIn, type Work } from "./work.ts";

/** Where and when news was told. */
export interface News {
  /** Empty where it comes from none. */
  readonly feed: string;
  /** UTC instant. */
  readonly at: string;
  /** Whether the feed is being read anew: older versions count too. */
  readonly restarting: boolean;
  /** Of the server's data, as the page of a feed says; absent where the news comes from none. */
  readonly epoch?: string;
}

/** A record with its unsent work and what was accepted of it, in the names of what is told of it. */
function knownAs(work: Work, theirs: JsonObject | null, there: There) {
  const { type, key } = work;
  const [entry, local] = [entryIn(work), localIn(work)];
  const names: Names = theirs ? namesAs(namingIn(work, theirs), there) : new Map();
  const shown = local && recordNamed(type, local, names);
  const accepted = acceptedNamed(type, acceptedIn(work), names);
  if (!entry) return { type, key, entry, local: shown, accepted };
  const called = entryNamed(entry, local ?? {}, names).entry;
  return { type, key, entry: understood(called, there), local: shown, accepted };
}

/** What one item does to its record; `null` for nothing at all. */
export function settleItem(
  item: PulledItem,
  work: Work,
  options: News & { readonly there: There },
): Settled | null {
  const { at, restarting, epoch, there } = options;
  const news = { at, restarting, ...(epoch !== undefined && { epoch }) };
  const hidden = knownAs(work, item.record, there);
  if (item.change === "removed" || !item.record) return settleRemoval(item, hidden, options);
  const isSame = !item.keyless && item.key === keyOnServer(work);
  const known = epoch === undefined ? hidden : shownAgain(hidden, item.record, { epoch, isSame });
  const copy = { record: item.record, photo: item.photo };
  const again = epoch === undefined ? null : giveAgain(known, copy, { at, epoch });
  const met = again ?? metUnsent(item, known, { news, copy });
  // What is not compared yet is kept, though nothing stands for it in what is unsent any more.
  const kept = known === hidden ? {} : { kept: known.accepted };
  if (met)
    return item.record.active === false
      ? settleArchived(item, known, { met: { ...kept, ...met }, isAgain: again !== null, options })
      : { ...kept, ...met };
  return { ...kept, ...replaced(copy, known, options) };
}

/** A record with unsent work once that met what is told of it; `null` where there is none. */
function metUnsent(
  item: PulledItem,
  known: ReturnType<typeof knownAs>,
  { news, copy }: { readonly news: AbsorbOptions; readonly copy: Parameters<typeof giveAgain>[1] },
): Settled | null {
  const { local } = known;
  const { restarting, epoch, at } = news;
  const entry = restarting && epoch !== undefined ? typedUpon(known, copy.record, epoch) : known.entry;
  if (!entry || !local) return null;
  const met = afterNews(
    besideOne(item, absorb(entry, local, { kind: "upsert", ...copy }, news)),
    known,
    news,
  );
  return restarting ? met : askedIfBack(known, met, at);
}

/** A duplicate is compared with the record of the item, which this device may have under that key. */
function besideOne({ key, keyless, record }: PulledItem, settled: Settled): Settled {
  const { entry } = settled;
  const { parked } = entry ?? {};
  if (!entry || parked?.reason !== "duplicate" || keyless || parked.theirs !== record) return settled;
  return { ...settled, entry: { ...entry, parked: { ...parked, recordKey: key } } };
}

/** A record with no unsent work becomes what is told of it, unless that is older, or undoes what a restored server lost. */
function replaced(
  copy: { readonly record: JsonObject; readonly photo: boolean | undefined },
  known: ReturnType<typeof knownAs>,
  { at, restarting }: News,
): Settled {
  const { entry, local, accepted } = known;
  const before = copy.photo ? withAcceptedPhoto(local ?? copy.record, accepted) : local;
  const theirs = withKnownPhoto(copy, before);
  if (!local || restarting) return { entry: local ? null : entry, local: theirs, ended: [] };
  const isNews = isNewer(theirs, local);
  const shown = { entry: null, local: isNews ? theirs : local, ended: [] };
  return isNews && !entry ? askedIfBack(known, shown, at) : shown;
}

/** An archived record that was asked for goes, but for what a restored server is given again of it, and what was never sent. */
function settleArchived(
  item: PulledItem,
  known: ReturnType<typeof knownAs>,
  { met, isAgain, options }: { readonly met: Settled; readonly isAgain: boolean; readonly options: News },
): Settled | null {
  if (!met.entry) return { ...met, local: null };
  if (isAgain) return met;
  return settleRemoval({ ...item, reason: "archived" }, known, { ...options, feed: "" });
}

function settleRemoval(item: PulledItem, known: ReturnType<typeof knownAs>, options: News): Settled | null {
  const { entry, local } = known;
  if (!local || mayHaveLost(item, known, options)) return null;
  const { versionId, reason } = item;
  if (!entry) return { entry: null, local: null, ended: [] };
  return absorb(entry, local, { kind: "removed", versionId, reason }, options);
}

/** Whether a server that was restored may lack what it had accepted of an archived record: it is asked for that before the record goes. */
function mayHaveLost(
  { reason }: PulledItem,
  { entry, accepted }: ReturnType<typeof knownAs>,
  { feed, restarting, epoch }: News,
): boolean {
  const isTold = feed !== "" && reason === "archived" && restarting && epoch !== undefined;
  return isTold && !entry && changesLostIn(accepted, epoch).length > 0;
}
