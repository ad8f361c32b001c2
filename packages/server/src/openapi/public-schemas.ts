import { maxTokenRequestBytes } from "../oauth/token-endpoint.ts";
import { listOf, object, oneWord, type Schema, text, wholeNumber } from "./schema.ts";

/** The whole request has no more bytes. */
const inTokenRequest = { maxLength: maxTokenRequestBytes };

const open = (description: string): Schema => ({ type: "object", description, additionalProperties: true });

/** The schemas of what anybody may read, and of tokens. */
export const publicSchemas: Readonly<Record<string, Schema>> = {
  CapabilityStatement: {
    type: "object",
    description: "What this deployment offers.",
    properties: {
      name: text("Name of the service."),
      version: text("Version of the deployed program."),
      apiVersion: text("Version of the interface."),
      baseUrl: text("Root of the API."),
      namespace: text("The word in `urn:<word>:…`."),
      resources: listOf(
        {
          type: "object",
          properties: {
            type: text("The type of record."),
            operations: listOf(open("An operation: its name, method, path and scope.")),
            searchParameters: listOf(text("A name.")),
            sortParameters: listOf(text("A name.")),
          },
          required: ["type", "operations", "searchParameters"],
        },
        "The types of record with their operations and search parameters.",
      ),
      extension: listOf(
        object({
          name: text("The member name in `extension`."),
          url: text("The URN its value carries."),
          module: text("The module that offers it."),
          appliesTo: listOf(text("A type of record.")),
          fields: listOf(text("A field.")),
        }),
        "The extensions that are declared.",
      ),
      authentication: open("How tokens are had, and the scopes there are."),
      limits: open("Page sizes and sizes of bodies."),
      feeds: listOf(text("A feed, or the form of its name.")),
      features: open("What there is beyond the specification."),
    },
    required: [
      "name",
      "version",
      "apiVersion",
      "baseUrl",
      "resources",
      "extension",
      "authentication",
      "limits",
      "feeds",
    ],
  },
  Health: object({ status: text("`ok` or `ready`.") }, { description: "That it runs." }),
  TokenRequest: object(
    {
      grant_type: { const: "client_credentials" },
      client_id: text("Unless HTTP Basic carries it.", inTokenRequest),
      client_secret: text("Unless HTTP Basic carries it.", inTokenRequest),
      scope: text("Names separated by spaces. Default: all that the client has.", inTokenRequest),
    },
    { optional: ["client_id", "client_secret", "scope"], description: "RFC 6749 section 4.4." },
  ),
  TokenAnswer: object(
    {
      access_token: text("Send it as `Authorization: Bearer <token>`."),
      token_type: { const: "Bearer" },
      expires_in: wholeNumber("Seconds."),
      scope: text("What it opens: the scopes asked for, narrowed to those the client has."),
    },
    { description: "RFC 6749 section 5.1." },
  ),
  TokenError: object(
    {
      error: oneWord(
        [
          "invalid_request",
          "invalid_client",
          "unsupported_grant_type",
          "unauthorized_client",
          "invalid_scope",
          "too_many_requests",
        ],
        "A word for programs.",
      ),
      error_description: text("A sentence for people."),
    },
    { optional: ["error_description"], description: "RFC 6749 section 5.2." },
  ),
  KeySet: object(
    {
      keys: listOf({
        type: "object",
        properties: {
          kty: text("Kind of key."),
          kid: text("Its id, in the token's header."),
          alg: text("Algorithm."),
        },
        required: ["kty"],
        additionalProperties: true,
      }),
    },
    { description: "RFC 7517 section 5." },
  ),
  AuthorizationServer: {
    type: "object",
    description: "RFC 8414 section 2.",
    properties: {
      issuer: text("Who issues the tokens."),
      token_endpoint: text("Where to ask for one."),
      jwks_uri: text("Where the keys are."),
      scopes_supported: listOf(text("A scope.")),
      response_types_supported: listOf(text("None: there is no authorization endpoint.")),
      grant_types_supported: listOf(text("A grant type.")),
      token_endpoint_auth_methods_supported: listOf(text("A method.")),
      service_documentation: text("A page for people."),
    },
    required: ["issuer", "token_endpoint", "response_types_supported"],
  },
};
