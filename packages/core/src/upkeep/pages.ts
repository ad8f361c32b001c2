import { chunkBytes } from "../registry/every-page.ts";
import type { Position, Query, Store, StoredDocument } from "../store/port.ts";

const pageLimit = 100;

/** The documents that a query finds, a page at a time. Those that others add behind the present page are met too. */
export async function* documentPages(
  store: Pick<Store, "query">,
  query: Pick<Query, "collection" | "where">,
): AsyncGenerator<readonly StoredDocument[]> {
  let after: Position | undefined;
  do {
    const page = await store.query({
      ...query,
      limit: pageLimit,
      bytes: chunkBytes,
      ...(after && { after }),
    });
    if (page.documents.length > 0) yield page.documents;
    after = page.next;
  } while (after);
}
