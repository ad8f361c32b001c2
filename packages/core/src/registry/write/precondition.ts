import type { JsonObject } from "../../json.ts";
import type { Problem } from "../../problem.ts";
import type { Meta } from "../../resource/common.ts";
import type { StoredRecord } from "../record/document.ts";
import type { IfMatch } from "../types.ts";

/** The version of a record, as its callers know it. */
export function versionOf(record: JsonObject): string {
  return metaOf(record)?.versionId ?? "0";
}

/** The `meta` of a record in stored form. */
export function metaOf(record: JsonObject): Meta | null {
  return (record.meta as Meta | undefined) ?? null;
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
  if (ifMatch === "*" || ifMatch.includes(current)) return undefined;
  const expected = ifMatch.length === 0 ? "none that can match" : ifMatch.join(", ");
  return {
    kind: "conflict",
    detail: `Expected version ${expected}, but the current version is ${current}. Fetch it, merge your changes and send them with If-Match: "${current}".`,
    currentVersion: current,
  };
}
