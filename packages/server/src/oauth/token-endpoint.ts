import { mediaType, readBytes } from "../http/body.ts";
import { heldBackHeaders, heldBackText } from "./held-back.ts";
import type { Issuer } from "./issuer.ts";
import { parseTokenRequest, type TokenError } from "./token-request.ts";

/** Neither kept nor compressed: a token beside what its client sent would be guessed by the length of the answer (BREACH). */
const secret = "no-store, no-transform";

/** Largest body of a token request in bytes. */
export const maxTokenRequestBytes = 64 * 1024;
const largeBody = `The body is larger than ${maxTokenRequestBytes} bytes. Send grant_type, client_id, client_secret and scope only`;

/**
 * Answers POST `/oauth2/token`: RFC 6749 sections 4.4 and 5.
 *
 * @param from.origin address of the authorization server as the client reached it, which tokens name as their issuer
 * @param from.peer the client's network address, where it is known
 */
export async function grantToken(
  issuer: Issuer,
  request: Request,
  from: { readonly origin: string; readonly peer?: string | undefined },
): Promise<Response> {
  const bytes = await readBytes(request, maxTokenRequestBytes);
  if (!bytes.ok) {
    const tooLarge = bytes.problem.kind === "payload-too-large";
    const description = tooLarge ? largeBody : bytes.problem.detail;
    // The rest of the body is not read, so nothing can follow on the connection.
    const close = { Connection: "close" };
    return errorResponse(tooLarge ? 413 : 400, { error: "invalid_request", description }, close);
  }
  const parsed = parseTokenRequest({
    mediaType: mediaType(request),
    body: new TextDecoder().decode(bytes.value),
    authorization: request.headers.get("Authorization"),
  });
  const byHeader = request.headers.has("Authorization");
  if (!parsed.ok) return refusal(parsed, byHeader);
  const { origin, peer } = from;
  const asked = { ...parsed.grant, issuer: origin, ...(peer === undefined ? {} : { peer }) };
  const granted = await issuer.grant(asked);
  if (granted.ok) {
    const { token, expiresIn, scope } = granted;
    return Response.json(
      { access_token: token, token_type: "Bearer", expires_in: expiresIn, scope },
      { headers: { "Cache-Control": secret, Pragma: "no-cache" } },
    );
  }
  if (granted.error !== "too_many_requests") return refusal(granted, byHeader);
  return errorResponse(
    429,
    { error: granted.error, description: heldBackText(granted) },
    heldBackHeaders(granted),
  );
}

/**
 * The challenge answers only those who used the header (RFC 6749 section 5.2): at others' a browser would ask the person for
 * a password of its own, and keep the page waiting.
 */
function refusal(error: TokenError, byHeader: boolean): Response {
  if (error.error !== "invalid_client") return errorResponse(400, error);
  const challenge = { "WWW-Authenticate": 'Basic realm="fieldroll", charset="UTF-8"' };
  return errorResponse(401, error, byHeader ? challenge : {});
}

function errorResponse(
  status: number,
  { error, description }: { readonly error: string; readonly description: string },
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(
    { error, error_description: description },
    { status, headers: { "Cache-Control": secret, ...headers } },
  );
}
