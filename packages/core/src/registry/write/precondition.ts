import type { JsonObject } from "../../json.ts";
import type { Problem } from "../../problem.ts";
import type { Meta } from "../../resource/common.ts";
import type { StoredRecord } from "../record/document.ts";
import type { IfMatch, WriteEntry } from "../types.ts";

/** The version of a record, as its callers know it. */
export function versionOf(record: JsonObject): string {
  return metaOf(record)?.versionId ?? "0";
}

/** The `meta` of a record in stored form. */
export function metaOf(record: JsonObject): Meta | null {
  return (record.meta as Meta | undefined) ?? null;
}

/**
 * Refuses what is no {@link IfMatch} at all, as plain JavaScript may give: of a bare text such as `"12"` each part would be
 * taken for a version.
 */
export function misstated(ifMatch: unknown): Problem | undefined {
  if (ifMatch === undefined || ifMatch === "*") return undefined;
  if (Array.isArray(ifMatch) && ifMatch.every((tag) => typeof tag === "string")) return undefined;
  const message = 'must be "*" or a list of versionIds, such as ["1"]';
  const errors = [{ field: "ifMatch", code: "invalid_parameter", message }];
  return { kind: "bad-request", detail: `The option ifMatch ${message}.`, errors };
}

/** The first of a write's entries that names the version it replaces in another form. */
export function misstatedIn(entries: readonly WriteEntry[]): Problem | undefined {
  return entries
    .map((entry) => misstated("ifMatch" in entry ? entry.ifMatch : undefined))
    .find((problem) => problem !== undefined);
}

/** Compares what a caller says it replaces with what is there (RFC 9110 section 13.1.1); a missing word is refused too. */
export function precondition(found: StoredRecord, ifMatch: IfMatch | undefined): Problem | undefined {
  const current = versionOf(found.record);
  if (ifMatch === undefined) {
    return {
      kind: "precondition-required",
      detail: `Say in If-Match which version you change; the current one is "${current}". Fetch the record first.`,
    };
  }
  if (ifMatch === "*") return undefined;
  const tags = [current, `${current}.${found.key}`];
  if (metaOf(found.record) && tags.some((tag) => ifMatch.includes(tag))) return undefined;
  return isOfAnother(found, ifMatch) ? otherRecord : versionConflict(current, ifMatch);
}

/** Whether every version that is named is one of another record: `<versionId>.<key>`, the key as feeds tell it. */
function isOfAnother({ key }: StoredRecord, ifMatch: readonly string[]): boolean {
  const keys = ifMatch.map((tag) => tag.split(".", 2)[1]);
  return key !== "" && keys.length > 0 && keys.every((named) => named !== undefined && named !== key);
}

const otherRecord: Problem = {
  kind: "conflict",
  detail:
    "If-Match names a version of another record than the one that has this identifier now. Read the change feed to learn what that one is called, and send the change there.",
  errors: [
    { field: "If-Match", code: "other_record", message: "names another record than the one at this address" },
  ],
};

/** What a caller is told who expects other versions than the current one. */
export function versionConflict(current: string, ifMatch: readonly string[]): Problem {
  const named = ifMatch.filter((tag) => tag !== "");
  const expected = named.length === 0 ? "none that can match" : named.join(", ");
  return {
    kind: "conflict",
    detail: `Expected version ${expected}, but the current version is ${current}. Fetch it, merge your changes and send them with If-Match: "${current}".`,
    currentVersion: current,
  };
}
