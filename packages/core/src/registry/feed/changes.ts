import { wholeVisibility } from "../../consent/visibility.ts";
import type { Json } from "../../json.ts";
import { type Outcome, success } from "../../problem.ts";
import { resourceTypes } from "../../resource/types.ts";
import { checkReadOptions } from "../present.ts";
import { requireScope } from "../scopes.ts";
import { readCursor, writeCursor } from "../search/cursor.ts";
import { limitOf } from "../search/one-parameter.ts";
import type { Settings } from "../settings.ts";
import { isBound } from "../sight.ts";
import type { Caller, FeedItem, FeedPage, FeedRequest } from "../types.ts";
import { feedItems, fittingPhotos, type News, spendOn } from "./feed-items.ts";
import { type ChangedRecord, changedRecords, storePage } from "./store-page.ts";

/** What a reader of a feed asks for, understood. */
export interface PageRequest {
  readonly request: FeedRequest;
  readonly limit: number;
  /** What an earlier page's cursor said. */
  readonly from: Json | undefined;
}

/** A page, and where to go on. */
export interface FeedPart {
  readonly data: readonly FeedItem[];
  readonly next: Json;
  readonly more: boolean;
}

/**
 * Reads a page of a change feed (contract section 5). Items are the newest state of each record; what left the
 * feed, was archived or is hidden from the caller by now is told by reference and reason alone.
 */
export async function readChanges(
  settings: Settings,
  caller: Caller,
  request: FeedRequest & { readonly epoch: string },
): Promise<Outcome<FeedPage>> {
  const allowed = requireScope(caller, "registry:read");
  if (!allowed.ok) return allowed;
  const understood = checkReadOptions(resourceTypes, request, settings);
  if (!understood.ok) return understood;
  const limit = limitOf(request.limit === undefined ? undefined : String(request.limit));
  if (!limit.ok) return limit;
  const belongsTo = `feed\n${request.feed}\n${viewOf(caller)}`;
  const from = request.cursor === undefined ? success(undefined) : readCursor(belongsTo, request.cursor);
  if (!from.ok) return from;
  const asked = { request, limit: limit.value, from: from.value };
  const { governance } = settings;
  const page =
    governance && isBound(caller)
      ? await governance.boundPage(settings, caller, asked)
      : await openPage(settings, caller, asked);
  if (!page.ok) return page;
  const { data, next, more } = page.value;
  return success({ data, nextCursor: writeCursor(belongsTo, next), hasMore: more, epoch: request.epoch });
}

/** What a caller's answers depend on: a cursor belongs to it. What the caller may write changes no answer. */
export function viewOf(caller: Caller): string {
  const { organization, organizationType, legalBasis, fields, purpose } = caller;
  const scopes = caller.scopes.filter((scope) => scope.endsWith(":read")).sort();
  return JSON.stringify([organization, organizationType, legalBasis, fields, purpose, scopes]);
}

/** The page of a caller who sees every record. */
async function openPage(
  settings: Settings,
  caller: Caller,
  { request, limit, from }: PageRequest,
): Promise<Outcome<FeedPart>> {
  const { feed } = request;
  const { budget } = settings;
  const page = await storePage(settings, {
    feed,
    limit,
    ...(budget.bytesLeft() < Number.POSITIVE_INFINITY && { bytes: Math.max(1, budget.bytesLeft()) }),
    ...(from !== undefined && { cursor: String(from) }),
  });
  if (!page.ok) return page;
  const { changes, next, more } = page.value;
  budget.spendRecords(changes.length);
  const news = (await changedRecords(settings, caller, changes)).map(openNews);
  const room = fittingPhotos(settings, { news, options: request, isEmpty: true });
  if (room < news.length) return openPage(settings, caller, { request, limit: room, from });
  spendOn(settings, news, request);
  return success({ data: await feedItems(settings, caller, { news, options: request }), next, more });
}

function openNews({ stored, left }: ChangedRecord): News {
  const visibility = wholeVisibility;
  if (left) return { kind: "removed", stored, visibility, reason: "left-feed" };
  if (stored.record.active === false) return { kind: "removed", stored, visibility, reason: "archived" };
  return { kind: "upsert", stored, visibility };
}
