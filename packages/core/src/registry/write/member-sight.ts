import { sees } from "../../consent/visibility.ts";
import type { Problem } from "../../problem.ts";
import { newMembers } from "../../resource/decide-group.ts";
import type { LinkedWrite } from "../governance.ts";
import type { Settings } from "../settings.ts";
import { groupChangeOf } from "./decide-draft.ts";
import { maySee } from "./permission.ts";

/**
 * Refuses a caller that adds a member to a group whose `active` it may not see: the answer would tell whether the group is archived.
 * Decided before that is looked at.
 */
export function unseenGroup({ today }: Settings, { drafts }: LinkedWrite): Problem | undefined {
  for (const [entry, draft] of drafts.entries()) {
    if (draft.type !== "Group" || draft.before === null || sees(draft.visibility, "active")) continue;
    if (newMembers(groupChangeOf(draft, today())).length === 0) continue;
    const seen = maySee(["active"], draft.visibility);
    if (!seen.ok) return drafts.length > 1 ? { ...seen.problem, entry } : seen.problem;
  }
  return undefined;
}
