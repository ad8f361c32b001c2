import type { JsonObject } from "../../json.ts";
import { invalid, type Problem } from "../../problem.ts";
import { decideGroup } from "../../resource/decide-group.ts";
import { decideMembership } from "../../resource/decide-membership.ts";
import { validateRecord } from "../../resource/schemas.ts";
import type { ResourceType } from "../../resource/types.ts";
import { contentOf, wireForm } from "../record/stored.ts";
import type { Settings } from "../settings.ts";

/** A record that was made of two copies of it, all in stored form. */
export interface MergedRecord {
  readonly type: ResourceType;
  readonly record: JsonObject;
  readonly ours: JsonObject;
  /** The newer copy, which the merged record is to replace. */
  readonly theirs: JsonObject;
}

/** See {@link RecordRegistry.judge}. */
export function judgeMerged(
  { schemas, today }: Pick<Settings, "schemas" | "today">,
  { type, record, ours, theirs }: MergedRecord,
): Problem | undefined {
  const sent = (copy: JsonObject) => wireForm(type, contentOf(copy));
  const faultsBeside = (copy: JsonObject) => {
    const valid = validateRecord(type, sent(record), schemas, { record: sent(copy) });
    return valid.ok ? [] : (valid.problem.errors ?? []);
  };
  const besideOurs = new Set(faultsBeside(ours).map(({ field, message }) => `${field} ${message}`));
  const brought = faultsBeside(theirs).filter(({ field, message }) => besideOurs.has(`${field} ${message}`));
  if (brought.length > 0) return invalid(brought);
  if (type === "Group") {
    const faults = decideGroup({ before: theirs, after: record, today: today() });
    return faults.length > 0 ? invalid(faults) : undefined;
  }
  if (type !== "ProgramMembership") return undefined;
  // Who has two names may be called by either: whether it changed hands is for the server to say.
  const sameRecord = () => true;
  const change = { before: theirs, after: record, today: today(), onlyBrought: true, sameRecord };
  const moved = decideMembership(change);
  return moved.ok ? undefined : moved.problem;
}
