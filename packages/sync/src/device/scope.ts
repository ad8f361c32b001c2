import type { Document, DocumentKey, Expectation, Store } from "@fieldroll/core";
import { collections, unchanged } from "./documents.ts";
import type { PulledItem } from "./locate.ts";
import type { CommitParts } from "./work.ts";

/** What a page changes in the notes of which feeds tell of which record. */
export interface Scope {
  readonly parts: CommitParts;
  /** Records, by their keys on the server, that left this feed but are told in another one. */
  readonly staying: ReadonlySet<string>;
}

/**
 * Keeps note of the feeds that tell of a record, where several are read: a family that moves from one area of this device
 * to another leaves the one feed and joins the other, in either order.
 */
export async function scopeParts(
  store: Store,
  items: readonly PulledItem[],
  { feed, tracked }: { readonly feed: string; readonly tracked: boolean },
): Promise<Scope> {
  const staying = new Set<string>();
  const expect: Expectation[] = [];
  const put: Document[] = [];
  const remove: DocumentKey[] = [];
  if (!tracked || items.length === 0) return { parts: { expect, put, remove }, staying };
  const found = await store.get(items.map((item) => ({ collection: collections.scope, key: item.key })));
  for (const [i, item] of items.entries()) {
    const key = { collection: collections.scope, key: item.key };
    const document = found[i];
    const before = document ? (document.body as readonly string[]) : [];
    const after = feedsAfter(before, feed, item.change);
    if (item.change === "removed" && after.length > 0) staying.add(item.key);
    if (after.length === before.length) continue;
    expect.push(unchanged(key, document));
    if (after.length > 0) put.push({ ...key, version: (document?.version ?? 0) + 1, body: after });
    else remove.push(key);
  }
  return { parts: { expect, put, remove }, staying };
}

function feedsAfter(
  before: readonly string[],
  feed: string,
  change: PulledItem["change"],
): readonly string[] {
  if (change === "removed") return before.filter((name) => name !== feed);
  return before.includes(feed) ? before : [...before, feed];
}

/** Whether a record may be told in several of these feeds; programs are told in one of their own. */
export function needsScope(feeds: readonly string[]): boolean {
  return feeds.filter((feed) => feed !== "programs").length > 1;
}
