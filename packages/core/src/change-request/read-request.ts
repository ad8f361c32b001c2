import * as z from "zod";
import { keyOf } from "../benefits/ext-id.ts";
import type { JsonObject } from "../json.ts";
import { failure, invalid, type Outcome, type Problem, success } from "../problem.ts";
import type { Links } from "../registry/record/document.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller } from "../registry/types.ts";
import { anyObject } from "../resource/any-json.ts";
import { parseInput } from "../resource/parse-input.ts";
import { line } from "../resource/strings.ts";
import { checkContext } from "./context.ts";
import { type LinkedData, linkData, mayNameAll } from "./linked-data.ts";
import { shippedChangeRequestTypes } from "./shipped.ts";
import type { ChangeRequestType } from "./types.ts";

const schema = z.strictObject({
  type: line(255),
  data: anyObject,
  draft: z.boolean().default(false),
});

/** A change request as submitted, its data of the type's form. */
export interface SubmittedRequest {
  readonly type: ChangeRequestType;
  readonly data: JsonObject;
  readonly draft: boolean;
}

/** Reads `{type, data, draft?}`. An unknown type is refused at `/type`, bad data below `/data`. */
export function readSubmission(settings: Settings, body: unknown): Outcome<SubmittedRequest> {
  const parsed = parseInput(schema, body);
  if (!parsed.ok) return parsed;
  const type = typeNamed(settings, parsed.value.type);
  if (!type.ok) return type;
  const data = readData(type.value, parsed.value.data);
  return data.ok ? success({ type: type.value, data: data.value, draft: parsed.value.draft }) : data;
}

/** The types that the deployment declares. */
export function typesOf({ config }: Pick<Settings, "config">): readonly ChangeRequestType[] {
  return config.changeRequestTypes ?? shippedChangeRequestTypes;
}

/** The declared type with a name. */
export function typeNamed(settings: Pick<Settings, "config">, name: string): Outcome<ChangeRequestType> {
  const types = typesOf(settings);
  const type = types.find((one) => one.name === name);
  if (type) return success(type);
  const names = types.map((one) => one.name).join(", ");
  const message = names ? `must be one of ${names}` : "is not declared; no type is";
  return failure(invalid([{ field: "/type", code: "unknown_type", message }]));
}

/** Reads data by the schema of its type. */
export function readData(type: ChangeRequestType, data: unknown): Outcome<JsonObject> {
  const parsed = parseInput(type.schema as z.ZodType<JsonObject>, data);
  return parsed.ok ? parsed : failure(belowData(parsed.problem));
}

/**
 * Finds what the data refer to, and asks the type what its schema can't tell.
 *
 * @param kept links of the data, where they are stored already
 */
export async function checkData(
  settings: Settings,
  caller: Caller,
  { type, data, kept }: Pick<SubmittedRequest, "type" | "data"> & { readonly kept?: Links | undefined },
): Promise<Outcome<LinkedData>> {
  const named = mayNameAll(caller, data);
  if (!named.ok) return named;
  const linked = await linkData(settings, data, kept);
  if (!linked.ok) return failure(belowData(linked.problem));
  const context = checkContext(settings, caller);
  const checked = (await type.check?.(linked.value.present.data, context)) ?? success(undefined);
  return checked.ok ? linked : failure(belowData(checked.problem));
}

/** What a type says of its data, said of the whole body. */
export function belowData(problem: Problem): Problem {
  if (!problem.errors) return problem;
  const errors = problem.errors.map((error) => ({ ...error, field: `/data${error.field}` }));
  return problem.kind === "validation" ? invalid(errors) : { ...problem, errors };
}

/** The registrant that data name, when they do. */
export function registrantOfData({ registrant_ext_id: extId }: JsonObject): string | undefined {
  return typeof extId === "string" ? keyOf(extId) : undefined;
}
