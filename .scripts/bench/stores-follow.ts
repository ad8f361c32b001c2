import type { Store } from "@fieldroll/core";

/** Reads the feed of everything in pages of 500, from its beginning again and again. @returns the bodies that were read */
export async function followFor(store: Store, seconds: number): Promise<number> {
  const begin = performance.now();
  let read = 0;
  let cursor: string | undefined;
  while (performance.now() - begin < seconds * 1000) {
    const page = await store.changes({ feed: "all", limit: 500, ...(cursor !== undefined && { cursor }) });
    for (const change of page.changes) if (change.kind === "put" && change.document.body) read += 1;
    cursor = page.more ? page.next : undefined;
  }
  return read;
}
