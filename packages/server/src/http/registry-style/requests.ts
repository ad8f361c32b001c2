import {
  failure,
  invalid,
  isJsonObject,
  type Json,
  type ListRequest,
  type Outcome,
  pointerTo,
  success,
  type WriteOptions,
} from "@fieldroll/core";
import { readJson, readOptionalJson } from "../body.ts";
import { badParameter, type CallerExchange, unknownParameter } from "../exchange.ts";
import { cursorOf } from "../paging.ts";
import { writeOptions } from "../write-request.ts";

/**
 * Reads `limit`, `cursor` and the list's own parameters, each given once, and refuses every other.
 *
 * @param own such as `status`
 */
export async function listRequest<Own extends string = never>(
  exchange: CallerExchange,
  own: readonly Own[] = [],
): Promise<Outcome<ListRequest & Partial<Record<Own, string>>>> {
  const unknown = unknownParameter(exchange.url, ["limit", "cursor", ...own]);
  if (unknown) return failure(unknown);
  const query = exchange.url.searchParams;
  const plain = ["limit", ...own];
  const repeated = plain.find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) return badParameter(repeated, "is given more than once");
  const cursor = await cursorOf(exchange);
  if (!cursor.ok) return cursor;
  const given = plain.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const parts: Partial<Record<Own, string>> = Object.fromEntries(given) as Partial<Record<Own, string>>;
  return success({ ...parts, ...(cursor.value === undefined ? {} : { cursor: cursor.value }) });
}

/** A write understood: its body, its precondition and its idempotency key. */
export interface WriteRequest {
  readonly body: Json;
  readonly options: WriteOptions;
}

/**
 * Reads a write with a body.
 *
 * @param target what it is about: an idempotency key belongs to it
 */
export async function writeRequest(exchange: CallerExchange, target: string): Promise<Outcome<WriteRequest>> {
  const unknown = unknownParameter(exchange.url, []);
  if (unknown) return failure(unknown);
  const body = await readJson(exchange.request, ["application/json"]);
  if (!body.ok) return body;
  const options = await writeOptions(exchange, { bytes: body.value.bytes, target });
  return options.ok ? success({ body: body.value.value, options: options.value }) : options;
}

/** An operation understood: of its body, which may be left out, the members that it has. */
export interface OperationRequest {
  readonly members: Readonly<Record<string, string | undefined>>;
  readonly options: WriteOptions;
}

/**
 * Reads an operation on one record, such as an approval.
 *
 * @param names the members that its body may have: texts of 1 to 255 characters
 */
export async function operationRequest(
  exchange: CallerExchange,
  target: string,
  names: readonly string[] = [],
): Promise<Outcome<OperationRequest>> {
  const unknown = unknownParameter(exchange.url, []);
  if (unknown) return failure(unknown);
  const body = await readOptionalJson(exchange.request, ["application/json"]);
  if (!body.ok) return body;
  const members = membersOf(body.value ? body.value.value : {}, names);
  if (!members.ok) return members;
  const bytes = body.value?.bytes ?? new Uint8Array();
  const options = await writeOptions(exchange, { bytes, target });
  return options.ok ? success({ members: members.value, options: options.value }) : options;
}

function membersOf(body: Json, names: readonly string[]): Outcome<OperationRequest["members"]> {
  if (!isJsonObject(body)) {
    return failure(invalid([{ field: "", code: "invalid_type", message: "must be an object" }]));
  }
  const errors = Object.entries(body).flatMap(([name, value]) => {
    const field = pointerTo("", name);
    if (!names.includes(name)) return [{ field, code: "unknown_field", message: "is not a field here" }];
    const valid = typeof value === "string" && value.trim() !== "" && value.length <= 255;
    return valid ? [] : [{ field, code: "invalid_value", message: "must be a text of 1 to 255 characters" }];
  });
  return errors.length > 0 ? failure(invalid(errors)) : success(body as OperationRequest["members"]);
}
