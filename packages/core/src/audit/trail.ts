import type { Outcome } from "../problem.ts";
import { notYet } from "../registry/not-yet.ts";
import type { Settings } from "../registry/settings.ts";
import type { AuditPage, AuditQuery } from "./types.ts";

/** Reads the audit trail: contract section 3.8. */
export async function auditTrail(_settings: Settings, _query: AuditQuery): Promise<Outcome<AuditPage>> {
  return notYet();
}
