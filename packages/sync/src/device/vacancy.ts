import { resourceTypes, type Store } from "@fieldroll/core";

/** Whether a store holds no record at all. */
export async function storeIsEmpty(store: Store): Promise<boolean> {
  for (const collection of resourceTypes) {
    const page = await store.query({ collection, limit: 1 });
    if (page.documents.length > 0) return false;
  }
  return true;
}
