import { resourceTypes, type Store } from "@fieldroll/core";
import { settleWork } from "./commit.ts";
import { collections, everyDocument, isEmpty } from "./documents.ts";
import { entryOf } from "./outbox.ts";

/** Whether a store holds no record at all. */
export async function storeIsEmpty(store: Store): Promise<boolean> {
  for (const type of resourceTypes) if (!(await isEmpty(store, type))) return false;
  return true;
}

/**
 * Gives a store that lost its records those back that have unsent work, before the pull brings the others.
 *
 * @param at UTC instant
 */
export async function restoreUnsent(store: Store, at: string): Promise<void> {
  for await (const document of everyDocument(store, { collection: collections.outbox })) {
    const { type, key } = entryOf(document);
    await settleWork(store, { type, key, at }, ({ entry, local }) => ({ entry, local, ended: [] }));
  }
}
