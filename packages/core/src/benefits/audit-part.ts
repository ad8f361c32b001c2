import { auditDocument } from "../audit/document.ts";
import { type AuditEntry, auditOf } from "../audit/types.ts";
import type { Json } from "../json.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller } from "../registry/types.ts";
import type { Document } from "../store/port.ts";

/** One change of one document. */
export interface AuditedChange {
  readonly action: "create" | "change";
  /** `<Kind>/<key>`. */
  readonly record: string;
  readonly version: number;
  /** Of a change: top-level members. Default all. */
  readonly fields?: readonly string[];
  /** Of a change: the reverse merge-patch. */
  readonly undo?: Json;
  readonly reason?: string | undefined;
}

/** The audit entry of a change, to commit together with it: contract section 3.8. */
export function auditPart(
  settings: Settings,
  caller: Caller,
  { action, record, version, fields, undo = null, reason }: AuditedChange,
): { readonly put: readonly Document[] } {
  if (!settings.policies.audit) return { put: [] };
  const entry: AuditEntry = {
    at: settings.now(),
    action,
    ...auditOf(caller),
    records: [record],
    fields: fields ?? "all",
    versionId: String(version),
    undo,
    ...(reason !== undefined && { reason }),
  };
  return { put: [auditDocument(entry, settings.newId())] };
}
