import type { Document, Json, Store, StoredDocument } from "@fieldroll/core";
import { oldestEdit } from "../model/edits.ts";
import { entryId, entryState, type OutboxEntry } from "../model/entry.ts";
import type { Park } from "../model/park.ts";
import type { EndedEdit } from "../model/settled.ts";
import { collections, everyDocument } from "./documents.ts";

/** The document of an entry. Counts and figures come from queries over these, never from counters. */
export function entryDocument(entry: OutboxEntry, previous: StoredDocument | undefined): Document {
  return {
    collection: collections.outbox,
    key: entryId(entry.type, entry.key),
    version: (previous?.version ?? 0) + 1,
    body: entry as unknown as Json,
    entries: { state: [entryState(entry)], since: [oldestEdit(entry)] },
  };
}

/** A park as a former version kept it: with the places that are asked about, see {@link OutboxEntry}. */
type Former = Park & Pick<OutboxEntry, "asked">;

/** Reads an entry back. */
export function entryOf(document: Pick<Document, "body">): OutboxEntry {
  const entry = document.body as unknown as OutboxEntry & { readonly parked: Former | null };
  const { asked, ...parked } = entry.parked ?? {};
  return asked ? { ...entry, asked, parked: parked as Park } : entry;
}

/** The document that remembers how an edit left the outbox; of one that arrived, without what it said. */
export function historyDocument(entry: OutboxEntry, { edit, end }: EndedEdit, at: string): Document {
  const { patch, ...act } = edit;
  const told = end === "discarded" || end === "adopted" ? { ...act, patch } : act;
  const { type, key, reference } = entry;
  return {
    collection: collections.history,
    key: edit.id,
    version: 1,
    body: { type, key, reference, edit: told, end, at } as unknown as Json,
    entries: { at: [at] },
  };
}

/** How many records have unsent work. */
export async function countUnsent(store: Store): Promise<number> {
  let count = 0;
  for await (const _ of everyDocument(store, { collection: collections.outbox })) count++;
  return count;
}

/** Whether any record has unsent work. */
export async function hasUnsent(store: Store): Promise<boolean> {
  return (await store.query({ collection: collections.outbox, limit: 1 })).documents.length > 0;
}
