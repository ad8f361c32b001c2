import type { Store, StoredDocument } from "@fieldroll/core";
import { changesLostIn } from "../model/accepted.ts";
import { type Edit, nameIn } from "../model/entry.ts";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import type { SyncStatus } from "../status-types.ts";
import { acceptedIn, loadAccepted } from "./accepted.ts";
import { collections, everyDocument } from "./documents.ts";
import { giveElsewhere } from "./elsewhere.ts";
import { epochKnown, readFeeds } from "./feed-state.ts";
import { loadWork, type Work } from "./work.ts";

/** How many records have changes that a restored server lost, and that wait until consents show the record whole. */
export async function withheldFigures(
  store: Store,
  feeds: readonly string[],
): Promise<SyncStatus["awaitingConsent"]> {
  const epoch = await settledEpoch(store, feeds);
  const found = new Map<string, string>();
  for await (const accepted of lostDocuments(store, epoch)) {
    found.set(accepted.key, changesLostIn(acceptedIn({ accepted }), epoch)[0]?.at ?? "");
  }
  return { records: found.size, oldestAt: [...found.values()].sort()[0] ?? null };
}

/** The edits of one record that wait so. */
export async function withheldEdits(
  store: Store,
  feeds: readonly string[],
  work: Work,
): Promise<readonly Pick<Edit, "id" | "at" | "by">[]> {
  const epoch = await settledEpoch(store, feeds);
  const [read] = await loadAccepted(store, [work]);
  return epoch === null || !read ? [] : changesLostIn(acceptedIn(read), epoch).map(({ edit }) => edit);
}

/**
 * Gives what waits so to a record that is there again under another key: another device gave it back after this one had read
 * everything anew, and forgotten the record.
 *
 * @param at UTC instant
 */
export async function giveWithheld(store: Store, feeds: readonly string[], at: string): Promise<void> {
  const epoch = await settledEpoch(store, feeds);
  for await (const document of lostDocuments(store, epoch)) {
    const [work] = await loadWork(store, [nameIn(document.key)]);
    if (work && epoch !== null) await giveElsewhere(store, work, document, { at, epoch, isMet: () => true });
  }
}

/** What is kept of requests with changes that another state of the server's data accepted; one may come twice. */
async function* lostDocuments(store: Store, epoch: string | null): AsyncGenerator<StoredDocument> {
  const others = epoch === null ? [] : [{ below: epoch }, { from: `${epoch}\u0000` }];
  for (const range of others) {
    const where = [{ index: "epoch", ...range }];
    yield* everyDocument(store, { collection: collections.accepted, where });
  }
}

/** The state of the server's data once all of it was looked at, as any of the feeds told it. */
async function settledEpoch(store: Store, feeds: readonly string[]): Promise<string | null> {
  const read = await readFeeds(store, feeds);
  const epoch = await epochKnown(store, feeds);
  return isPlainEpoch(epoch) || read.some(({ state }) => state?.restarting) ? null : epoch;
}
