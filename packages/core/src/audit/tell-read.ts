import type { Visibility } from "../consent/visibility.ts";
import type { JsonObject } from "../json.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller } from "../registry/types.ts";
import { type AuditEntry, auditOf } from "./types.ts";

/** A record as an answer shows it. */
export interface Shown {
  readonly type: string;
  readonly key: string;
  readonly record: JsonObject;
  readonly visibility: Visibility;
}

/**
 * Tells the audit trail what an answer shows: one entry for all its records, none when it tells of no person (contract
 * section 3.8). The entry holds names of fields and never their values.
 */
export function tellRead(
  { config, now }: Pick<Settings, "config" | "now">,
  caller: Caller,
  { action, shown }: { readonly action: AuditEntry["action"]; readonly shown: readonly Shown[] },
): void {
  const personal = shown.filter(({ type }) => type !== "Program");
  if (!config.onRead || personal.length === 0) return;
  const consents = [...new Set(personal.flatMap(({ visibility }) => visibility.consents))];
  config.onRead({
    at: now(),
    action,
    ...auditOf(caller),
    ...(consents.length > 0 && { consents }),
    records: personal.map(({ type, key }) => `${type}/${key}`),
    fields: shownFields(personal),
  });
}

function shownFields(shown: readonly Shown[]): readonly string[] {
  const [first, ...others] = shown;
  if (first && others.length === 0) return fieldsOf(first.record);
  return [...new Set(shown.flatMap(({ record }) => fieldsOf(record)))];
}

/** Top-level members, extensions one by one. */
function fieldsOf(record: JsonObject): readonly string[] {
  const members = Object.keys(record);
  if (!members.includes("extension")) return members;
  const names = Object.keys(record.extension ?? {}).map((name) => `extension.${name}`);
  return members.flatMap((member) => (member === "extension" ? names : [member]));
}
