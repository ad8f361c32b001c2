import { type Document, type DocumentKey, type Json, type Store, sameJson } from "@fieldroll/core";
import { namesOf } from "../model/content.ts";
import { collections, everyDocument } from "./documents.ts";
import type { PulledItem } from "./locate.ts";
import { entryOf } from "./outbox.ts";
import type { CommitParts } from "./work.ts";

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

/**
 * Records made here that wait as duplicates of what has left: its removal tells no more of it than a key, and what a person was shown
 * to compare must go with it.
 *
 * @returns their keys on this device, by those that left
 */
export async function twinsOf(
  store: Store,
  items: readonly PulledItem[],
  waiting: ReadonlyMap<string, PulledItem>,
): Promise<ReadonlyMap<string, string>> {
  const left = items.flatMap(({ change, key }) => {
    const before = change === "removed" ? waiting.get(key) : undefined;
    return before ? [{ ...before, names: namesOf(before.type, before.record ?? {}) }] : [];
  });
  const twins = new Map<string, string>();
  if (left.length === 0) return twins;
  const where = [{ index: "state", anyOf: ["parked"] }];
  for await (const document of everyDocument(store, { collection: collections.outbox, where })) {
    const { type, key, base, parked } = entryOf(document);
    if (base !== null || parked?.reason !== "duplicate") continue;
    const shown = namesOf(type, parked.theirs ?? {});
    for (const each of left)
      if (each.type === type && shown.some((name) => each.names.includes(name))) twins.set(each.key, key);
  }
  return twins;
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
