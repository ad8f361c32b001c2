import { failure, type Outcome, success } from "../../problem.ts";
import { type ResourceType, resourceTypes } from "../../resource/types.ts";
import type { Change, ChangesPage, ChangesRequest, StoredDocument } from "../../store/port.ts";
import { StoreError } from "../../store/port.ts";
import { documentsOf } from "../every-page.ts";
import { recordKey, type StoredRecord, storedRecord } from "../record/document.ts";
import { mayUse } from "../scopes.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";

/** Reads a page of a feed from the store. A cursor that is none of its own is a `bad-request`. */
export async function storePage(
  { store }: Pick<Settings, "store">,
  request: ChangesRequest,
): Promise<Outcome<ChangesPage>> {
  try {
    return success(await store.changes(request));
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "bad-cursor") throw error;
    return failure({
      kind: "bad-request",
      detail: "The cursor is not one of this registry's data. Start again without a cursor.",
      errors: [{ field: "cursor", code: "invalid_cursor", message: "is not a cursor of this feed" }],
    });
  }
}

/** A changed record as it is now, and whether it left the feed. */
export interface ChangedRecord {
  readonly stored: StoredRecord;
  readonly left: boolean;
}

/** The changed records that a caller's scopes let it read, those that left the feed as they are elsewhere. */
export async function changedRecords(
  settings: Settings,
  caller: Caller,
  changes: readonly Change[],
): Promise<readonly ChangedRecord[]> {
  const readable = changes.flatMap((change) => {
    const type = typeOf(change);
    return type && mayUse(settings, caller, { type, access: "read" }).ok ? [change] : [];
  });
  const gone = readable.flatMap((change) => (change.kind === "gone" ? [change] : []));
  const left = new Map<string, StoredDocument>();
  if (gone.length > 0) {
    const keys = gone.map(({ collection, key }) => recordKey(collection as ResourceType, key));
    for await (const documents of documentsOf(settings.store, keys)) {
      for (const document of documents) if (document) left.set(document.key, document);
    }
  }
  return readable.flatMap((change): ChangedRecord[] => {
    if (change.kind === "put") return [{ stored: storedRecord(change.document), left: false }];
    const document = left.get(change.key);
    return document ? [{ stored: storedRecord(document), left: true }] : [];
  });
}

/** The key of the record that a change is of. */
export function keyOf(change: Change): string {
  return change.kind === "put" ? change.document.key : change.key;
}

function typeOf(change: Change): ResourceType | undefined {
  const collection = change.kind === "put" ? change.document.collection : change.collection;
  return resourceTypes.find((known) => known === collection);
}
