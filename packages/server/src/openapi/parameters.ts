import {
  consentPurposes,
  type JsonObject,
  pageSize,
  type ResourceType,
  searchParameters,
  sortIndexes,
} from "@fieldroll/core";
import { extIdSource } from "./ext-ids.ts";
import type { Schema } from "./schema.ts";

/** A parameter as OpenAPI writes one: in place, or by reference to the components. */
export type ParameterObject = JsonObject;

const string: Schema = { type: "string" };
const uuid: Schema = { type: "string", format: "uuid" };
const size: Schema = { type: "integer", minimum: 1, maximum: pageSize.max, default: pageSize.default };

/** The parameters that operations share, by their name in the document's components. */
const shared = {
  address: {
    name: "address",
    in: "path",
    required: true,
    description:
      "`<system>|<value>` of any of the record's identifiers. The first `|` parts the two. `/` and `:` may stand as they are or percent-encoded; `#`, `?` and `%` must be encoded.",
    schema: string,
    example: "urn:gov:ph:nid|123456",
  },
  extId: {
    name: "ext_id",
    in: "path",
    required: true,
    description: `The record's UUID. ${extIdSource} What is no UUID is answered with 404.`,
    schema: uuid,
    example: "018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8e9f",
  },
  consentId: {
    name: "id",
    in: "path",
    required: true,
    description: "The consent's id.",
    schema: uuid,
    example: "0190d0a2-5b7e-7c3a-9f10-2b3c4d5e6f70",
  },
  elements: {
    name: "_elements",
    in: "query",
    description:
      "Which members to show: names, or one dotted level such as `name.family`, separated by commas. `type` and `identifier` are always shown.",
    schema: string,
    example: "name,birthDate",
  },
  extensions: {
    name: "_extensions",
    in: "query",
    description:
      "Which extensions to show: names separated by commas, or `*` for all that are declared. Default: none.",
    schema: string,
    example: "*",
  },
  limit: {
    name: "limit",
    in: "query",
    description: "Largest number of items of a page.",
    schema: size,
  },
  count: {
    name: "_count",
    in: "query",
    description: "Another word for `limit`; give one of them.",
    schema: size,
  },
  cursor: {
    name: "cursor",
    in: "query",
    description:
      "Where to go on: `pagination.next_cursor` of the page before. Opaque; it belongs to the same query.",
    schema: string,
  },
  total: {
    name: "_total",
    in: "query",
    description: "`accurate` adds `meta.total`: how many records you would find in all.",
    schema: { type: "string", enum: ["accurate"] },
  },
  ifMatch: {
    name: "If-Match",
    in: "header",
    required: true,
    description:
      'The version that may be replaced: `"<meta.versionId>"` in double quotes, a list of such, or `*` for any. `"<versionId>.<key>"`, with the key that the change feed tells, is a version of that very record. Missing: 428. Another version: 409; another record at this address: 409 with the code `other_record`.',
    schema: string,
    example: '"3"',
  },
  shown: {
    name: "X-Record-Shows",
    in: "header",
    description:
      "What you were shown of the record that you replace, as the answer with it said. What is not among it stays, also where you may see it by now.",
    schema: string,
    example: "type,identifier,beneficiary,enrollmentDate,meta",
  },
  optionalIfMatch: {
    name: "If-Match",
    in: "header",
    description: 'Honoured when sent: `"<versionId>"` in double quotes, a list of such, or `*`.',
    schema: string,
    example: '"3"',
  },
  ifNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "The version that you have: while it is the current one, the answer is 304 without a body. What is derived from other records or from the calendar (`groupMembership`, `quantity`, a program's `status`) changes without a new version: read without this header where you need it.",
    schema: string,
    example: '"3"',
  },
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes the request safe to repeat: the same key with the same request is answered with the first answer, for 180 days, also when the record has changed since. 1 to 255 visible ASCII characters, unique among your requests.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" },
    example: "7f9f1f0e-1f53-4e0b-9a3c-9d6f9c1f5b11",
  },
  clockSkew: {
    name: "X-Clock-Skew",
    in: "header",
    description:
      "By how many seconds your device's clock was ahead of the server's when the dates in the body were made of the corrected time. Kept in the audit trail, and told by the history.",
    schema: { type: "string", pattern: "^-?[0-9]{1,10}$" },
    example: "34560000",
  },
  purpose: {
    name: "X-Purpose",
    in: "header",
    description:
      "What you need the data for; a consent that names a purpose shows the record for that one only. Default: the client's.",
    schema: {
      type: "string",
      enum: [...consentPurposes],
    },
  },
  requestId: {
    name: "X-Request-Id",
    in: "header",
    description: "Your id of the request: it comes back, and stands in the audit trail. Default: a new one.",
    schema: { type: "string", pattern: "^[\\w.:-]{1,128}$" },
    example: "survey-42:7",
  },
} as const satisfies Record<string, ParameterObject>;

/** The name of a parameter that operations share. */
export type SharedParameter = keyof typeof shared;

export function sharedParameter(name: SharedParameter): ParameterObject {
  return { $ref: `#/components/parameters/${name}` };
}

export function sharedParameters(): JsonObject {
  return shared;
}

/** A query parameter of one operation. */
export function queryParameter(
  name: string,
  {
    description,
    schema = string,
    example,
  }: { readonly description: string; readonly schema?: Schema; readonly example?: string },
): ParameterObject {
  return { name, in: "query", description, schema, ...(example === undefined ? {} : { example }) };
}

/** A query parameter of one operation that takes several values, separated by commas. */
export function listParameter(
  name: string,
  { description, schema, example }: { description: string; schema: Schema; example?: string },
): ParameterObject {
  const shown = example === undefined ? {} : { example: [example] };
  return { name, in: "query", description, schema, style: "form", explode: false, ...shown };
}

/** The parameters of a search, from the table that the search itself reads. */
export function searchParametersOf(type: ResourceType, namespace: string): readonly ParameterObject[] {
  const own = Object.keys(searchParameters[type]).map((name) => searchParameterObject(type, name, namespace));
  const sorts = Object.keys(sortIndexes[type]);
  return [
    ...own,
    {
      name: "_sort",
      in: "query",
      description: `What to sort by: ${sorts.join(", ")}. A \`-\` before it turns the order round.`,
      schema: { type: "string", enum: sorts.flatMap((name) => [name, `-${name}`]) },
    },
  ];
}

function searchParameterObject(type: ResourceType, name: string, namespace: string): ParameterObject {
  const known = searchParameters[type][name];
  if (!known) throw new Error(`${type} has no search parameter ${name}`);
  const { kind, codes } = known;
  const description = codes ? `${known.description} One of: ${codes.join(", ")}.` : known.description;
  const example = known.example.replaceAll("urn:service:", `urn:${namespace}:`);
  // What is given several times is ANDed: a range of dates needs two.
  const many = kind === "date";
  const schema: Schema = many ? { type: "array", items: string } : string;
  return {
    name,
    in: "query",
    description,
    schema,
    ...(many ? { style: "form", explode: true } : {}),
    example: many ? [example] : example,
  };
}
