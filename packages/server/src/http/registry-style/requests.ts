import {
  type Json,
  type ListRequest,
  type Outcome,
  parseInput,
  success,
  type WriteOptions,
} from "@fieldroll/core";
import { readJson, readOptionalJson } from "../body.ts";
import { type CallerExchange, checkParameters } from "../exchange.ts";
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
  const query = exchange.url.searchParams;
  const plain = ["limit", ...own];
  const checked = checkParameters(exchange.url, ["cursor", ...plain]);
  if (!checked.ok) return checked;
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
  const checked = checkParameters(exchange.url, []);
  if (!checked.ok) return checked;
  const body = await readJson(exchange, ["application/json"]);
  if (!body.ok) return body;
  const options = await writeOptions(exchange, { bytes: body.value.bytes, target });
  return options.ok ? success({ body: body.value.value, options: options.value }) : options;
}

/** An operation understood: its body, which may be left out, and the rest. */
export interface OperationRequest<T> {
  readonly body: T;
  readonly options: WriteOptions;
}

/**
 * Reads an operation on one record, such as an approval.
 *
 * @param schema of its body; one that is left out is read as an object without members
 */
export async function operationRequest<T>(
  exchange: CallerExchange,
  target: string,
  schema: Parameters<typeof parseInput<T>>[0],
): Promise<Outcome<OperationRequest<T>>> {
  const checked = checkParameters(exchange.url, []);
  if (!checked.ok) return checked;
  const sent = await readOptionalJson(exchange, ["application/json"]);
  if (!sent.ok) return sent;
  const body = parseInput(schema, sent.value ? sent.value.value : {});
  if (!body.ok) return body;
  const bytes = sent.value?.bytes ?? new Uint8Array();
  const options = await writeOptions(exchange, { bytes, target });
  return options.ok ? success({ body: body.value, options: options.value }) : options;
}
