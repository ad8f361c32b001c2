import {
  type DocumentKey,
  type JsonObject,
  type Links,
  type ResourceType,
  rawReference,
  recordKey,
  type Store,
  type WrittenReference,
} from "@fieldroll/core";
import { isMadeFor, mayBeSame, namesOf, sameRecord, versionOf } from "../model/content.ts";
import { replay } from "../model/edits.ts";
import type { OutboxEntry } from "../model/entry.ts";
import { everCalled, isBack } from "../model/hidden.ts";
import { saidOf } from "../model/said.ts";
import { acceptedIn, loadAccepted } from "./accepted.ts";
import { collections, everyDocument } from "./documents.ts";
import { entryOf } from "./outbox.ts";
import {
  entryIn,
  hereAlias,
  keyOnServer,
  loadWork,
  localIn,
  serverAlias,
  serverCopy,
  type Work,
} from "./work.ts";

/** An item of a feed, its record in stored form. */
export interface PulledItem {
  readonly type: ResourceType;
  /** The record's key on the server. */
  readonly key: string;
  readonly reference: WrittenReference;
  readonly versionId: string;
  readonly change: "upsert" | "removed";
  readonly record: JsonObject | null;
  readonly reason: string;
  /** Whether the server says that there is a photo, or none, that this caller may see; a feed has the record without it. */
  readonly photo?: boolean;
  /** The server's keys of those whom the record refers to, by raw reference, as far as it told them. */
  readonly keys?: Links;
  /** Whether `key` is one that this device gave, for the server did not tell its own. */
  readonly keyless?: boolean;
  /** The server's key, where the record was asked for by that. */
  readonly askedBy?: string;
  /** Of news that waits: the state of the server's data that it is of. */
  readonly epoch?: string;
}

/** A record that was asked for by itself, as if a feed told of it. @param name of the record on this device */
export function askedItem(
  { type, key }: Pick<PulledItem, "type" | "key">,
  reference: WrittenReference,
  record: JsonObject,
) {
  const found = { type, key, reference, versionId: String(versionOf(record)), record };
  const photo = record.photo !== undefined;
  return { ...found, photo, change: "upsert" as const, reason: "", keyless: true };
}

export interface LocateOptions {
  /** Keys on this device that are already known, by the server's. */
  readonly redirects: ReadonlyMap<string, string>;
  /**
   * Whether a record that shares an identifier with news is left to the commit to find, which fails then: most often there is
   * none, and asking for each identifier costs more than all the rest.
   */
  readonly trusting: boolean;
  /** Whether most of this is new here: then so much is left to the commit as well. */
  readonly first: boolean;
  /** Whether the server may have given its records other keys, for it was restored and got them back from devices. */
  readonly restarting: boolean;
}

/**
 * Finds the records that items of a feed speak of: by the server's key, which is also the device's for whatever came from
 * a feed; by the alias of one made here; by an identifier, where the record was made here and its key is not known yet.
 *
 * @returns per item the record on this device with its work, all different; `null` where the item can only wait, because
 *   it shares an identifier with a record made here that met another item already
 */
export async function locate(
  store: Store,
  items: readonly PulledItem[],
  options: LocateOptions,
): Promise<readonly (Work | null)[]> {
  const { redirects, trusting, first } = options;
  const works = new Map<string, Work>();
  const load = async (names: Parameters<typeof loadWork>[1]) => {
    for (const work of await loadWork(store, names)) works.set(work.key, work);
  };
  await load(trusting && first ? items.filter(({ change }) => change === "removed") : items);
  const strangers = items.filter(({ key }) => !works.get(key)?.record && !redirects.has(key));
  const known = new Set(items.map(({ key }) => key));
  const found = await locateStrangers(store, strangers, {
    trusting,
    isSame: (work, item) =>
      options.restarting &&
      !known.has(keyOnServer(work)) &&
      isMadeFor(localIn(work) ?? {}, item.record ?? {}),
  });
  const taken = new Set<string>();
  const names = items.map(({ type, key: own }) => {
    const twin = redirects.get(own);
    const other = twin === undefined ? found.get(own) : { key: twin, unsent: true };
    if (other?.unsent && taken.has(other.key)) return null;
    const key = other && !taken.has(other.key) ? other.key : own;
    taken.add(key);
    return { type, key };
  });
  await load(names.flatMap((name, i) => (name && name.key !== items[i]?.key ? [name] : [])));
  return names.map(
    (name) => name && (works.get(name.key) ?? { ...name, record: undefined, outbox: undefined }),
  );
}

