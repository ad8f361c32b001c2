import { isJsonObject, type Json, type JsonObject, pointerTo, sameJson } from "../json.ts";
import type { AuditEntry, HistoryChange, HistoryEntry } from "./types.ts";

/** A record before and after one change, as a reader sees it. */
interface Step {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Describes one version of a record by the audit entry of its change: contract section 5, `$history`. Pure. */
export function historyEntry(
  { at, action, clientId, clockSkew, versionId = "0" }: AuditEntry,
  namespace: string,
  { before, after }: Step,
): HistoryEntry {
  return {
    versionId,
    at,
    source: `urn:${namespace}:api-client:${clientId}`,
    action: action === "create" ? "create" : "change",
    ...(clockSkew !== undefined && { clockSkew }),
    changes: changesBetween(before, after),
  };
}

function changesBetween(before: JsonObject, after: JsonObject, parent = ""): readonly HistoryChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): readonly HistoryChange[] => {
    const [was, is] = [before[name], after[name]];
    const field = pointerTo(parent, name);
    if (sameJson(was, is)) return [];
    if (isJsonObject(was) && isJsonObject(is)) return changesBetween(was, is, field);
    return [{ field, ...valueAs("before", was, field), ...valueAs("after", is, field) }];
  });
}

/** The values of photos are left out: they are too large. */
function valueAs(side: "before" | "after", value: Json | undefined, field: string) {
  return value === undefined || field === "/photo" ? {} : { [side]: value };
}
