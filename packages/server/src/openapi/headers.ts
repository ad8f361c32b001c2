import type { JsonObject } from "@fieldroll/core";

const string = { type: "string" };

/** Headers of answers, by their names. */
const headers = {
  "X-Request-Id": { description: "The request's id, as sent or a new one.", schema: string },
  "X-API-Version": { description: "The version of the interface.", schema: { const: "2.0" } },
  ETag: {
    description:
      "The record's version in double quotes, for If-Match and If-None-Match; told also where `meta` is hidden.",
    schema: string,
    example: '"3"',
  },
  "X-Record-Key": {
    description:
      'The record\'s key, as the change feed tells it, for `If-Match: "<versionId>.<key>"`; told where its version is.',
    schema: string,
  },
  "X-Record-Shows": {
    description:
      "What you are shown of the record, where that is not all of it, separated by commas: `all` core fields or each by name, and `extension` or `extension.<name>`. What is not among it is hidden, and may be there.",
    schema: string,
    example: "type,identifier,name,active,meta",
  },
  Location: {
    description: "The address of what was created.",
    schema: { type: "string", format: "uri-reference" },
  },
  "Idempotent-Replayed": {
    description: "`true` when this is the stored answer to an earlier request with the same key.",
    schema: { const: "true" },
  },
  "X-Consent-Status": {
    description: "Under which right the record is shown: `active` consent, `legal_basis`, or `none`.",
    schema: { type: "string", enum: ["active", "legal_basis", "none"] },
  },
  "X-Consent-Scope": { description: "What is shown: `all`, or members separated by commas.", schema: string },
  "X-Consent-Expires": { description: "The consent's last day.", schema: { type: "string", format: "date" } },
  "Retry-After": { description: "Seconds to wait.", schema: string },
  "WWW-Authenticate": {
    description: "RFC 6750: what is wrong with the token, or which scope it lacks.",
    schema: string,
  },
  Allow: { description: "The methods that are possible here.", schema: string },
  "RateLimit-Limit": {
    description: "Requests that a client may send at once; of failed sign-ins, those allowed in a minute.",
    schema: string,
  },
  "RateLimit-Remaining": { description: "How many of them are left.", schema: string },
  "RateLimit-Reset": {
    description:
      "Seconds until all of them are there again; of failed sign-ins, until the next may be tried.",
    schema: string,
  },
} as const satisfies Record<string, JsonObject>;

/** The name of a header of answers. */
export type HeaderName = keyof typeof headers;

/** Every answer has these: contract section 1. */
const always: readonly HeaderName[] = ["X-Request-Id", "X-API-Version"];

export const consentHeaders: readonly HeaderName[] = [
  "X-Consent-Status",
  "X-Consent-Scope",
  "X-Consent-Expires",
];

export function headerReferences(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(
    [...always, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

export function headerComponents(): JsonObject {
  return headers;
}
