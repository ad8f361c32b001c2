import type { Group } from "../../resource/group.ts";
import { notYet } from "../not-yet.ts";
import type { Settings } from "../settings.ts";
import type { Caller, GroupVerbs, RecordView } from "../types.ts";

/** The verbs of groups, member operations included. */
export function groupVerbs(_settings: Settings, _caller: Caller, { groups }: RecordView): GroupVerbs<Group> {
  return { ...groups, addMember: notYet, removeMember: notYet, merge: notYet, split: notYet };
}
