import { sees } from "../../consent/visibility.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { rawReference } from "../../resource/reference.ts";
import { entriesMeet } from "../../store/match.ts";
import { activeMembers } from "../record/render.ts";
import { type Candidate, membershipsOf } from "./candidate.ts";
import type { GroupChoice } from "./parameter-kinds.ts";
import { hasRole } from "./roles.ts";
import type { Criteria } from "./search.ts";

/** What meeting criteria depends on besides the record. */
export interface Circumstances {
  /** YYYY-MM-DD */
  readonly today: string;
  readonly namespace: string;
}

/** Whether criteria ask for something that a store's index can't tell. */
export function needsLook({ not, members, groups, roles }: Criteria): boolean {
  return [not, members, groups, roles].some((part) => part.length > 0);
}

/** Whether criteria look at a person's memberships, which are derived. */
export function needsMemberships({ groups, roles }: Criteria): boolean {
  return groups.length > 0 || roles.length > 0;
}

/** Whether a record, as its caller sees it, meets every criterion. Pure. */
export function meets(
  candidate: Candidate,
  criteria: Criteria,
  { today, namespace }: Circumstances,
): boolean {
  const { entries } = candidate;
  return (
    entriesMeet(entries, criteria.where) &&
    !criteria.not.some((condition) => entriesMeet(entries, [condition])) &&
    !(criteria.withoutArchived && entries.active?.includes("false")) &&
    criteria.members.every((wanted) => hasMember(candidate, wanted, today)) &&
    (!needsMemberships(criteria) || belongs(candidate, criteria, namespace))
  );
}

function hasMember({ record, links }: Candidate, wanted: readonly string[], today: string): boolean {
  return activeMembers(record, today).some(({ entity }) => {
    if (!isJsonObject(entity)) return false;
    const reference = String(entity.reference);
    return wanted.includes(links[reference] ?? reference) || wanted.includes(reference);
  });
}

/** A role asked for together with a group is the role in that group: of two groups, either may not lend its role. */
function belongs(candidate: Candidate, { groups, roles }: Criteria, namespace: string): boolean {
  const memberships = membershipsOf(candidate);
  if (!memberships) return false;
  const inRole = (membership: JsonObject, role: readonly string[]) => hasRole(membership, role, namespace);
  if (groups.length === 0) {
    return roles.every((role) => memberships.some((membership) => inRole(membership, role)));
  }
  return groups.every((choice) => {
    const within = memberships.filter((membership) => isIn(membership, choice));
    if (roles.length > 0) return roles.every((role) => within.some((membership) => inRole(membership, role)));
    return within.length > 0 || (choice.none && memberships.length === 0 && seesGroups(candidate));
  });
}

function isIn({ group }: JsonObject, { groups }: GroupChoice): boolean {
  if (!isJsonObject(group)) return false;
  const reference = rawReference(String(group.reference));
  return groups.some(({ references }) => references.includes(reference));
}

function seesGroups({ visibility }: Candidate): boolean {
  return sees(visibility, "groupMembership.group");
}
