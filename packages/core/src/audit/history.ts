import { sees, type Visibility, visiblePart } from "../consent/visibility.ts";
import { isJsonObject, type Json, type JsonObject, pointerTo, sameJson } from "../json.ts";
import type { AuditEntry, History, HistoryChange, HistoryEntry } from "./types.ts";
import { undone } from "./undo.ts";

/**
 * The versions of a record, newest first, from its present state and the audit entries of its changes (contract section 5,
 * `$history`), as far back as entries are kept. Each names its author and its instant, which are `meta`: a caller that does not see `meta`
 * gets no entries. Pure.
 *
 * @param record as a reader would get it: references printed, nothing derived
 * @param print turns a former state, in stored form, into such a record
 */
export function historyOf(
  stored: JsonObject,
  entries: readonly AuditEntry[],
  {
    visibility,
    namespace,
    print,
  }: {
    readonly visibility: Visibility;
    readonly namespace: string;
    readonly print: (record: JsonObject) => JsonObject;
  },
): History {
  if (!sees(visibility, "meta")) return { data: [] };
  const newestFirst = [...entries].sort((a, b) => Number(b.versionId) - Number(a.versionId));
  const versions: HistoryEntry[] = [];
  let after: JsonObject | null = withoutMeta(stored);
  for (const { at, action, clientId, clockSkew, versionId = "0", undo = null } of newestFirst) {
    if (after === null) break;
    const before = undone(after, undo);
    const seen = (record: JsonObject | null) => (record ? visiblePart(print(record), visibility) : {});
    versions.push({
      versionId,
      at,
      source: `urn:${namespace}:api-client:${clientId}`,
      action: action === "create" ? "create" : "change",
      ...(clockSkew !== undefined && { clockSkew }),
      changes: changesBetween(seen(before), seen(after)),
    });
    after = before;
  }
  return { data: versions, ...(after !== null && { complete: false }) };
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

/** Photos are too large to be told twice. */
function valueAs(side: "before" | "after", value: Json | undefined, field: string) {
  return value === undefined || field === "/photo" ? {} : { [side]: value };
}

function withoutMeta({ meta: _, ...record }: JsonObject): JsonObject {
  return record;
}
