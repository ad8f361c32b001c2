import * as z from "zod";
import type { JsonObject } from "../json.ts";
import { type FieldError, failure, invalid, type Outcome, type Problem, success } from "../problem.ts";
import type { Disclosed } from "../registry/types.ts";
import { nameText } from "../resource/derived.ts";
import type { Individual } from "../resource/individual.ts";
import { parseInput } from "../resource/parse-input.ts";
import { type Schemas, validateRecord } from "../resource/schemas.ts";
import { nonEmptyLine } from "../resource/strings.ts";
import { genderConcept, genderWord } from "./registrant-view.ts";
import { type RegistrantGender, registrantGenders } from "./types.ts";

/** What a client may say of a registrant. */
export interface RegistrantInput {
  readonly name: string;
  readonly birthdate: string | null;
  readonly gender: RegistrantGender | null;
}

/** The members of a person as registrants have them. */
export const registrantMembers = {
  name: nonEmptyLine(1000),
  birthdate: z.string().meta({ format: "date" }).nullable().default(null),
  gender: z.enum(registrantGenders).nullable().default(null),
};

/** A new registrant: its `ext_id` is the registry's to give. */
export const registrantSchema = z.strictObject(registrantMembers);

/** A registrant as it was read and sent back: who it is never changes. */
function sentBackSchema(extId: string, model: string) {
  const stays = { ext_id: z.literal(extId).exactOptional(), model: z.literal(model).exactOptional() };
  return z.strictObject({ ...stays, ...registrantMembers });
}

/** Reads the body of a create, or of a replace when `stays` says of what. Every fault is told at once. */
export function parseRegistrant(
  schemas: Schemas,
  body: unknown,
  stays?: { readonly extId: string; readonly model: string },
): Outcome<RegistrantInput> {
  const schema: z.ZodType<RegistrantInput> = stays
    ? sentBackSchema(stays.extId, stays.model)
    : registrantSchema;
  const parsed = parseInput(schema, body);
  if (!parsed.ok && !parsed.problem.errors) return parsed;
  const own = parsed.ok ? [] : (parsed.problem.errors ?? []);
  const birthdate = (body as { readonly birthdate?: unknown } | null)?.birthdate;
  const dated = typeof birthdate === "string" ? birthdateFaults(schemas, birthdate) : [];
  const errors = [...own, ...dated];
  if (parsed.ok && errors.length === 0) return success(parsed.value);
  return failure(invalid(errors));
}

/** The rules for birth dates are those of an Individual. */
function birthdateFaults(schemas: Schemas, birthDate: string): readonly FieldError[] {
  const probe = {
    ...individualBody({ name: "probe", birthdate: birthDate, gender: null }, "urn:probe", "probe"),
  };
  const checked = validateRecord("Individual", probe, schemas);
  if (checked.ok) return [];
  return asRegistrantFaults(checked.problem.errors ?? []).filter(({ field }) => field === "/birthdate");
}

/** The Individual that a new registrant is. */
export function individualBody(
  { name, birthdate, gender }: RegistrantInput,
  system: string,
  value: string,
): JsonObject {
  return {
    type: "Individual",
    identifier: [{ system, value }],
    name: { text: name },
    ...(birthdate !== null && { birthDate: birthdate }),
    ...(gender !== null && { gender: genderConcept(gender) }),
  };
}

/**
 * The merge-patch that makes an Individual say what the registrant is to say. What says it already is left alone, a name's
 * parts for example; what the caller may not see and gives as nothing stays as it is.
 */
export function individualPatch(
  { name, birthdate, gender }: RegistrantInput,
  { record, disclosure }: Disclosed<Individual>,
): JsonObject {
  const sees = (member: string) => disclosure.scope.includes("all") || disclosure.scope.includes(member);
  const differs = (member: string, wanted: unknown, there: unknown) =>
    wanted === null ? sees(member) && there !== null : wanted !== there;
  return {
    ...(differs("name", name, nameText(record.name ?? {})) && { name: onlyText(name) }),
    ...(differs("birthDate", birthdate, record.birthDate ?? null) && { birthDate: birthdate }),
    ...(differs("gender", gender, genderWord(record.gender as JsonObject | undefined)) && {
      gender: gender && genderConcept(gender),
    }),
  };
}

function onlyText(text: string): JsonObject {
  return { text, family: null, given: null, middle: null, prefix: null, suffix: null };
}

const fields: readonly (readonly [string, string])[] = [
  ["/name", "/name"],
  ["/birthDate", "/birthdate"],
  ["/gender", "/gender"],
];

/** The faults of an Individual as faults of the registrant that it is. */
export function asRegistrantProblem(problem: Problem): Problem {
  return problem.errors ? { ...problem, errors: asRegistrantFaults(problem.errors) } : problem;
}

function asRegistrantFaults(errors: readonly FieldError[]): readonly FieldError[] {
  return errors.map((error) => {
    const [, field] =
      fields.find(([from]) => error.field === from || error.field.startsWith(`${from}/`)) ?? [];
    return { ...error, field: field ?? error.field };
  });
}
