import { type Document, type DocumentKey, type Json, type Store, sameJson } from "@fieldroll/core";
import { collections, everyDocument } from "./documents.ts";
import type { PulledItem } from "./locate.ts";
import type { CommitParts } from "./work.ts";

/**
 * News of a record that shares an identifier with one made here that the server has not got. It can't be kept as a record
 * while that one claims the identifier, nor be forgotten, for the feed does not tell it again: so it waits.
 */
export async function waitingItems(store: Store): Promise<ReadonlyMap<string, PulledItem>> {
  const waiting = new Map<string, PulledItem>();
  for await (const document of everyDocument(store, { collection: collections.waiting })) {
    waiting.set(document.key, document.body as unknown as PulledItem);
  }
  return waiting;
}

/** What a page changes in the news that waits: what met a record made here, and what no longer does. */
export function waitingParts(
  waiting: ReadonlyMap<string, PulledItem>,
  items: readonly { readonly item: PulledItem; readonly waits: boolean }[],
): CommitParts {
  const put: Document[] = [];
  const remove: DocumentKey[] = [];
  for (const { item, waits } of items) {
    const known = waiting.get(item.key) as unknown as Json | undefined;
    const body = item as unknown as Json;
    const at = { collection: collections.waiting, key: item.key };
    if (waits && !sameJson(known, body)) put.push({ ...at, version: 1, body });
    if (!waits && known !== undefined) remove.push(at);
  }
  return { expect: [], put, remove };
}
