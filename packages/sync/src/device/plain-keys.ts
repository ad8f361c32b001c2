import { type JsonObject, referenceTo, type Store } from "@fieldroll/core";
import { mayBeSame, namesOf, sameRecord, tellsVersion, versionOf } from "../model/content.ts";
import { stampOf } from "../model/plain-cursor.ts";
import { twinOf } from "./adopt.ts";
import { collections, everyDocument } from "./documents.ts";
import type { PulledItem } from "./locate.ts";
import { entryOf } from "./outbox.ts";
import { waitingItems } from "./waiting.ts";
import { loadWork, localIn, serverCopy, type Work } from "./work.ts";

/** A page of searches whose items have keys; or the server's data were restored, as one of them shows. */
export type Keyed = { readonly items: readonly PulledItem[]; readonly restored: boolean };

/**
 * Gives the items of searches keys, for a server that does not tell its own: an item is the record on this device that goes
 * by one of its identifiers. What is not there gets a key of its own, and what was archived is gone.
 */
export async function keyItems(
  store: Store,
  items: readonly PulledItem[],
  newId: () => string,
): Promise<Keyed> {
  const works = await worksNamed(store, items);
  const newest = new Map<string, PulledItem>();
  const strangers = await keysOfWaiting(store);
  let restored = false;
  const found = items.map((item) => mine(works, item, isAddress));
  const taken = new Set(found.map((work) => work?.key));
  for (const [i, item] of items.entries()) {
    const other = found[i] ?? mine(works, item, isSuccessor);
    const work = found[i] ?? (other && !taken.has(other.key) ? other : undefined);
    const known = work && serverCopy(work);
    if (known && isRestored(item, known)) restored = true;
    const key = work?.key ?? strangerKey(item, { works, strangers, newId });
    const before = newest.get(key);
    if (!before || versionOf(before.record) <= versionOf(item.record)) newest.set(key, { ...item, key });
  }
  return { items: [...newest.values()].map(withoutArchived), restored };
}

/** The keys of enrollments that wait for one of the same pair, by their names: nothing here goes by those. */
async function keysOfWaiting(store: Store): Promise<Map<string, string>> {
  const waiting = [...(await waitingItems(store)).values()].filter(
    ({ type }) => type === "ProgramMembership",
  );
  return new Map(waiting.flatMap((item) => namesIn(item).map((name) => [name, item.key] as const)));
}

type Named = ReadonlyMap<string, readonly Work[]>;

/** The records on this device that go by names of the items, or did before somebody here changed that. */
async function worksNamed(store: Store, items: readonly PulledItem[]): Promise<Named> {
  const names = [...new Set(items.flatMap(namesIn))];
  const holders = names.length > 0 ? await store.resolve(names) : [];
  const keys = new Map<string, { type: PulledItem["type"]; key: string }>();
  for (const [i, name] of names.entries()) {
    const [holder, type] = [holders[i], typeOf(name)];
    if (holder?.collection === type) keys.set(name, { type, key: holder.key });
  }
  if (keys.size < names.length) {
    for await (const document of everyDocument(store, { collection: collections.outbox })) {
      const { type, key, releases = [] } = entryOf(document);
      for (const name of releases) if (!keys.has(name)) keys.set(name, { type, key });
    }
  }
  const wanted = names.filter((name) => keys.has(name));
  const works = await loadWork(
    store,
    wanted.flatMap((name) => keys.get(name) ?? []),
  );
  const named = await Promise.all(works.map((work) => withCopies(store, work, items)));
  return new Map(wanted.map((name, i) => [name, named[i] ?? []] as const));
}

/** A record, and where that was made here and the server has not got it, also a copy of the one that the server calls so. */
async function withCopies(store: Store, work: Work, items: readonly PulledItem[]): Promise<readonly Work[]> {
  if (serverCopy(work) !== null) return [work];
  const held = namesOf(work.type, localIn(work) ?? {});
  const told = items.filter((item) => namesIn(item).some((name) => held.includes(name)));
  const copies = await Promise.all(told.map(({ record }) => twinOf(store, work, record)));
  return [work, ...copies.flatMap((copy) => copy ?? [])];
}

function typeOf(name: string): PulledItem["type"] {
  return name.slice(0, name.indexOf("/")) as PulledItem["type"];
}

function namesIn({ type, record }: PulledItem): readonly string[] {
  return record ? namesOf(type, record) : [];
}

/** The record here that an item is of; never one that is plainly somebody else's. */
function mine(
  works: Named,
  item: PulledItem,
  isMine: (item: PulledItem, known: JsonObject) => boolean,
): Work | undefined {
  const held = namesIn(item).flatMap((name) => works.get(name) ?? []);
  return held.find((work) => {
    const known = serverCopy(work);
    return known !== null && isMine(item, known) && mayBeSame(item.type, known, item.record ?? {});
  });
}

/** Whether it has the identifier by which the record is addressed: who has that is the record. */
function isAddress({ type, record }: PulledItem, known: JsonObject): boolean {
  return record !== null && namesOf(type, record).includes(namesOf(type, known)[0] ?? "");
}

/** Whether it can be the record under other identifiers: one that took them over counts its versions anew. */
function isSuccessor({ record }: PulledItem, known: JsonObject): boolean {
  return record !== null && sameRecord(record, known) && versionOf(record) >= versionOf(known);
}

/** A lower version that was written later: versions were counted back. */
function isRestored({ record }: PulledItem, known: JsonObject): boolean {
  return (
    record !== null &&
    tellsVersion(record) &&
    versionOf(record) < versionOf(known) &&
    stampOf(record) > stampOf(known)
  );
}

/** Of one record that is met twice it is the same; one that meets a record made here waits under its own name. */
function strangerKey(
  item: PulledItem,
  {
    works,
    strangers,
    newId,
  }: { readonly works: Named; readonly strangers: Map<string, string>; readonly newId: () => string },
): string {
  const names = namesIn(item);
  const met = names.find((name) => strangers.has(name));
  const held = names.flatMap((name) => works.get(name) ?? []);
  const unsent = held.some((work) => serverCopy(work) === null);
  const key = strangers.get(met ?? "") ?? (unsent ? referenceTo(item.type, item.record ?? {}) : newId());
  for (const name of names) strangers.set(name, key);
  return key;
}

/** What is archived goes. */
export function withoutArchived(item: PulledItem): PulledItem {
  if (item.record?.active !== false) return item;
  return { ...item, change: "removed", record: null, reason: "archived" };
}
