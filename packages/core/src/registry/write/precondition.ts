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

/** What a failed precondition says to who may not see the version. */
export function withoutVersion(problem: Problem): Problem {
  const { kind, currentVersion: _, ...rest } = problem;
  if (kind === "precondition-required") {
    return { ...rest, kind, detail: 'Say in If-Match which version you change; "*" is for any.' };
  }
  if (kind !== "conflict") return problem;
  const detail =
    "The current version is not one that If-Match names. Fetch the record, and merge your changes.";
  return { ...rest, kind, detail };
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
  const named = ifMatch.filter((tag) => tag !== "");
  const expected = named.length === 0 ? "none that can match" : named.join(", ");
  return {
    kind: "conflict",
    detail: `Expected version ${expected}, but the current version is ${current}. Fetch it, merge your changes and send them with If-Match: "${current}".`,
    currentVersion: current,
  };
}
