import type { Position, Query, Store, StoredDocument } from "../store/port.ts";

const pageLimit = 500;

/** Reads every document that a query finds, page by page. */
export async function everyPage(
  store: Pick<Store, "query">,
  query: Omit<Query, "limit" | "after">,
): Promise<readonly StoredDocument[]> {
  const found: StoredDocument[] = [];
  let after: Position | undefined;
  do {
    const page = await store.query({ ...query, limit: pageLimit, ...(after && { after }) });
    found.push(...page.documents);
    after = page.next;
  } while (after);
  return found;
}

/** As {@link everyPage}, for any number of values of one index. */
export async function everyPageOf(
  store: Pick<Store, "query">,
  { index, anyOf, ...query }: Omit<Query, "limit" | "after"> & { index: string; anyOf: readonly string[] },
): Promise<readonly StoredDocument[]> {
  const found = new Map<string, StoredDocument>();
  for (let at = 0; at < anyOf.length; at += pageLimit) {
    const where = [{ index, anyOf: anyOf.slice(at, at + pageLimit) }, ...(query.where ?? [])];
    for (const document of await everyPage(store, { ...query, where })) found.set(document.key, document);
  }
  return [...found.values()];
}
