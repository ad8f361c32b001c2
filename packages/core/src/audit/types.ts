import type { Json } from "../json.ts";
import type { Caller, Page } from "../registry/types.ts";

/**
 * One thing done with personal data: contract section 3.8. Of a change there is one entry per record, in the commit that
 * makes the change; of a read one entry for all records of the answer. `duplicate` is a write of a restricted caller that was refused, since
 * it learned by that that the records are there.
 */
export interface AuditEntry {
  /** UTC instant, ISO 8601. */
  readonly at: string;
  readonly action: "read" | "search" | "feed" | "create" | "change" | "grant" | "revoke" | "duplicate";
  readonly clientId: string;
  readonly organization?: string;
  readonly requestId?: string;
  /** Why the caller may: its legal basis, or the consents that show or allow it. */
  readonly legalBasis?: string;
  readonly consents?: readonly string[];
  /**
   * The records, `Type/<key>`, where `key` is the internal one. Of a change: first the record that was changed, which
   * `versionId` and `undo` are about, then those it concerns, such as the subject of a consent.
   */
  readonly records: readonly string[];
  /** What was shown or changed: `"all"`, or top-level members. */
  readonly fields: "all" | readonly string[];
  /** Of a change: the version it made, and how to get back to the one before (`null` for a create). */
  readonly versionId?: string;
  readonly undo?: Json;
  /** Of a change: why, in its author's words. */
  readonly reason?: string;
  /** Of a change: by how many seconds its author's clock was ahead, where its dates were made of the corrected time. */
  readonly clockSkew?: number;
  /** Of a `duplicate`: the identifiers that were asked for and are taken, `Type/system|value`. */
  readonly identifiers?: readonly string[];
}

/** Keeps the entries of reads. A server gathers them and writes within a second. */
export type ReadAudit = (entry: AuditEntry) => void;

/** What an entry says of its caller. */
export function auditOf(caller: Caller): Pick<AuditEntry, "clientId"> & Partial<AuditEntry> {
  const { clientId, organization, requestId, legalBasis } = caller;
  return {
    clientId,
    ...(organization !== undefined && { organization }),
    ...(requestId !== undefined && { requestId }),
    ...(legalBasis !== undefined && { legalBasis }),
  };
}

/** A question to the trail. Parts are ANDed. */
export interface AuditQuery {
  /** `Type/<key>`. */
  readonly record?: string;
  readonly clientId?: string;
  /** Instants: from ≤ at < below. */
  readonly from?: string;
  readonly below?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface AuditPage {
  readonly data: readonly AuditEntry[];
  readonly nextCursor?: string;
}

/** One version of a record: contract section 5, `$history`. */
export interface HistoryEntry {
  readonly versionId: string;
  /** UTC instant. */
  readonly at: string;
  /** `urn:<namespace>:api-client:<client id>`. */
  readonly source: string;
  readonly action: "create" | "change";
  /** By how many seconds the author's clock was ahead of the server's, where it was corrected. */
  readonly clockSkew?: number;
  /** What changed: JSON pointers with the value before and after, as far as the caller may see them. */
  readonly changes: readonly HistoryChange[];
}

export interface HistoryChange {
  readonly field: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** A page of the versions of a record, newest first. */
export interface History extends Pick<Page<HistoryEntry>, "data" | "nextCursor" | "hasMore"> {
  /**
   * False on the last page where the record had earlier versions whose audit entries are kept no longer, or lie further back than one
   * request may read; else it is absent.
   */
  readonly complete?: false;
}
