import type { z } from "zod";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { failure, invalid, type Outcome, success } from "../problem.ts";
import { faultsBrought } from "./brought.ts";
import type { SchemaContext } from "./context.ts";
import { checkContext } from "./context-rules.ts";
import { withoutDerived } from "./derived.ts";
import { withExtensionUrls } from "./extensions.ts";
import { type GroupBody, groupSchema } from "./group.ts";
import { type IndividualBody, individualSchema } from "./individual.ts";
import { fieldErrors } from "./issues.ts";
import { type MembershipBody, membershipSchema } from "./membership.ts";
import { pixel } from "./photo.ts";
import { readPlain } from "./plain.ts";
import { type ProgramBody, programSchema } from "./program.ts";
import { rule } from "./rule.ts";
import type { ResourceType } from "./types.ts";

/** One schema per resource type, with the context's rules inside. */
export interface Schemas {
  readonly context: SchemaContext;
  readonly Individual: z.ZodType<IndividualBody>;
  readonly Group: z.ZodType<GroupBody>;
  readonly Program: z.ZodType<ProgramBody>;
  readonly ProgramMembership: z.ZodType<MembershipBody>;
}

/** Builds the schemas of a deployment. Every fault of a body is found in one pass. */
export function createSchemas(context: SchemaContext): Schemas {
  const within = (type: ResourceType) =>
    rule<unknown>((value, report) => {
      if (isJsonObject(value)) checkContext(type, value, { context, report });
    });
  return {
    context,
    Individual: individualSchema.check(within("Individual")),
    Group: groupSchema.check(within("Group")),
    Program: programSchema.check(within("Program")),
    ProgramMembership: membershipSchema.check(within("ProgramMembership")),
  };
}

/**
 * Validates a body as sent. The value is the record to store: what the service derives is taken away, defaults are
 * applied, references are printed in one form. Fails with `validation` and every fault at its JSON pointer, or with
 * `payload-too-large`.
 *
 * @param before of a change: `record` as it was, where only the faults that the change brought are to count; and the `photo` that it had,
 *   which is not checked again where it stays
 */
export function validateRecord(
  type: ResourceType,
  body: unknown,
  schemas: Schemas,
  before: { readonly record?: JsonObject | undefined; readonly photo?: Json | undefined } = {},
): Outcome<JsonObject> {
  const { record: former, photo = former?.photo } = before;
  const plain = readPlain(body);
  if (!plain.ok) return plain;
  const { value } = plain;
  if (!isJsonObject(value)) {
    return failure(
      invalid([
        { field: "", code: "invalid_type", message: `the body must be a JSON object of type ${type}` },
      ]),
    );
  }
  const written = withoutDerived(type, value);
  const { data, faults } = judged(type, written, schemas, photo);
  const counting =
    former && faults.length > 0
      ? faultsBrought(type, judged(type, withoutDerived(type, former), schemas), { record: written, faults })
      : faults;
  if (counting.length > 0) return failure(invalid(counting));
  // A change gives no default to what the record did not tell: it may have another value, hidden from who makes the change.
  const told = Object.entries(data).filter(([name]) => !former || name in { ...former, ...written });
  return success(withExtensionUrls(type, Object.fromEntries(told), { context: schemas.context, former }));
}

/**
 * What is wrong with a record, and what the schema makes of it: with faults, nothing but itself. A photo that stays as it was is not
 * checked again, which would be nearly all the work of a small change.
 */
function judged(type: ResourceType, record: JsonObject, schemas: Schemas, formerPhoto?: Json) {
  const { photo } = record;
  const stays = photo !== undefined && photo === formerPhoto;
  const parsed = schemas[type].safeParse(stays ? { ...record, photo: pixel } : record);
  if (parsed.success) return { record, data: stays ? { ...parsed.data, photo } : parsed.data, faults: [] };
  const { [type]: schema, context } = schemas;
  const faults = fieldErrors(parsed.error.issues, record);
  return { record, data: record, faults: context.explain?.(faults, { type, schema, context }) ?? faults };
}
