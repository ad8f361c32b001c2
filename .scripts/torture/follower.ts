import type { Change, Store } from "@fieldroll/core";

/** Somebody who follows a feed over all kills, by the cursor of the page read last. */
export interface Follower {
  readonly feed: string;
  cursor?: string;
  /** Joined key to the version told last, or that it is gone. */
  readonly known: Map<string, number | "gone">;
}

/** A follower that has read nothing. */
export function newFollower(feed: string): Follower {
  return { feed, known: new Map() };
}

/** Reads on to the end of the feed. Throws where a change is told twice, or one of an older version. */
export async function followOn(store: Store, follower: Follower): Promise<void> {
  for (let more = true; more; ) {
    const { feed, cursor } = follower;
    const page = await store.changes({ feed, limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    for (const change of page.changes) take(follower, change);
    follower.cursor = page.next;
    more = page.more;
  }
}

function take({ known, feed }: Follower, change: Change): void {
  const { collection, key } = change.kind === "put" ? change.document : change;
  const name = `${collection}/${key}`;
  const before = known.get(name);
  const now = change.kind === "put" ? change.document.version : "gone";
  // What came back and left again between two readings is told gone again.
  const forward = now === "gone" || typeof before !== "number" || now > before;
  if (!forward) throw new Error(`The feed ${feed} tells ${name} as ${now} after ${before}.`);
  known.set(name, now);
}
