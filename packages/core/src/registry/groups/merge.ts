import * as z from "zod";
import type { JsonObject } from "../../json.ts";
import { type FieldError, failure, invalid, type Problem, success } from "../../problem.ts";
import { referenceSchema } from "../../resource/common.ts";
import { archivedGroup } from "../../resource/decide-group.ts";
import { isActiveHead, isActiveMember } from "../../resource/derived.ts";
import { printRaw, type StoredReference, splitRaw } from "../../resource/reference.ts";
import type { Links } from "../record/document.ts";
import { identifiersOf } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import { memberAt, rawOf, readBody, unknownReference } from "./body.ts";
import { ended, identityOf, lastDay, type Member, membersOf, withoutRole } from "./members.ts";
import {
  type Asking,
  type Operation,
  type OperationRequest,
  recordsNamed,
  refusal,
  unmet,
  withoutEntry,
} from "./operation.ts";

/** The body of `$merge`. */
export const mergeSchema = z.strictObject({
  source: referenceSchema(["Group"]),
  target: referenceSchema(["Group"]),
});

/** A group's members with who they are. */
interface Household {
  readonly group: JsonObject;
  readonly members: readonly { readonly member: Member; readonly identity: string }[];
}

/**
 * Plans `$merge`: contract section 5. The source's active members leave it and join the target, with their roles and
 * periods; the source is archived. Enrollments stay with the group that was enrolled.
 */
export async function planMerge(
  asking: Asking,
  { body, ifMatch }: OperationRequest,
  upcoming: ReadonlySet<string> = new Set(),
): Promise<Operation> {
  const { value, faults } = readBody(mergeSchema, body);
  const [source, target] = ["source", "target"].map((name) => rawOf(memberAt(value, name), "Group"));
  const known = await recordsNamed(asking, [source, target]);
  const unknown = [["/source", source] as const, ["/target", target] as const].flatMap(([pointer, raw]) =>
    raw === undefined || known.has(raw) || upcoming.has(raw)
      ? []
      : [unknownReference(pointer, printRaw(raw))],
  );
  const told = [...faults, ...unknown];
  if (told.length > 0 || source === undefined || target === undefined) return refusal(told);
  return { ...mergeOf(asking.settings, { source, target, ifMatch }), told: ofTheSource };
}

/** What is wrong with people who move is told of the group they come from. */
function ofTheSource(problem: Problem): Problem {
  const { errors, ...told } = withoutEntry(problem);
  if (!errors) return told;
  const fields = errors.map((error) =>
    /^\/(member\/|active$)/.test(error.field) ? { ...error, field: "/source" } : error,
  );
  return { ...told, errors: fields };
}

function mergeOf(
  settings: Settings,
  {
    source,
    target,
    ifMatch,
  }: {
    readonly source: StoredReference;
    readonly target: StoredReference;
    readonly ifMatch: OperationRequest["ifMatch"];
  },
): Omit<Operation, "told"> {
  let from: Household = { group: {}, members: [] };
  const leave = (group: JsonObject, links: Links) => {
    from = householdOf(group, links);
    return success(emptied(group, settings.today()));
  };
  const join = (group: JsonObject, links: Links) => {
    const refused = unmet("Group", group, ifMatch);
    if (refused) return failure(refused);
    const faults = mergeFaults(from.group, group);
    if (faults.length > 0) return failure(invalid(faults));
    return success({ ...group, member: united(settings, from, householdOf(group, links)) });
  };
  const update = { verb: "update", type: "Group", looksAt: ["member", "active"] } as const;
  return {
    entries: [
      { ...update, address: splitRaw(source), change: leave },
      { ...update, address: splitRaw(target), change: join, together: true },
    ],
    answer: 1,
  };
}

function householdOf(group: JsonObject, links: Links): Household {
  return {
    group,
    members: membersOf(group).map((member) => ({ member, identity: identityOf(member, links) })),
  };
}

function emptied(group: JsonObject, today: string): JsonObject {
  const member = membersOf(group).map((item) =>
    isActiveMember(item, today) ? ended(item, lastDay(item, today)) : item,
  );
  return { ...group, active: false, ...(member.length > 0 && { member }) };
}

function mergeFaults(source: JsonObject, target: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isSame(source, target)) {
    const message = "is the same group as the source; name two groups";
    errors.push({ field: "/target", code: "same_group", message });
  }
  if (source.active === false) errors.push(archivedGroup("/source"));
  if (target.active === false) errors.push(archivedGroup("/target"));
  return errors;
}

/** No two groups share an identifier, and one group may be named by any of its own. */
function isSame(a: JsonObject, b: JsonObject): boolean {
  const held = new Set(identifiersOf(a).map(({ system, value }) => `${system}|${value}`));
  return identifiersOf(b).some(({ system, value }) => held.has(`${system}|${value}`));
}

function united({ namespace, today }: Settings, source: Household, target: Household): readonly Member[] {
  const day = { namespace, today: today() };
  const headed = target.members.some(({ member }) => isActiveHead(member, day));
  const members = [...target.members];
  for (const { member, identity } of source.members) {
    if (!isActiveMember(member, day.today)) continue;
    const place = members.findIndex((other) => other.identity === identity);
    const there = members[place];
    if (there && isActiveMember(there.member, day.today)) continue;
    const moved = { member: headed && isActiveHead(member, day) ? withoutRole(member) : member, identity };
    if (there) members[place] = moved;
    else members.push(moved);
  }
  return members.map(({ member }) => member);
}
