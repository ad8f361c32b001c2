import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { type FieldError, failure, invalid, type Problem, success } from "../../problem.ts";
import { referenceSchema, requiredIdentifiersSchema } from "../../resource/common.ts";
import { archivedGroup } from "../../resource/decide-group.ts";
import { isActiveHead, isActiveMember } from "../../resource/derived.ts";
import { list, maxItems } from "../../resource/list.ts";
import type { StoredReference } from "../../resource/reference.ts";
import { validateRecord } from "../../resource/schemas.ts";
import { nonEmptyLine } from "../../resource/strings.ts";
import type { Links } from "../record/document.ts";
import { wireForm } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import { memberAt, rawOf, readBody } from "./body.ts";
import {
  ended,
  headRole,
  lastDay,
  type Member,
  membersOf,
  type Person,
  placeOf,
  withoutRole,
} from "./members.ts";
import {
  type Asking,
  type GroupRequest,
  type Operation,
  recordsNamed,
  unmet,
  withoutEntry,
} from "./operation.ts";

/** The body of `$split`. */
export const splitSchema = z.strictObject({
  identifier: requiredIdentifiersSchema,
  name: nonEmptyLine(255),
  members: list(referenceSchema(["Individual"]), maxItems.member).meta({ minItems: 1 }),
  head: referenceSchema(["Individual"]).exactOptional(),
});

/** Who goes, by the place in `members`; `undefined` where the reference can't be read. */
interface Leaving {
  readonly people: readonly (Person | undefined)[];
  readonly head: Person | undefined;
}

/**
 * Plans `$split`: contract section 5. The members named leave the group as by `$remove-member` and make up a new one of the
 * same type at the same address, with the roles and periods that they had.
 */
export async function planSplit(
  asking: Asking,
  { address, body, ifMatch }: GroupRequest,
): Promise<Operation> {
  const { settings } = asking;
  const { value, faults } = readBody(splitSchema, body);
  const listed = memberAt(value, "members");
  const raws = (Array.isArray(listed) ? listed : []).map((item: Json) => rawOf(item, "Individual"));
  const headRaw = rawOf(memberAt(value, "head"), "Individual");
  const known = await recordsNamed(asking, [...raws, headRaw]);
  const person = (raw: StoredReference | undefined): Person | undefined => {
    const key = known.get(raw ?? "")?.key;
    return raw === undefined ? undefined : { raw, ...(key !== undefined && { key }) };
  };
  const leaving: Leaving = { people: raws.map(person), head: person(headRaw) };
  const own = [...faults, ...codeFaults(settings, value, faults), ...emptyFault(listed)];
  let fresh: JsonObject = {};
  const change = (group: JsonObject, links: Links) => {
    const refused = unmet("Group", group, ifMatch);
    if (refused) return failure(refused);
    const found = [...own, ...splitFaults(settings, { group, links, leaving })];
    if (found.length > 0) return failure(invalid(found));
    const { stay, go } = parted(settings, { group, links, leaving });
    fresh = newGroup(value, group, go);
    return success({ ...group, member: stay });
  };
  const looksAt = ["member", "active", "groupType", "address"];
  return {
    entries: [
      { verb: "update", type: "Group", address, looksAt, change },
      { verb: "derive", type: "Group", body: () => success(fresh) },
    ],
    answer: 1,
    told: ofThoseLeaving,
  };
}

/** What is wrong with a member of the new group is told of who leaves. */
function ofThoseLeaving(problem: Problem): Problem {
  const { errors, ...told } = withoutEntry(problem);
  if (!errors) return told;
  const fields = errors.map(({ field, ...error }) => ({
    ...error,
    field: problem.entry === 1 ? field.replace(/^\/member\/(\d+)\/entity/, "/members/$1") : field,
  }));
  return { ...told, errors: fields };
}

/** The deployment's rules for identifiers, which the schema of the request does not know. */
function codeFaults(
  { schemas }: Settings,
  value: Json,
  faults: readonly FieldError[],
): readonly FieldError[] {
  if (faults.length > 0 || !isJsonObject(value)) return [];
  const { identifier = null, name = null } = value;
  const valid = validateRecord("Group", { type: "Group", identifier, name, groupType: "other" }, schemas);
  return valid.ok ? [] : (valid.problem.errors ?? []);
}

function emptyFault(listed: Json | undefined): readonly FieldError[] {
  if (!Array.isArray(listed) || listed.length > 0) return [];
  return [{ field: "/members", code: "too_short", message: "must name at least one member" }];
}

interface Parting {
  readonly group: JsonObject;
  readonly links: Links;
  readonly leaving: Leaving;
}

function splitFaults(settings: Settings, { group, links, leaving }: Parting): readonly FieldError[] {
  const today = settings.today();
  const members = membersOf(group);
  const isActive = (place: number) => isActiveMember(members[place] ?? { inactive: true }, today);
  const places = leaving.people.map((person) => (person ? placeOf(members, links, person) : undefined));
  const errors: FieldError[] = group.active === false ? [archivedGroup("")] : [];
  places.forEach((place, i) => {
    if (place === undefined) return;
    if (!isActive(place)) {
      const message = "is not an active member of this group; name members only";
      errors.push({ field: `/members/${i}`, code: "not_a_member", message });
    } else if (places.indexOf(place) < i) {
      const message = "is named already; name each person once";
      errors.push({ field: `/members/${i}`, code: "duplicate_member", message });
    }
  });
  const active = members.map((_, place) => place).filter(isActive);
  if (active.length > 0 && active.every((place) => places.includes(place))) {
    const message = "must leave somebody in the group; to rename it, change its name";
    errors.push({ field: "/members", code: "all_members", message });
  }
  if (leaving.head && !places.includes(placeAmong(members, links, leaving.head))) {
    const message = "must be one of the members who leave";
    errors.push({ field: "/head", code: "head_not_among_members", message });
  }
  return errors;
}

/** As {@link placeOf}, but that somebody who is nowhere is not found among others who are nowhere. */
function placeAmong(members: readonly Member[], links: Links, person: Person): number {
  const place = placeOf(members, links, person);
  return place === -1 ? members.length : place;
}

function parted(
  { namespace, today }: Settings,
  { group, links, leaving }: Parting,
): { readonly stay: readonly Member[]; readonly go: readonly Member[] } {
  const day = { namespace, today: today() };
  const members = membersOf(group);
  const places = leaving.people.map((person) => (person ? placeOf(members, links, person) : -1));
  const head = leaving.head && placeOf(members, links, leaving.head);
  const go = places.flatMap((place): Member[] => {
    const member = members[place];
    if (!member) return [];
    if (head === undefined) return [member];
    if (head === place) return [{ ...member, role: headRole(namespace) }];
    return [isActiveHead(member, day) ? withoutRole(member) : member];
  });
  const stay = members.map((member, place) =>
    places.includes(place) ? ended(member, lastDay(member, day.today)) : member,
  );
  return { stay, go };
}

function newGroup(
  request: Json,
  { groupType = "other", address }: JsonObject,
  member: readonly Member[],
): JsonObject {
  const { identifier = null, name = null } = isJsonObject(request) ? request : {};
  const group = { type: "Group", identifier, active: true, groupType, name, member };
  return wireForm("Group", { ...group, ...(address && { address }) });
}
