import {
  type Json,
  type JsonObject,
  type Outcome,
  type Page,
  success,
  type WriteOptions,
  type Written,
} from "@fieldroll/core";
import { verbsOf } from "../verbs.ts";
import { type AddressParts, parseAddress } from "./address.ts";
import { type Answer, emptyAnswer, jsonAnswer } from "./answer.ts";
import { type JsonBody, readJson } from "./body.ts";
import { disclosureHeaders, isKnownVersion, tagOf } from "./disclosure.ts";
import type { CallerExchange } from "./exchange.ts";
import { cursorOf, linksOf, paginationOf } from "./paging.ts";
import { listRequest } from "./registry-style/requests.ts";
import { readOptions, writeOptions } from "./write-request.ts";
import { keyHeader, showsHeader, writtenAnswer } from "./written.ts";

const json = "application/json";
const mergePatch = "application/merge-patch+json";

/** GET of one record, with `ETag`, `If-None-Match`, and under which right it is shown. */
export async function read(exchange: CallerExchange): Promise<Outcome<Answer>> {
  const options = readOptions(exchange);
  if (!options.ok) return options;
  const address = parseAddress(exchange.param);
  if (!address.ok) return address;
  const found = await verbs(exchange).disclose(address.value, options.value);
  if (!found.ok) return found;
  const { record, versionId = "", key, shows, disclosure } = found.value;
  const headers = {
    ...tagOf(versionId),
    ...keyHeader(key),
    ...showsHeader(shows),
    ...disclosureHeaders(disclosure),
  };
  const known = isKnownVersion(exchange.request, versionId, disclosure);
  if (!known.ok) return known;
  if (known.value) return success(emptyAnswer(304, headers));
  return success(jsonAnswer(record, { headers }));
}

/** GET of a type: one page of the records that meet every parameter. */
export async function search(exchange: CallerExchange): Promise<Outcome<Answer>> {
  const page = await searchPage(exchange);
  return page.ok ? success(jsonAnswer(page.value)) : page;
}

/** What a search answers: its cursor sealed, its pages linked. */
export async function searchPage(exchange: CallerExchange): Promise<Outcome<JsonObject>> {
  const cursor = await cursorOf(exchange);
  if (!cursor.ok) return cursor;
  const parameters = parametersOf(exchange.url);
  const found: Outcome<Page<unknown>> = await verbs(exchange).search(
    cursor.value === undefined ? parameters : { ...parameters, cursor: cursor.value },
  );
  if (!found.ok) return found;
  const { data, total } = found.value;
  const pagination = await paginationOf(exchange, found.value);
  const meta = total === undefined ? {} : { meta: { total } };
  return success({
    data: data as Json[],
    pagination: { ...pagination },
    links: linksOf(exchange, pagination),
    ...meta,
  });
}

/** GET of a page of a record's versions: contract section 5. */
export async function history(exchange: CallerExchange): Promise<Outcome<Answer>> {
  const request = await listRequest(exchange);
  if (!request.ok) return request;
  const address = parseAddress(exchange.param);
  if (!address.ok) return address;
  const found = await verbs(exchange).history(address.value, request.value);
  if (!found.ok) return found;
  const { data, complete } = found.value;
  const pagination = await paginationOf(exchange, found.value);
  return success(jsonAnswer({ data, pagination, ...(complete === false && { complete }) }));
}

/** POST of a new record. */
export async function create(exchange: CallerExchange): Promise<Outcome<Answer>> {
  const body = await readJson(exchange, [json]);
  if (!body.ok) return body;
  const { bytes, value } = body.value;
  const options = await writeOptions(exchange, { bytes, target: typeOf(exchange) });
  if (!options.ok) return options;
  const { ifMatch: _, ...rest } = options.value;
  return writtenAnswer(exchange, await verbs(exchange).create(value, rest));
}

/** PUT of a whole record. */
export function replace(exchange: CallerExchange): Promise<Outcome<Answer>> {
  return writeAt(exchange, [json], (address, body, options) =>
    verbs(exchange).replace(address, body.value, options),
  );
}

/** PATCH by JSON Merge Patch (RFC 7396). */
export function patch(exchange: CallerExchange): Promise<Outcome<Answer>> {
  return writeAt(exchange, [mergePatch, json], (address, body, options) =>
    verbs(exchange).patch(address, body.value, options),
  );
}

async function writeAt(
  exchange: CallerExchange,
  types: readonly string[],
  write: (address: AddressParts, body: JsonBody, options: WriteOptions) => Promise<Outcome<Written<unknown>>>,
): Promise<Outcome<Answer>> {
  const address = parseAddress(exchange.param);
  if (!address.ok) return address;
  const body = await readJson(exchange, types);
  if (!body.ok) return body;
  const { system, value } = address.value;
  const target = `${typeOf(exchange)}/${system}|${value}`;
  const options = await writeOptions(exchange, { bytes: body.value.bytes, target });
  if (!options.ok) return options;
  return writtenAnswer(exchange, await write(address.value, body.value, options.value));
}

function verbs({ view, route }: CallerExchange) {
  return verbsOf(view, route.resource ?? "Individual");
}

function typeOf({ route }: CallerExchange): string {
  return route.resource ?? "";
}

function parametersOf(url: URL): Record<string, string | string[]> {
  const names = [...new Set(url.searchParams.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = url.searchParams.getAll(name);
      const [only] = values;
      return [name, only !== undefined && values.length === 1 ? only : values];
    }),
  );
}
