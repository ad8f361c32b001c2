import { allScopes } from "@fieldroll/core";
import type { PublicOperation } from "../../http/route-table.ts";
import { originOf } from "../context.ts";
import { type AnswerNote, example, type OperationNotes } from "../operation.ts";
import { ref, type Schema } from "../schema.ts";

const page: Schema = { type: "string", description: "HTML." };

function html(description: string): AnswerNote {
  return { description, schema: page, mediaType: "text/html" };
}

const health = { schema: ref("Health") } as const;

/** What anybody may call. */
export const publicNotes: OperationNotes<PublicOperation> = {
  metadata: (_route, context) => ({
    tag: "Service",
    description:
      "What this deployment offers: types of record, search parameters, extensions, limits, feeds.",
    answers: {
      200: {
        description: "The capability statement.",
        schema: ref("CapabilityStatement"),
        examples: example({
          name: "Fieldroll registry",
          version: context.appVersion,
          apiVersion: "2.0",
          baseUrl: context.baseUrl,
          namespace: context.namespace,
          resources: [],
          extension: [],
          authentication: { type: "oauth2", tokenUrl: `${originOf(context)}/oauth2/token` },
          limits: { pageSize: { default: 20, maximum: 500 } },
          feeds: ["all"],
        }),
      },
    },
  }),
  openapi: () => ({
    tag: "Service",
    description: "The document that you are reading, for programs.",
    parameters: ["ifNoneMatch"],
    answers: {
      200: {
        description: "An OpenAPI 3.1 document.",
        schema: { type: "object", additionalProperties: true },
        examples: example({ openapi: "3.1.0" }, "Its beginning"),
        headers: ["ETag"],
      },
      304: { description: "You have the current one.", headers: ["ETag"] },
    },
  }),
  docs: () => ({
    tag: "Service",
    description: "The same document as a page, without scripts.",
    answers: {
      200: { ...html("The page."), headers: ["ETag"] },
      304: { description: "You have the current one.", headers: ["ETag"] },
    },
    parameters: ["ifNoneMatch"],
  }),
  errorIndex: () => ({
    tag: "Service",
    description: "Every type of problem, with what it means and what a client does about it.",
    answers: { 200: html("The page.") },
  }),
  errorPage: () => ({
    tag: "Service",
    description: "What a type of problem means, and what a client does about it.",
    answers: { 200: html("The page.") },
    problems: ["not-found"],
  }),
  health: () => ({
    tag: "Service",
    description: "Answers as soon as the process runs.",
    answers: { 200: { description: "It runs.", ...health, examples: example({ status: "ok" }) } },
  }),
  readiness: () => ({
    tag: "Service",
    description:
      "Answers 200 while the storage answers, is not known to be damaged, and has all that the server was started to load.",
    answers: { 200: { description: "It is ready.", ...health, examples: example({ status: "ready" }) } },
    problems: ["unavailable"],
  }),
  metrics: () => ({
    tag: "Service",
    description: "Counters and durations by route; no personal data. Not on every deployment.",
    answers: {
      200: {
        description: "Prometheus text format.",
        schema: { type: "string" },
        mediaType: "text/plain",
        examples: example('http_requests_total{route="/Individual",method="GET",status="2xx"} 7\n'),
      },
    },
    problems: ["not-found"],
  }),
  token: () => ({
    problems: ["unavailable"],
    tag: "Tokens",
    description:
      "The client credentials grant of RFC 6749 section 4.4. The client's id and secret come by HTTP Basic or in the body; the body is a form or JSON. Scopes are narrowed to those the client has. After five different wrong secrets of a client in a minute from an address, or twenty failures of the address, or while too many secrets are being compared: 429.",
    body: {
      schema: ref("TokenRequest"),
      mediaTypes: ["application/x-www-form-urlencoded", "application/json"],
      examples: example({
        grant_type: "client_credentials",
        client_id: "survey",
        client_secret: "the-secret",
        scope: "registry:read registry:write",
      }),
    },
    answers: {
      200: {
        description: "A token for an hour.",
        schema: ref("TokenAnswer"),
        examples: example({
          access_token: "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJzdXJ2ZXkifQ.c2lnbmF0dXJl",
          token_type: "Bearer",
          expires_in: 3600,
          scope: "registry:read registry:write",
        }),
      },
      400: tokenError(
        "The request is not understood, or asks for a scope that does not exist.",
        "invalid_scope",
      ),
      401: {
        ...tokenError("The client is unknown, or its secret is wrong.", "invalid_client"),
        headers: ["WWW-Authenticate"],
      },
      413: tokenError("The body is too large.", "invalid_request"),
      429: {
        ...tokenError("Too many failed requests, or too many at once.", "too_many_requests"),
        headers: ["Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
      },
    },
  }),
  signingKeys: () => ({
    problems: ["unavailable"],
    tag: "Tokens",
    description: "A JSON Web Key Set (RFC 7517) of the public keys that verify access tokens.",
    answers: {
      200: {
        description: "The keys.",
        schema: ref("KeySet"),
        mediaType: "application/jwk-set+json",
        examples: example({
          keys: [
            { kty: "EC", crv: "P-256", kid: "0001", alg: "ES256", use: "sig", x: "f83OJ3D2", y: "x_FEzRu9" },
          ],
        }),
      },
    },
  }),
  authorizationServer: (_route, context) => ({
    tag: "Tokens",
    description:
      "Authorization server metadata (RFC 8414): clients that know it find the token endpoint by it.",
    answers: {
      200: {
        description: "The metadata.",
        schema: ref("AuthorizationServer"),
        examples: example({
          issuer: originOf(context),
          token_endpoint: `${originOf(context)}/oauth2/token`,
          jwks_uri: `${originOf(context)}/oauth2/jwks`,
          scopes_supported: allScopes,
          response_types_supported: [],
          grant_types_supported: ["client_credentials"],
          token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
        }),
      },
    },
  }),
};

function tokenError(description: string, error: string): AnswerNote {
  return {
    description,
    schema: ref("TokenError"),
    examples: example({ error, error_description: description }),
  };
}
