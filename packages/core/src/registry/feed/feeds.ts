import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Policies } from "../policies.ts";
import type { StoredRecord } from "../record/document.ts";

/**
 * The feeds of a record by default (contract section 5): `all`, `programs` for a program, and one feed for each
 * prefix of `area:<country>/<state>/<city>` of its addresses. A membership follows its beneficiary, so its
 * feeds are those of the beneficiary's record.
 */
export function areaFeeds(record: JsonObject, type: ResourceType): readonly string[] {
  if (type === "Program") return ["all", "programs"];
  const addresses: readonly Json[] = Array.isArray(record.address) ? record.address : [];
  return [...new Set(["all", ...addresses.filter(isJsonObject).flatMap(areasOf)])];
}

/** The feeds that a record is told in: those of its own content, or of its beneficiary's where it is an enrollment of one. */
export function recordFeeds(
  { feeds }: Pick<Required<Policies>, "feeds">,
  own: Pick<StoredRecord, "type" | "record">,
  beneficiary: Pick<StoredRecord, "type" | "record"> | undefined,
): readonly string[] {
  const { record, type } = beneficiary ?? own;
  return feeds(record, type);
}

function areasOf(address: JsonObject): string[] {
  const parts: string[] = [];
  for (const part of [address.country, address.state, address.city]) {
    if (typeof part !== "string" || part === "") break;
    parts.push(part.replaceAll("%", "%25").replaceAll("/", "%2F"));
  }
  return parts.map((_, i) => `area:${parts.slice(0, i + 1).join("/")}`);
}
