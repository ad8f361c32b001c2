import { isJsonObject, type JsonObject } from "../../json.ts";
import { type FieldError, failure, invalid, type Problem, success } from "../../problem.ts";
import { secondHead, secondHeads } from "../../resource/decide-group.ts";
import { isActiveMember } from "../../resource/derived.ts";
import { printRaw, type StoredReference } from "../../resource/reference.ts";
import { validateRecord } from "../../resource/schemas.ts";
import type { Links } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import { type Body, memberAt, othersKey, rawOf, unknownReference } from "./body.ts";
import { type Member, membersOf, type Person, placeOf } from "./members.ts";
import {
  type Asking,
  type GroupRequest,
  type Operation,
  recordsNamed,
  unmet,
  withoutEntry,
} from "./operation.ts";

/**
 * Plans `$add-member`: contract section 5. Somebody who was a member before takes their former place in the list again,
 * with the role and period now given.
 *
 * @param upcoming raw references that other writes of the same transaction bring about
 */
export async function planAddMember(
  asking: Asking,
  { address, body, ifMatch }: GroupRequest,
  upcoming: ReadonlySet<string> = new Set(),
): Promise<Operation> {
  const { settings } = asking;
  const read = readMember(settings, body);
  const raw = rawOf(memberAt(read.value, "entity"), "Individual");
  const key = raw === undefined ? undefined : (await recordsNamed(asking, [raw])).get(raw)?.key;
  const unknown = raw !== undefined && key === undefined && !upcoming.has(raw);
  const faults = [...read.faults, ...(unknown ? [unknownReference("/entity", printRaw(raw))] : [])];
  const person: Person = { raw: raw ?? ("" as StoredReference), ...(key !== undefined && { key }) };
  const item: Member = { ...(isJsonObject(read.value) && read.value), entity: { reference: person.raw } };
  let at = -1;
  const change = (group: JsonObject, links: Links) => {
    const refused = unmet("Group", group, ifMatch);
    if (refused) return failure(refused);
    const members = membersOf(group);
    const place = placeOf(members, links, person);
    const wrong = othersKey(body, person);
    const member =
      place === -1 ? [...members, item] : members.map((each, nth) => (nth === place ? item : each));
    const unfit = wrong.length > 0 ? wrong : memberFaults(settings, { there: members[place], member });
    const found = [...faults, ...unfit];
    if (found.length > 0) return failure(invalid(found));
    at = place === -1 ? members.length : place;
    return success({ ...group, member });
  };
  return {
    entries: [
      { verb: "update", type: "Group", address, looksAt: ["member", "active"], refers: [person.raw], change },
    ],
    answer: 0,
    told: (problem) => inTheItem(problem, at),
  };
}

/** A member item is judged as in a group that has no other. */
function readMember({ schemas }: Settings, body: unknown): Body {
  const prefix = "/member/0";
  const identifier = [{ system: "urn:x", value: "x" }];
  const alone = { type: "Group", identifier, groupType: "other", name: "x", member: [body] };
  const valid = validateRecord("Group", alone, schemas);
  if (valid.ok) {
    const [value = null] = Array.isArray(valid.value.member) ? valid.value.member : [];
    return { value, faults: [] };
  }
  const faults = (valid.problem.errors ?? []).map((fault) => ({
    ...fault,
    field: fault.field.slice(prefix.length),
  }));
  return { value: isJsonObject(body) ? body : null, faults };
}

function memberFaults(
  { namespace, today }: Settings,
  { there, member }: { readonly there: Member | undefined; readonly member: readonly Member[] },
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const day = { namespace, today: today() };
  if (there && isActiveMember(there, day.today)) {
    const message = "is an active member already; change the role or the period with PATCH";
    errors.push({ field: "/entity", code: "duplicate_member", message });
  }
  if (secondHeads(member, day).length > 0) errors.push({ field: "/role", ...secondHead });
  return errors;
}

/** The faults of the group as faults of the added item. */
function inTheItem(problem: Problem, at: number): Problem {
  const own = withoutEntry(problem);
  const place = `/member/${at}`;
  if (!own.errors) return own;
  const errors = own.errors.map((error) => {
    const { field } = error;
    return field === place || field.startsWith(`${place}/`)
      ? { ...error, field: field.slice(place.length) }
      : error;
  });
  return { ...own, ...(own.kind === "validation" ? invalid(errors) : { errors }) };
}
