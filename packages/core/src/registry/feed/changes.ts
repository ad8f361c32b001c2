import type { JsonObject } from "../../json.ts";
import { failure, type Outcome, success } from "../../problem.ts";
import { resourceTypes } from "../../resource/types.ts";
import type { Change, StoredDocument } from "../../store/port.ts";
import { StoreError } from "../../store/port.ts";
import { type StoredRecord, storedRecord } from "../record/document.ts";
import { referenceTo, render } from "../record/render.ts";
import { mayUse, requireScope } from "../scopes.ts";
import { readCursor, writeCursor } from "../search/cursor.ts";
import { limitOf } from "../search/search.ts";
import type { Settings } from "../settings.ts";
import type { Caller, FeedItem, FeedPage, FeedRequest } from "../types.ts";

/**
 * Reads a page of a change feed (contract section 5). Items are the newest state of each record; what left the
 * feed or was archived is told by reference and reason alone.
 */
export async function readChanges(
  settings: Settings,
  caller: Caller,
  request: FeedRequest & { readonly epoch: string },
): Promise<Outcome<FeedPage>> {
  const allowed = requireScope(caller, "registry:read");
  if (!allowed.ok) return allowed;
  const limit = limitOf(request.limit === undefined ? undefined : String(request.limit));
  if (!limit.ok) return limit;
  const belongsTo = `feed\n${request.feed}\n${viewOf(caller)}`;
  const cursor = request.cursor === undefined ? success(undefined) : readCursor(belongsTo, request.cursor);
  if (!cursor.ok) return cursor;
  const page = await storePage(settings, { feed: request.feed, limit: limit.value, cursor: cursor.value });
  if (!page.ok) return page;
  const { changes, next, more } = page.value;
  const data = await items(settings, caller, changes);
  return success({ data, nextCursor: writeCursor(belongsTo, next), hasMore: more, epoch: request.epoch });
}

/** What a caller's answers depend on: a cursor belongs to it. */
export function viewOf({ organization, organizationType, legalBasis, fields, scopes }: Caller): string {
  return JSON.stringify([organization, organizationType, legalBasis, fields, [...scopes].sort()]);
}

async function storePage(settings: Settings, request: { feed: string; limit: number; cursor: unknown }) {
  const { cursor, ...rest } = request;
  try {
    return success(
      await settings.store.changes({ ...rest, ...(cursor !== undefined && { cursor: String(cursor) }) }),
    );
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "bad-cursor") throw error;
    return failure({
      kind: "bad-request",
      detail: "The cursor is not one of this registry's data. Start again without a cursor.",
      errors: [{ field: "cursor", code: "invalid_cursor", message: "is not a cursor of this feed" }],
    });
  }
}

async function items(
  settings: Settings,
  caller: Caller,
  changes: readonly Change[],
): Promise<readonly FeedItem[]> {
  const readable = changes.filter((change) => isReadable(settings, caller, collectionOf(change)));
  const gone = readable.flatMap((change) => (change.kind === "gone" ? [change] : []));
  const left = new Map<string, StoredDocument>();
  for (const document of await settings.store.get(gone)) if (document) left.set(document.key, document);
  const current = readable.flatMap((change) =>
    change.kind === "put" ? [storedRecord(change.document)] : [],
  );
  const shown = current.filter((stored) => stored.record.active !== false);
  const records = await render(shown, { store: settings.store, today: settings.today() });
  const rendered = new Map(shown.map((stored, i) => [stored.key, records[i]]));
  return readable.flatMap((change): FeedItem[] => {
    const document = change.kind === "put" ? change.document : left.get(change.key);
    if (!document) return [];
    const stored = storedRecord(document);
    const record = rendered.get(stored.key);
    if (change.kind === "put" && record)
      return [{ ...head(stored), change: "upsert", record: withoutPhoto(record) }];
    const reason = change.kind === "put" ? "archived" : "left-feed";
    return [{ ...head(stored), change: "removed", reason }];
  });
}

function head({
  type,
  key,
  record,
}: StoredRecord): Pick<FeedItem, "type" | "reference" | "key" | "versionId"> {
  const meta = record.meta as { versionId?: string } | undefined;
  return { type, reference: referenceTo(type, record), key, versionId: meta?.versionId ?? "0" };
}

function collectionOf(change: Change): string {
  return change.kind === "put" ? change.document.collection : change.collection;
}

function isReadable(settings: Settings, caller: Caller, collection: string): boolean {
  const type = resourceTypes.find((known) => known === collection);
  return type !== undefined && mayUse(settings, caller, { type, access: "read" }).ok;
}

/** Photos are large and most readers do without: contract section 2. */
export function withoutPhoto({ photo: _, ...record }: JsonObject): JsonObject {
  return record;
}
