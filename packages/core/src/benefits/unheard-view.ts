import { recordView } from "../registry/record-view.ts";
import { allScopes } from "../registry/scopes.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, RecordView } from "../registry/types.ts";

/**
 * Records as a caller sees them, for deciding what it asks for and never for answering it: so it needs no scope to read, and
 * the audit trail is told of no read.
 */
export function unheardView(settings: Settings, caller: Caller): RecordView {
  const { onRead: _, ...config } = settings.config;
  return recordView({ ...settings, config }, { ...caller, scopes: allScopes });
}
