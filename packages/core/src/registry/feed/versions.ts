import { changesBackwards } from "../../audit/trail.ts";
import { undone } from "../../audit/undo.ts";
import type { JsonObject } from "../../json.ts";
import type { StoredRecord } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import { metaOf, versionOf } from "../write/precondition.ts";

/** What a record was like for a time: instants, UTC. */
export interface Version {
  /** Empty where it was so before anybody asks. */
  readonly from: string;
  /** The instant of the next version. */
  readonly until?: string;
  /** In stored form; of former versions without `meta`. */
  readonly record: JsonObject;
}

/** The versions that a record had since an instant, oldest first: by the audit trail, where the record changed since then. */
export async function versionsSince(
  settings: Settings,
  { type, key, record }: StoredRecord,
  since: string,
): Promise<readonly Version[]> {
  if ((metaOf(record)?.lastUpdated ?? "") < since) return [{ from: "", record }];
  const newest = Number(versionOf(record));
  const versions: Version[] = [];
  let state = record;
  let until: string | undefined;
  for await (const { at, undo = null } of changesBackwards(settings, `${type}/${key}`, newest)) {
    versions.unshift({ from: at, ...(until !== undefined && { until }), record: state });
    const before = at < since ? null : undone(state, undo);
    if (!before) return versions;
    state = before;
    until = at;
  }
  return [{ from: "", ...(until !== undefined && { until }), record: state }, ...versions];
}

/** The versions at an instant: of two that meet in it, both. */
export function versionsAt(versions: readonly Version[], instant: string): readonly Version[] {
  return versions.filter(({ from, until }) => from <= instant && (until === undefined || until >= instant));
}
