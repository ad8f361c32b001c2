import {
  isJsonObject,
  type Json,
  type JsonObject,
  type Links,
  type ResourceType,
  rawReference,
  resourceTypes,
  storedForm,
} from "@fieldroll/core";
import type { PulledItem } from "../device/locate.ts";
import { showing } from "../model/hidden.ts";
import { shownIn } from "./reply.ts";

/** A page of a change feed as it was answered, its records in stored form. */
export interface PulledPage {
  readonly items: readonly PulledItem[];
  readonly cursor: string;
  readonly more: boolean;
  readonly epoch: string;
  /** Whether it comes from searches: its items have no keys yet, and what left is not told. */
  readonly plain?: boolean;
}

/**
 * A record of the API: of the type asked for, with an identifier, and with a version unless consents hide it.
 *
 * @param shows what is shown of it, where that is not all
 */
export function recordIn(
  type: ResourceType,
  body: JsonObject,
  shows?: readonly string[],
): JsonObject | undefined {
  const { meta, identifier } = body;
  const known = body.type === type && Array.isArray(identifier) && identifier.length > 0;
  if (!known || !(meta === undefined || hasVersion(meta))) return undefined;
  const record = storedForm(type, body);
  return shows ? showing(record, shows) : record;
}

function hasVersion(meta: Json): boolean {
  return isJsonObject(meta) && typeof meta.versionId === "string" && meta.versionId !== "";
}

/** A page of a change feed, if that is what the body is. What it tells of kinds of records that a later version brings is none here. */
export function pageIn(body: JsonObject): PulledPage | undefined {
  const head = headIn(body);
  if (!head || !Array.isArray(body.data)) return undefined;
  const items = body.data.filter((item) => !isOfLaterKind(item)).map(itemIn);
  if (!items.every((item) => item !== undefined)) return undefined;
  return { ...head, items };
}

/** What a page says of the feed itself: that can be read even where an item can't. */
export function headIn({ pagination, epoch }: JsonObject): PulledPage | undefined {
  if (!isJsonObject(pagination) || typeof epoch !== "string") return undefined;
  if (typeof pagination.next_cursor !== "string") return undefined;
  return { items: [], cursor: pagination.next_cursor, more: pagination.has_more === true, epoch };
}

function isOfLaterKind(value: Json): boolean {
  if (!isJsonObject(value) || typeof value.type !== "string") return false;
  return !resourceTypes.some((name) => name === value.type);
}

/** One that can't be read makes the page no answer: a cursor goes past what was applied, and nothing else. */
function itemIn(value: Json): PulledItem | undefined {
  if (!isJsonObject(value)) return undefined;
  const { key, reference, versionId, change, reason } = value;
  const type = resourceTypes.find((name) => name === value.type);
  if (!type || typeof key !== "string" || typeof reference !== "string") return undefined;
  if (change !== "upsert" && change !== "removed") return undefined;
  const record = isJsonObject(value.record) ? recordIn(type, value.record, shownIn(value.shows)) : undefined;
  if (change === "upsert" && !record) return undefined;
  return {
    type,
    key,
    reference,
    versionId: String(versionId),
    change,
    record: record ?? null,
    reason: typeof reason === "string" ? reason : "left-feed",
    ...(typeof value.photo === "boolean" && { photo: value.photo }),
    ...(isJsonObject(value.keys) && { keys: linksIn(value.keys) }),
  };
}

function linksIn(keys: JsonObject): Links {
  return Object.fromEntries(
    Object.entries(keys).flatMap(([reference, key]) =>
      typeof key === "string" ? [[rawReference(reference), key] as const] : [],
    ),
  );
}
