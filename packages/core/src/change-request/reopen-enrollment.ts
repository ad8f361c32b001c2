import * as z from "zod";
import type { JsonObject } from "../json.ts";
import { failure, invalid, type Outcome, type Problem, success } from "../problem.ts";
import type { RecordView } from "../registry/types.ts";
import { referenceSchema } from "../resource/common.ts";
import type { ProgramMembership } from "../resource/membership.ts";
import { parseReference } from "../resource/reference.ts";
import type { ChangeRequestType } from "./types.ts";

/**
 * `reopen_enrollment`: a new stay in a program that the beneficiary left. An exited enrollment opens in no other way
 * (contract section 2, "ProgramMembership.status").
 */
export const reopenEnrollment: ChangeRequestType = {
  name: "reopen_enrollment",
  summary:
    "Enrolls a beneficiary that left a program anew, from the day on which it is applied; membership names the ProgramMembership, which must be exited, in a program that has not ended, of a beneficiary that is not archived and is eligible.",
  schema: z.strictObject({ membership: referenceSchema(["ProgramMembership"]) }),
  check: async (data, { lookup }) => {
    const address = parseReference(referenceOf(data));
    if (!address.ok) return address;
    const found = await lookup.memberships.read(address.value);
    return found.ok ? checkLeft(found.value, lookup) : refusal("unknown_reference", "names no enrollment");
  },
  apply: async (data, { view, today, idempotency, extIdOf, lookup }) => {
    const address = parseReference(referenceOf(data));
    if (!address.ok) return address;
    const entry = {
      verb: "update",
      type: "ProgramMembership",
      address: address.value,
      looksAt: ["status"],
      change: (record: JsonObject) => enrolledAnew(record, today),
    } as const;
    const written = await view.transaction([entry], { reopens: true, idempotency: idempotency() });
    if (!written.ok) return failure(asReopenProblem(written.problem));
    const found = await lookup.memberships.read(address.value);
    const beneficiary = (found.ok && found.value.beneficiary?.reference) || "";
    const key = beneficiary.startsWith("Individual/") ? await extIdOf(beneficiary) : undefined;
    return success(key === undefined ? {} : { registrantExtId: key });
  },
};

/** Refuses what could not be enrolled anew today, as far as the caller sees what that depends on. */
async function checkLeft(
  { status, program, beneficiary }: Partial<ProgramMembership>,
  lookup: RecordView,
): Promise<Outcome<void>> {
  if (status === undefined) return failure(hiddenStatus);
  if (status !== "exited") return refusal("invalid_transition", notLeft(status));
  const place = parseReference(program?.reference ?? "");
  const of = place.ok ? await lookup.programs.read(place.value) : place;
  if (of.ok && of.value.status === "ended") return refusal("program_ended", "is in a program that has ended");
  const person = parseReference(beneficiary?.reference ?? "");
  if (!person.ok) return success(undefined);
  const verbs = person.value.type === "Group" ? lookup.groups : lookup.individuals;
  const who = await verbs.read(person.value);
  if (!who.ok || who.value.active !== false) return success(undefined);
  return refusal("archived", archived);
}

function enrolledAnew(record: JsonObject, today: string): Outcome<JsonObject> {
  if (record.status !== "exited") return refusal("invalid_transition", notLeft(String(record.status)));
  const { exitDate: _date, exitReason: _reason, ...stay } = record;
  return success({ ...stay, status: "enrolled", enrollmentDate: today });
}

/** The faults of the enrollment as faults of what names it. */
function asReopenProblem(problem: Problem): Problem {
  if (!problem.errors) return problem;
  const told = problem.errors.map(({ code, message }) => ({
    field: "/membership",
    code,
    message: said[code] ?? message,
  }));
  const errors = told.filter(({ message }, i) => told.findIndex((one) => one.message === message) === i);
  return problem.kind === "validation" ? invalid(errors) : { ...problem, errors };
}

const archived = "is of a beneficiary that is archived; reactivate that record first";

/** What the rules say of a program or a beneficiary, said of the enrollment. */
const said: Readonly<Record<string, string>> = {
  archived,
  program_ended: "is in a program that has ended",
  wrong_target_type: "is of a beneficiary that the program is not for",
};

const hiddenStatus: Problem = {
  kind: "authorization",
  detail:
    "You may not ask to reopen this enrollment: its status is hidden from you. Ask for a consent that shows it, or have somebody ask who sees it.",
  errors: [{ field: "/membership", code: "hidden_field", message: "its status is hidden from you" }],
};

function notLeft(status: string): string {
  return `is ${status}, not exited`;
}

function referenceOf({ membership }: JsonObject): string {
  return String((membership as { readonly reference?: string } | undefined)?.reference);
}

function refusal(code: string, message: string): Outcome<never> {
  return failure(invalid([{ field: "/membership", code, message }]));
}
