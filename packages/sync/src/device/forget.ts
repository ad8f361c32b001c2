import {
  type Document,
  type DocumentKey,
  type Expectation,
  resourceTypes,
  type Store,
} from "@fieldroll/core";
import { collections, everyDocument } from "./documents.ts";
import { feedDocument, looksKey, notesOf, readFeed, unread } from "./feed-state.ts";

/** Documents removed in one commit. */
const batch = 250;

const besideRecords = [collections.waiting, collections.scope, collections.untold, collections.departed];

/**
 * Lets go of every record, for somebody else works with this device from now on; what they may see comes with their own
 * first pull. Nothing unsent may be left when this is called.
 *
 * @param fence holds at every commit
 * @returns whether it held to the end
 */
export async function forgetRecords(
  store: Store,
  feeds: readonly string[],
  { canary, fence }: { readonly canary: string; readonly fence: Expectation },
): Promise<boolean> {
  const commit = async (put: readonly Document[], remove: readonly DocumentKey[]) =>
    (await store.commit({ expect: [fence], put, remove })).ok;
  const forgetCursors = async (restarting: boolean) => {
    const read = await Promise.all(feeds.map((feed) => readFeed(store, feed)));
    const state = { ...unread(canary), restarting };
    return commit(
      feeds.map((feed, i) => feedDocument(feed, read[i]?.document, state)),
      [...(await notesOf(store)), { collection: collections.sync, key: looksKey }],
    );
  };
  // Before, because a cursor must not speak of records that are gone, should this be broken off, and what is left then must
  // not outlast the next pull; after, because a pull that is under way may have landed a page meanwhile.
  if (!(await forgetCursors(true))) return false;
  for (const collection of [...resourceTypes, ...besideRecords]) {
    let remove: DocumentKey[] = [];
    for await (const { key } of everyDocument(store, { collection })) {
      remove.push({ collection, key });
      if (remove.length < batch) continue;
      if (!(await commit([], remove))) return false;
      remove = [];
    }
    if (!(await commit([], remove))) return false;
  }
  return forgetCursors(false);
}

/** Leaves every cursor where it is, so that no page that is under way is written after this. */
export async function refusePages(
  store: Store,
  feeds: readonly string[],
  { canary, fence }: { readonly canary: string; readonly fence: Expectation },
): Promise<void> {
  const read = await Promise.all(feeds.map((feed) => readFeed(store, feed)));
  const put = feeds.map((feed, i) => feedDocument(feed, read[i]?.document, read[i]?.state ?? unread(canary)));
  await store.commit({ expect: [fence], put });
}
