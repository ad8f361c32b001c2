import {
  type Document,
  type DocumentKey,
  type Json,
  type JsonObject,
  type Store,
  sameJson,
} from "@fieldroll/core";
import { isNewer, namesOf } from "../model/content.ts";
import { isWhole } from "../model/hidden.ts";
import { collections, everyDocument } from "./documents.ts";
import type { PulledItem } from "./locate.ts";
import { entryOf } from "./outbox.ts";
import { type CommitParts, loadWork, serverCopy, type Work } from "./work.ts";

/**
 * News of a record that shares an identifier with one made here that the server has not got. It can't be kept as a record
 * while that one claims the identifier, nor be forgotten, for the feed does not tell it again: so it waits. So does the news that a
 * record left one of several feeds, until all of them were read.
 */
export async function waitingItems(store: Store): Promise<ReadonlyMap<string, PulledItem>> {
  const waiting = new Map<string, PulledItem>();
  for await (const document of everyDocument(store, { collection: collections.waiting })) {
    waiting.set(document.key, document.body as unknown as PulledItem);
  }
  return waiting;
}

/** Whether it is of a record that left a feed. */
export function hasLeft({ change }: PulledItem): boolean {
  return change === "removed";
}

/** Where news of a record waits. */
export function waitingKey({ key }: PulledItem): DocumentKey {
  return { collection: collections.waiting, key };
}

/** Records made here that the server has not got, by the keys on the server of those with which they share a name. */
export type Met = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Records made here that are compared with what has left, or has another name and is shown in part by now: nothing else would tell that what is
 * there to compare must go.
 *
 * @returns their keys on this device, by those of the others
 */
export async function shownBeside(
  store: Store,
  items: readonly PulledItem[],
  {
    waiting,
    compared,
  }: { readonly waiting: ReadonlyMap<string, PulledItem>; readonly compared: readonly Compared[] },
): Promise<Met> {
  const copies = compared.length > 0 ? await loadWork(store, items) : [];
  return new Map(
    copies.flatMap((copy, i) => {
      const item = items[i];
      if (!item) return [];
      const before = [waiting.get(item.key)?.record ?? {}, serverCopy(copy) ?? {}];
      const twins = compared.filter((each) => each.type === item.type && isShownNoMore(each, item, before));
      return twins.length > 0 ? [[item.key, new Set(twins.map(({ key }) => key))] as const] : [];
    }),
  );
}

/** A record made here that is compared with another one. */
interface Compared extends Pick<Work, "type" | "key"> {
  /** The other one. */
  readonly theirs: JsonObject;
  /** Its key on the server, where that was told. */
  readonly recordKey: string | undefined;
}

export async function comparedHere(store: Store): Promise<readonly Compared[]> {
  const compared: Compared[] = [];
  const where = [{ index: "state", anyOf: ["parked", "sending"] }];
  for await (const document of everyDocument(store, { collection: collections.outbox, where })) {
    const { type, key, base, parked, incoming } = entryOf(document);
    const other = parked?.reason === "duplicate" ? parked.theirs : null;
    const theirs = incoming?.kind === "upsert" ? incoming.record : other;
    if (base === null && theirs) compared.push({ type, key, theirs, recordKey: parked?.recordKey });
  }
  return compared;
}

/** @param before copies of the item's record, as it was known */
function isShownNoMore(
  { theirs, recordKey }: Compared,
  { type, key, record }: PulledItem,
  before: readonly JsonObject[],
): boolean {
  const shown = namesOf(type, theirs);
  const sharesName = (copy: JsonObject) => namesOf(type, copy).some((name) => shown.includes(name));
  if (!record) return recordKey === key || before.some(sharesName);
  return recordKey === key && !sharesName(record) && !isWhole(record) && isNewer(record, theirs);
}

/** What a page changes in the news that waits: what met a record made here, and what no longer does. */
export function waitingParts(
  waiting: ReadonlyMap<string, PulledItem>,
  items: readonly { readonly item: PulledItem; readonly waits: boolean }[],
  epoch: string | undefined,
): CommitParts {
  const put: Document[] = [];
  const remove: DocumentKey[] = [];
  for (const { item, waits } of items) {
    const known = waiting.get(item.key) as unknown as Json | undefined;
    const body = { ...item, ...(epoch && { epoch }) } as unknown as Json;
    const at = waitingKey(item);
    if (waits && !sameJson(known, body)) put.push({ ...at, version: 1, body });
    if (!waits && known !== undefined) remove.push(at);
  }
  return { expect: [], put, remove };
}
