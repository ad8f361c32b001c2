import type { Meta } from "../../resource/common.ts";
import type { Caller } from "../types.ts";

/**
 * The `meta` of a record's next version: versionId counts up by one, lastUpdated is now but never earlier than
 * before, source names the caller (contract section 1).
 */
export function nextMeta(namespace: string) {
  return (previous: Meta | null, caller: Caller, now: string): Meta => ({
    versionId: String(Number(previous?.versionId ?? "0") + 1),
    lastUpdated: previous && previous.lastUpdated > now ? previous.lastUpdated : now,
    source: `urn:${namespace}:api-client:${caller.clientId}`,
  });
}
