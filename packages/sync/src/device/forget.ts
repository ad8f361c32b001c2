import { resourceTypes, type Store } from "@fieldroll/core";
import { collections, everyDocument } from "./documents.ts";
import { feedDocument, notesOf, readFeed, unread } from "./feed-state.ts";

/** Documents removed in one commit. */
const batch = 250;

/**
 * Lets go of every record, for somebody else works with this device from now on; what they may see comes with their own
 * first pull. Nothing unsent may be left when this is called.
 */
export async function forgetRecords(store: Store, feeds: readonly string[], canary: string): Promise<void> {
  // Before, because a cursor must not speak of records that are gone, should this be broken off; after, because a pull that
  // is under way may have landed a page meanwhile.
  await forgetCursors(store, feeds, canary);
  for (const collection of [...resourceTypes, collections.waiting, collections.scope]) {
    let remove: { collection: string; key: string }[] = [];
    for await (const { key } of everyDocument(store, { collection })) {
      remove.push({ collection, key });
      if (remove.length < batch) continue;
      await store.commit({ remove });
      remove = [];
    }
    await store.commit({ remove });
  }
  await forgetCursors(store, feeds, canary);
}

async function forgetCursors(store: Store, feeds: readonly string[], canary: string): Promise<void> {
  const read = await Promise.all(feeds.map((feed) => readFeed(store, feed)));
  const put = feeds.map((feed, i) => feedDocument(feed, read[i]?.document, unread(canary)));
  await store.commit({ put, remove: await notesOf(store) });
}
