import {
  type Document,
  recordDocument,
  type Store,
  type StoredDocument,
  storedRecord,
} from "@fieldroll/core";
import { shownMeanwhile } from "../model/absorb.ts";
import { entryId, type OutboxEntry } from "../model/entry.ts";
import { collections, committingBy } from "./documents.ts";
import { entryOf } from "./outbox.ts";

/** The document of a record, found by what its unsent work lets be shown of it now: nobody finds it by what consents hide. */
export function foundAsShown(document: Document, entry: OutboxEntry | null): Document {
  if (!entry?.incoming) return document;
  const stored = storedRecord({ claims: [], ...document } as StoredDocument);
  const shown = shownMeanwhile(entry, stored.record);
  return shown === stored.record
    ? document
    : { ...document, entries: recordDocument({ ...stored, record: shown }).entries ?? {} };
}

/** A store in which records that are edited are found as they are shown. */
export function findingAsShown(store: Store): Store {
  return committingBy(store, (writes) => {
    const { put = [] } = writes;
    const entries = new Map(
      put.flatMap((each) => (each.collection === collections.outbox ? [[each.key, each] as const] : [])),
    );
    const shown = (document: Document) => {
      const entry = entries.get(entryId(document.collection as OutboxEntry["type"], document.key));
      return entry ? foundAsShown(document, entryOf(entry)) : document;
    };
    return store.commit({ ...writes, put: put.map(shown) });
  });
}
