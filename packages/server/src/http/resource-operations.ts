import { failure, type Outcome, type Page, success, type WriteOptions, type Written } from "@fieldroll/core";
import { verbsOf } from "../verbs.ts";
import { type AddressParts, parseAddress } from "./address.ts";
import { type JsonBody, readJson } from "./body.ts";
import { type CallerExchange, unknownParameter } from "./exchange.ts";
import { readIdempotency } from "./idempotency.ts";
import { entityTag, hasVersion, parseIfMatch } from "./preconditions.ts";

const json = "application/json";
const mergePatch = "application/merge-patch+json";

/** GET of one record, with `ETag` and `If-None-Match`. */
export async function read(exchange: CallerExchange): Promise<Outcome<Response>> {
  const unknown = unknownParameter(exchange.url, []);
  if (unknown) return failure(unknown);
  const address = parseAddress(exchange.param);
  if (!address.ok) return address;
  const found = await verbs(exchange).read(address.value);
  if (!found.ok) return found;
  const versionId = found.value.meta?.versionId ?? "";
  const headers = { ETag: entityTag(versionId) };
  const known = hasVersion(exchange.request.headers.get("If-None-Match"), versionId);
  if (!known.ok) return known;
  if (known.value) return success(new Response(null, { status: 304, headers }));
  return success(Response.json(found.value, { headers }));
}

/** GET of a type: one page of the records that meet every parameter. */
export async function search(exchange: CallerExchange): Promise<Outcome<Response>> {
  const found: Outcome<Page<unknown>> = await verbs(exchange).search(parametersOf(exchange.url));
  if (!found.ok) return found;
  const { data, nextCursor, hasMore } = found.value;
  const links = { self: linkTo(exchange), next: nextCursor ? linkTo(exchange, nextCursor) : null };
  const pagination = { next_cursor: nextCursor ?? null, has_more: hasMore };
  return success(Response.json({ data, pagination, links }));
}

/** POST of a new record. */
export async function create(exchange: CallerExchange): Promise<Outcome<Response>> {
  const body = await readJson(exchange.request, [json]);
  if (!body.ok) return body;
  const options = await writeOptions(exchange, body.value, routeResource(exchange));
  if (!options.ok) return options;
  const { idempotency } = options.value;
  return answer(exchange, await verbs(exchange).create(body.value.value, idempotency ? { idempotency } : {}));
}

/** PUT of a whole record. */
export function replace(exchange: CallerExchange): Promise<Outcome<Response>> {
  return writeAt(exchange, [json], (address, body, options) =>
    verbs(exchange).replace(address, body.value, options),
  );
}

/** PATCH by JSON Merge Patch (RFC 7396). */
export function patch(exchange: CallerExchange): Promise<Outcome<Response>> {
  return writeAt(exchange, [mergePatch, json], (address, body, options) =>
    verbs(exchange).patch(address, body.value, options),
  );
}

async function writeAt(
  exchange: CallerExchange,
  types: readonly string[],
  write: (address: AddressParts, body: JsonBody, options: WriteOptions) => Promise<Outcome<Written<unknown>>>,
): Promise<Outcome<Response>> {
  const address = parseAddress(exchange.param);
  if (!address.ok) return address;
  const body = await readJson(exchange.request, types);
  if (!body.ok) return body;
  const { system, value } = address.value;
  const options = await writeOptions(exchange, body.value, `${routeResource(exchange)}/${system}|${value}`);
  return options.ok ? answer(exchange, await write(address.value, body.value, options.value)) : options;
}

async function writeOptions(
  { request }: CallerExchange,
  body: JsonBody,
  target: string,
): Promise<Outcome<WriteOptions>> {
  const ifMatch = parseIfMatch(request.headers.get("If-Match"));
  if (!ifMatch.ok) return ifMatch;
  const { method, headers } = request;
  const key = headers.get("Idempotency-Key");
  const idempotency = await readIdempotency({ key, method, target, body: body.bytes });
  if (!idempotency.ok) return idempotency;
  return success({
    ...(ifMatch.value === undefined ? {} : { ifMatch: ifMatch.value }),
    ...(idempotency.value === undefined ? {} : { idempotency: idempotency.value }),
  });
}

function answer(exchange: CallerExchange, outcome: Outcome<Written<unknown>>): Outcome<Response> {
  if (!outcome.ok) return outcome;
  const { record, reference, versionId, created, replayed } = outcome.value;
  const headers = {
    ETag: entityTag(versionId),
    ...(created ? { Location: `${exchange.baseUrl}/${asciiOnly(reference)}` } : {}),
    ...(replayed ? { "Idempotent-Replayed": "true" } : {}),
  };
  return success(Response.json(record, { status: created ? 201 : 200, headers }));
}

/** Headers carry ASCII: a reference in another script is percent-encoded there. */
function asciiOnly(reference: string): string {
  return reference.replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
}

function verbs({ view, route }: CallerExchange) {
  return verbsOf(view, route.resource ?? "Individual");
}

function routeResource({ route }: CallerExchange): string {
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

function linkTo({ baseUrl, url, route }: CallerExchange, cursor?: string): string {
  const query = new URLSearchParams(url.searchParams);
  if (cursor !== undefined) query.set("cursor", cursor);
  const text = query.toString();
  return `${baseUrl}${route.template}${text ? `?${text}` : ""}`;
}
