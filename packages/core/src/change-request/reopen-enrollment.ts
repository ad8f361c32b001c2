import * as z from "zod";
import type { JsonObject } from "../json.ts";
import { failure, invalid, type Outcome, success } from "../problem.ts";
import { referenceSchema } from "../resource/common.ts";
import type { ProgramMembership } from "../resource/membership.ts";
import { parseReference } from "../resource/reference.ts";
import type { ChangeRequestType, CheckContext } from "./types.ts";

/**
 * `reopen_enrollment`: a new stay in a program that the beneficiary left. An exited enrollment opens in no other way
 * (contract section 2, "ProgramMembership.status").
 */
export const reopenEnrollment: ChangeRequestType = {
  name: "reopen_enrollment",
  summary:
    "Enrolls a beneficiary that left a program anew, from the day on which it is applied; membership names the ProgramMembership, which must be exited, in a program that has not ended.",
  schema: z.strictObject({ membership: referenceSchema(["ProgramMembership"]) }),
  check: async (data, context) => {
    const found = await exitedEnrollment(data, context);
    return found.ok ? success(undefined) : found;
  },
  apply: async (data, context) => {
    const { view, today, idempotency, extIdOf } = context;
    const address = parseReference(referenceOf(data));
    if (!address.ok) return address;
    const found = await exitedEnrollment(data, context, { reopened: true });
    if (!found.ok) return found;
    const change = (record: JsonObject): Outcome<JsonObject> => {
      if (record.status !== "exited") {
        return refusal("invalid_transition", `is ${String(record.status)}, not exited`);
      }
      const { exitDate: _date, exitReason: _reason, ...stay } = record;
      return success({ ...stay, status: "enrolled", enrollmentDate: today });
    };
    const entry = {
      verb: "update",
      type: "ProgramMembership",
      address: address.value,
      looksAt: ["status"],
      change,
    } as const;
    // Trusted, because the states of an enrollment allow no way out of `exited`.
    const written = await view.transaction([entry], { trusted: true, idempotency: idempotency() });
    if (!written.ok) return failure(written.problem);
    const beneficiary = found.value.beneficiary.reference;
    const key = beneficiary.startsWith("Individual/") ? await extIdOf(beneficiary) : undefined;
    return success(key === undefined ? {} : { registrantExtId: key });
  },
};

/** The enrollment, if it may be reopened; at a repeated apply it is open already. */
async function exitedEnrollment(
  data: JsonObject,
  { lookup }: CheckContext,
  { reopened = false }: { readonly reopened?: boolean } = {},
): Promise<Outcome<ProgramMembership>> {
  const address = parseReference(referenceOf(data));
  if (!address.ok) return address;
  const found = await lookup.memberships.read(address.value);
  if (!found.ok) return refusal("unknown_reference", "names no enrollment");
  const { status, program } = found.value;
  if (status !== "exited" && !reopened) return refusal("invalid_transition", `is ${status}, not exited`);
  const parsed = parseReference(program?.reference ?? "");
  const of = parsed.ok ? await lookup.programs.read(parsed.value) : parsed;
  if (of.ok && of.value.status === "ended") return refusal("program_ended", "is in a program that has ended");
  return found;
}

function referenceOf({ membership }: JsonObject): string {
  return String((membership as { readonly reference?: string } | undefined)?.reference);
}

function refusal(code: string, message: string): Outcome<never> {
  return failure(invalid([{ field: "/membership", code, message }]));
}
