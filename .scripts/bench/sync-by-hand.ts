import { feedPages, type WirePage } from "./sync-feed.ts";
import type { FirstSync, SyncTask } from "./sync-task.ts";

/** What a side written by hand does with the pages of the feed. */
export interface Hand {
  /** Writes a page and the cursor after it. */
  land(page: WirePage): Promise<void>;
  /** @returns how many of the first 20 found by name */
  search(): Promise<number>;
  count(): Promise<number>;
  close(): void;
}

/** Reads the whole feed, each page being fetched while the one before is written. */
export async function syncByHand(task: SyncTask, hand: Hand): Promise<FirstSync> {
  const begin = performance.now();
  let first = Number.NaN;
  for await (const page of feedPages(task)) {
    await hand.land(page);
    if (Number.isNaN(first) && (await hand.search()) > 0) first = performance.now() - begin;
  }
  await hand.search();
  const all = performance.now() - begin;
  const records = await hand.count();
  hand.close();
  return { first, all, records };
}
