import * as z from "zod";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { type FieldError, failure, invalid, success } from "../../problem.ts";
import { dateSchema, keyedReferenceSchema } from "../../resource/common.ts";
import { isCalendarDate } from "../../resource/dates.ts";
import { isActiveMember } from "../../resource/derived.ts";
import { prose } from "../../resource/strings.ts";
import type { Links } from "../record/document.ts";
import { memberAt, othersKey, rawOf, readBody } from "./body.ts";
import { ended, lastDay, type Member, membersOf, placeOf } from "./members.ts";
import {
  type Asking,
  type GroupRequest,
  type Operation,
  recordsNamed,
  unmet,
  withoutEntry,
} from "./operation.ts";

/** The body of `$remove-member`. */
export const removalSchema = z.strictObject({
  entity: keyedReferenceSchema(["Individual"]),
  endDate: dateSchema.exactOptional(),
  reason: prose(1000).exactOptional(),
});

/** Plans `$remove-member`: contract section 5. The member stays in the list, no longer active, with a last day. */
export async function planRemoveMember(
  asking: Asking,
  { address, body, ifMatch }: GroupRequest,
): Promise<Operation> {
  const { value, faults } = readBody(removalSchema, body);
  const raw = rawOf(memberAt(value, "entity"), "Individual");
  const key = raw === undefined ? undefined : (await recordsNamed(asking, [raw])).get(raw)?.key;
  const day = memberAt(value, "endDate");
  const endDate = typeof day === "string" && isCalendarDate(day) ? day : undefined;
  const today = asking.settings.today();
  const reason = memberAt(value, "reason");
  const change = (group: JsonObject, links: Links) => {
    const refused = unmet("Group", group, ifMatch);
    if (refused) return failure(refused);
    const members = membersOf(group);
    const place =
      raw === undefined ? -1 : placeOf(members, links, { raw, ...(key !== undefined && { key }) });
    const member = members[place];
    const wrong = raw === undefined ? [] : othersKey(body, { raw, key });
    const unfit = raw === undefined || wrong.length > 0 ? wrong : memberFaults(member, { today, endDate });
    const found = [...faults, ...unfit];
    if (found.length > 0 || !member) return failure(invalid(found));
    const gone = ended(member, endDate ?? lastDay(member, today));
    const rest = members.map((each, nth) => (nth === place ? gone : each));
    return success({ ...group, member: rest });
  };
  return {
    entries: [{ verb: "update", type: "Group", address, looksAt: ["member"], change }],
    answer: 0,
    ...(typeof reason === "string" && { reason }),
    told: withoutEntry,
  };
}

function memberFaults(
  member: Member | undefined,
  { today, endDate }: { readonly today: string; readonly endDate: string | undefined },
): readonly FieldError[] {
  if (!member || !isActiveMember(member, today)) {
    const message = "is not an active member of this group; fetch the group and name one who is";
    return [{ field: "/entity", code: "not_a_member", message }];
  }
  const start = isJsonObject(member.period) ? member.period.start : undefined;
  if (endDate === undefined || typeof start !== "string" || endDate >= start) return [];
  const message = `must not be before the membership's start, ${start}`;
  return [{ field: "/endDate", code: "invalid_period", message }];
}