interface Located {
  /** On this device. */
  readonly key: string;
  /** Whether the server has not got that record. */
  readonly unsent: boolean;
}

async function locateStrangers(
  store: Store,
  items: readonly PulledItem[],
  {
    trusting,
    isSame,
  }: { readonly trusting: boolean; readonly isSame: (work: Work, item: PulledItem) => boolean },
): Promise<ReadonlyMap<string, Located>> {
  const claims = items.map((item) => {
    const tells = trusting && item.change === "upsert" && !item.keyless;
    return [serverAlias(item.key), ...(tells ? [] : itemNames(item))];
  });
  const flat = claims.flat();
  const [holders, lost] = await Promise.all([
    flat.length > 0 ? store.resolve(flat) : [],
    items.some(({ record }) => record) ? lostHere(store) : [],
  ]);
  const byClaim = new Map(flat.map((claim, i) => [claim, holders[i]]));
  const located = new Map<string, Located>();
  const named: { item: PulledItem; holder: DocumentKey }[] = [];
  items.forEach((item, i) => {
    const alias = byClaim.get(serverAlias(item.key));
    if (alias) located.set(item.key, { key: alias.key, unsent: false });
    const holder = claims[i]
      ?.map((claim) => byClaim.get(claim))
      .find((held) => held?.collection === item.type);
    if (!alias && holder) named.push({ item, holder });
  });
  const works = await loadAccepted(
    store,
    await loadWork(
      store,
      named.map(({ item, holder }) => ({ type: item.type, key: holder.key })),
    ),
  );
  named.forEach(({ item }, i) => {
    const work = works[i];
    if (!work) return;
    const entry = entryIn(work);
    const unsent = entry?.base === null;
    const isUntoldYet = work.record?.claims.includes(hereAlias(work.key)) && !hasOtherKey(item, work);
    const arrived = isUntoldYet && mayBe(item, work);
    if (unsent || arrived || isSame(work, item)) located.set(item.key, { key: work.key, unsent });
  });
  const others = items.filter(({ key, record }) => record && !located.has(key));
  for (const [key, back] of await givenBack(store, others, lost))
    located.set(key, { key: back, unsent: true });
  return located;
}

/** Records that wait because a restored server had lost them. */
async function lostHere(store: Store): Promise<readonly OutboxEntry[]> {
  const lost: OutboxEntry[] = [];
  const where = [{ index: "state", anyOf: ["parked"] }];
  for await (const document of everyDocument(store, { collection: collections.outbox, where })) {
    const entry = entryOf(document);
    if (entry.lost && entry.parked?.reason === "gone") lost.push(entry);
  }
  return lost;
}

/** Those of the lost, by the keys under which others gave them back by a number that they had before. */
async function givenBack(
  store: Store,
  items: readonly PulledItem[],
  lost: readonly OutboxEntry[],
): Promise<ReadonlyMap<string, string>> {
  const back = new Map<string, string>();
  const named = new Map(items.flatMap((item) => itemNames(item).map((name) => [name, item] as const)));
  if (named.size === 0) return back;
  for (const entry of lost) {
    const typed = replay(entry);
    const found = namesOf(entry.type, everCalled(typed, entry)).flatMap((name) => named.get(name) ?? []);
    const item = found.find(({ record }) => record && isBack(typed, entry, record));
    const [here] = item ? await store.get([recordKey(item.type, item.key)]) : [];
    if (item && !here) back.set(item.key, entry.key);
  }
  return back;
}

/** Whether the record is known to have another key on the server than the one that is told of. */
function hasOtherKey({ key, keyless }: PulledItem, { record }: Work): boolean {
  const known = record?.claims.find((claim) => claim.startsWith(serverAlias("")));
  return keyless !== true && known !== undefined && known !== serverAlias(key);
}

/** What a person took over from one of several records is that one, whatever it shares with the others; somebody else's is not. */
function mayBe({ type, record }: PulledItem, work: Work): boolean {
  const known = serverCopy(work);
  if (!record || !known) return true;
  const who = saidOf(type, known, acceptedIn(work));
  return (!entryIn(work)?.base || sameRecord(record, known)) && mayBeSame(type, who, record);
}

/** The raw references by which the server calls the record of an item. */
export function itemNames({ type, record, reference }: PulledItem): readonly string[] {
  return record ? namesOf(type, record) : [rawReference(reference)];
}
