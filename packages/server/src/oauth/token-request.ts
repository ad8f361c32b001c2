import { isJsonObject } from "@fieldroll/core";
import { jsonFault } from "../http/json-fault.ts";
import { readBasic } from "./basic-credentials.ts";
import type { GrantRequest } from "./issuer.ts";

/** An error of the token endpoint: RFC 6749 section 5.2. */
export interface TokenError {
  readonly error: "invalid_request" | "invalid_client" | "unsupported_grant_type" | "invalid_scope";
  readonly description: string;
}

export type TokenRequest =
  | { readonly ok: true; readonly grant: GrantRequest }
  | ({ readonly ok: false } & TokenError);

/**
 * Reads a token request: form-encoded or JSON, the client's credentials in it or by HTTP Basic, never both
 * (RFC 6749 section 2.3).
 */
export function parseTokenRequest(request: {
  readonly mediaType: string;
  readonly body: string;
  readonly authorization: string | null;
}): TokenRequest {
  const fields = request.mediaType === "application/json" ? jsonFields(request.body) : formFields(request);
  if (typeof fields === "string") return refused("invalid_request", fields);
  const basic = clientCredentials(request.authorization);
  if (basic === "malformed") return refused("invalid_client", "The Authorization header is not HTTP Basic");
  if (
    basic &&
    (fields.has("client_secret") || (fields.get("client_id") ?? basic.clientId) !== basic.clientId)
  ) {
    return refused(
      "invalid_request",
      "Send the client's credentials in the header or in the body, not in both",
    );
  }
  const grantType = fields.get("grant_type");
  if (!grantType) return refused("invalid_request", "grant_type is missing. Send client_credentials");
  if (grantType !== "client_credentials") {
    return refused("unsupported_grant_type", "Only the grant type client_credentials is supported");
  }
  const clientId = basic?.clientId ?? fields.get("client_id");
  const clientSecret = basic?.clientSecret ?? fields.get("client_secret");
  if (!clientId || !clientSecret) return refused("invalid_client", lacksCredentials);
  const scope = fields.get("scope");
  return { ok: true, grant: { clientId, clientSecret, ...(scope === undefined ? {} : { scope }) } };
}

/** RFC 6749 section 5.2 leaves a description no quotation marks, and nothing beyond ASCII. */
const lacksCredentials =
  "client_id and client_secret are needed: in the body, form-encoded or as JSON with Content-Type application/json, or by HTTP Basic";
const isJsonText =
  "The body is JSON, but its Content-Type says that it is form-encoded. Send it as application/json, or write it as " +
  "grant_type=client_credentials&client_id=<id>&client_secret=<secret>";

function refused(error: TokenError["error"], description: string): TokenRequest {
  return { ok: false, error, description };
}

type Fields = ReadonlyMap<string, string>;

function formFields({
  mediaType,
  body,
}: {
  readonly mediaType: string;
  readonly body: string;
}): Fields | string {
  if (mediaType !== "application/x-www-form-urlencoded") {
    return "Send the body as application/x-www-form-urlencoded or application/json";
  }
  // What `curl -d '{…}'` sends.
  if (/^\s*\{/.test(body)) return isJsonText;
  const form = [...new URLSearchParams(body)];
  const fields = new Map(form);
  // RFC 6749 section 3.2: parameters must not be included more than once.
  return fields.size === form.length ? fields : "A parameter is given more than once";
}

function jsonFields(body: string): Fields | string {
  try {
    const value: unknown = JSON.parse(body);
    if (!isJsonObject(value)) return "The body is not a JSON object";
    const entries = Object.entries(value);
    const strings = entries.flatMap(([name, text]) =>
      typeof text === "string" ? [[name, text] as const] : [],
    );
    return strings.length === entries.length ? new Map(strings) : "Every member of the body must be a string";
  } catch {
    const fault = jsonFault(body);
    return `The body is not JSON${fault ? `: line ${fault.line}, column ${fault.column}` : ""}`;
  }
}

function clientCredentials(header: string | null) {
  const basic = readBasic(header);
  if (basic === undefined || basic === "malformed") return basic;
  return { clientId: formDecoded(basic.user), clientSecret: formDecoded(basic.password) };
}

/** RFC 6749 section 2.3.1 form-encodes id and secret; many clients do not, so a stray % stays itself. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
