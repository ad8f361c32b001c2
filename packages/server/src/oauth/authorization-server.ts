import { hasMethods, isText, refuseWrongOptions } from "@fieldroll/core";
import { texts } from "../option-rules.ts";
import type { Issuer } from "./issuer.ts";

/** How long others may keep the key set; who meets an unknown key id looks again anyway. */
const keySetSeconds = 300;

/** Answers GET `/oauth2/jwks`: the public keys as a JSON Web Key Set (RFC 7517 section 5). */
export async function keySetResponse(issuer: Pick<Issuer, "publicKeys">): Promise<Response> {
  refuseWrongOptions(
    "keySetResponse",
    { issuer },
    { issuer: [(given) => hasMethods(given, "publicKeys"), "an issuer, as createIssuer makes it"] },
  );
  const headers = {
    "Content-Type": "application/jwk-set+json",
    "Cache-Control": `public, max-age=${keySetSeconds}`,
  };
  return new Response(JSON.stringify({ keys: await issuer.publicKeys() }), { headers });
}

/**
 * What `/.well-known/oauth-authorization-server` tells: RFC 8414 section 2.
 *
 * @param server.authUrl origin of the authorization server as callers reach it, which is its `issuer`
 * @param server.scopes every scope that can be granted
 */
export function authorizationServerMetadata(server: {
  readonly authUrl: string;
  readonly scopes: readonly string[];
}) {
  refuseWrongOptions("authorizationServerMetadata", server, {
    authUrl: [isText, "the origin of the server, such as https://registry.example"],
    scopes: texts,
  });
  const { authUrl, scopes } = server;
  return {
    issuer: authUrl,
    token_endpoint: `${authUrl}/oauth2/token`,
    jwks_uri: `${authUrl}/oauth2/jwks`,
    scopes_supported: [...scopes],
    // Required, also where no response type exists.
    response_types_supported: [],
    grant_types_supported: ["client_credentials"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
  };
}
