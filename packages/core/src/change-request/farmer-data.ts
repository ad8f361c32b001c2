import { extIdSchema } from "../benefits/cycle-input.ts";
import type { JsonObject } from "../json.ts";
import { type FieldError, failure, invalid, type Outcome, success } from "../problem.ts";
import { anyObject } from "../resource/any-json.ts";
import type { CheckContext } from "./types.ts";

/** Names the registrant that a change is about. */
export const registrantMember = { registrant_ext_id: extIdSchema };

/** The fields of an extension, which the deployment's declaration checks. */
export const extensionMember = anyObject;

/**
 * Whether a record would be accepted; what is wrong with it is told at the place in the data that it came from.
 *
 * @param places pointers into the record and into the data; the first that is at or above a fault tells where it is
 */
export function checkRecord(
  { validate }: Pick<CheckContext, "validate">,
  record: JsonObject,
  places: readonly (readonly [string, string])[],
): Outcome<void> {
  const valid = validate(record.type === "Group" ? "Group" : "Individual", record);
  if (valid.ok) return success(undefined);
  const errors = (valid.problem.errors ?? []).map((error): FieldError => {
    const [from, to] = places.find(([place]) => isAtOrBelow(error.field, place)) ?? [error.field, ""];
    return { ...error, field: `${to}${error.field.slice(from.length)}` };
  });
  return failure(invalid(errors));
}

function isAtOrBelow(field: string, place: string): boolean {
  return field === place || field.startsWith(`${place}/`);
}

/** Refuses a registrant that is not there, or not for the caller, which read the same; and one that is archived, to who sees that. */
export async function checkRegistrant(
  { lookup, addressOf }: CheckContext,
  extId: string,
): Promise<Outcome<void>> {
  const found = await lookup.individuals.disclose(await addressOf("Individual", extId));
  if (!found.ok) return failure(invalid([unknownRegistrant]));
  return found.value.record.active === false ? failure(invalid([archivedRegistrant])) : success(undefined);
}

const archivedRegistrant: FieldError = {
  field: "/registrant_ext_id",
  code: "archived",
  message: "is archived; reactivate the person first",
};

const unknownRegistrant: FieldError = {
  field: "/registrant_ext_id",
  code: "unknown_reference",
  message: "names no registrant; create it first",
};
