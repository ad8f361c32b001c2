import {
  type FieldError,
  failure,
  invalid,
  isJsonObject,
  type Json,
  type Outcome,
  parseInput,
  requestSchemas,
  success,
  type WriteOptions,
} from "@fieldroll/core";
import { readJson, readOptionalJson, type Sent } from "../http/body.ts";
import { badParameter, checkParameters } from "../http/exchange.ts";
import { readIdempotency } from "../http/idempotency.ts";
import { parseIfMatch } from "../http/preconditions.ts";
import type { Part } from "./offset-list.ts";

/** A request to version 1, as it came in. */
export interface FormerRequest extends Sent {
  readonly url: URL;
  /** The path as it is always written: an idempotency key belongs to it. */
  readonly target: string;
}

/** Reads `limit` (1–500, default 20) and `offset` (default 0). */
export function partOf(url: URL): Outcome<Part> {
  const limit = wholeNumber(url.searchParams.get("limit") ?? "20") ?? 0;
  const offset = wholeNumber(url.searchParams.get("offset") ?? "0") ?? -1;
  const checked = checkParameters(
    url,
    ["limit", "offset"],
    [
      limit < 1 || limit > 500 ? badParameter("limit", "must be a whole number from 1 to 500") : undefined,
      offset < 0 ? badParameter("offset", "must be a whole number, 0 or more") : undefined,
    ],
  );
  return checked.ok ? success({ limit, offset }) : checked;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** A write understood: its body, its precondition and its idempotency key. */
export interface FormerWrite {
  readonly body: Json;
  readonly options: WriteOptions;
}

/** Reads a write with a body of JSON: contract sections 1 and 5. */
export async function writeOf(call: FormerRequest): Promise<Outcome<FormerWrite>> {
  const known = checkParameters(call.url, []);
  if (!known.ok) return known;
  const body = await readJson(call, ["application/json"]);
  if (!body.ok) return body;
  const options = await optionsOf(call, body.value.bytes);
  return options.ok ? success({ body: body.value.value, options: options.value }) : options;
}

/** Reads an operation that has nothing to be told: its body is left out, or is an object without members. */
export async function bareWriteOf(call: FormerRequest): Promise<Outcome<WriteOptions>> {
  const known = checkParameters(call.url, []);
  if (!known.ok) return known;
  const body = await readOptionalJson(call, ["application/json"]);
  if (!body.ok) return body;
  const sent = parseInput(requestSchemas.nothing, body.value ? body.value.value : {});
  return sent.ok ? optionsOf(call, body.value?.bytes ?? new Uint8Array()) : sent;
}

async function optionsOf(
  { request, target }: FormerRequest,
  body: Uint8Array,
): Promise<Outcome<WriteOptions>> {
  const { method, headers } = request;
  const ifMatch = parseIfMatch(headers.get("If-Match"));
  if (!ifMatch.ok) return ifMatch;
  const idempotency = await readIdempotency({ key: headers.get("Idempotency-Key"), method, target, body });
  if (!idempotency.ok) return idempotency;
  return success({
    ...(ifMatch.value === undefined ? {} : { ifMatch: ifMatch.value }),
    ...(idempotency.value === undefined ? {} : { idempotency: idempotency.value }),
  });
}

/** The integer in the body of `enroll`, which has nothing else. */
export function registrantIdOf(body: Json): Outcome<number> {
  const sent = parseInput(requestSchemas.formerEnrollment, body);
  return sent.ok ? success(sent.value.registrant_id) : sent;
}

/**
 * The body of a registrant that is sent back, as version 2 reads it. Whose it is stays: `id` and `model` may be sent as they
 * were read, and as nothing else.
 */
export function sentBack(body: Json, id: number): Outcome<Json> {
  if (!isJsonObject(body)) return success(body);
  const { id: sentId = id, model = registrantModel, ...rest } = body;
  const errors = [
    ...(sentId === id ? [] : [stays("/id", String(id))]),
    ...(model === registrantModel ? [] : [stays("/model", registrantModel)]),
    ...("ext_id" in rest
      ? [{ field: "/ext_id", code: "unknown_field", message: "is not a field here" }]
      : []),
  ];
  return errors.length > 0 ? failure(invalid(errors)) : success(rest);
}

const registrantModel = "g2p.registrant";

function stays(field: string, value: string): FieldError {
  return { field, code: "invalid_value", message: `must be ${value}` };
}
