import { auditDocument } from "../../audit/document.ts";
import { type AuditEntry, auditOf } from "../../audit/types.ts";
import { fieldsChanged, undoOf } from "../../audit/undo.ts";
import type { Settings } from "../settings.ts";
import type { RecordChange, TransactionOptions } from "../types.ts";
import type { Draft } from "./draft.ts";
import type { CommitPart } from "./followers.ts";
import { metaOf, versionOf } from "./precondition.ts";

/** A write about to be committed. */
export interface AuditedWrite {
  readonly changes: readonly RecordChange[];
  readonly drafts: readonly Draft[];
  /** Of these, the author's words and clock are told. */
  readonly options: Pick<TransactionOptions, "reason" | "clockSkew">;
}

/** One audit document for each record written, in the commit that writes it: contract section 3.8. */
export function auditPart(
  { policies, now, newId }: Pick<Settings, "policies" | "now" | "newId">,
  { changes, drafts, options: { reason, clockSkew } }: AuditedWrite,
): CommitPart {
  if (!policies.audit) return {};
  const consents = new Map(drafts.map(({ key, visibility }) => [key, visibility.consents]));
  const put = changes.map(({ type, key, before, after, caller }) => {
    const under = consents.get(key) ?? [];
    const entry: AuditEntry = {
      // The version's own instant: a walk through sorted pages tells versions apart by it.
      at: metaOf(after)?.lastUpdated ?? now(),
      action: before === null ? "create" : "change",
      ...auditOf(caller),
      ...(under.length > 0 && { consents: under }),
      ...(reason !== undefined && { reason }),
      ...(clockSkew !== undefined && { clockSkew }),
      records: [`${type}/${key}`],
      fields: fieldsChanged(before, after),
      versionId: versionOf(after),
      undo: undoOf(before, after),
    };
    return auditDocument(entry, newId());
  });
  return { put };
}
