import { isJsonObject } from "@fieldroll/core";
import { type FetchJson, fetchJson } from "./fetch-json.ts";

/**
 * Finds where an authorization server's keys are, from its metadata: RFC 8414 section 3, then OpenID Connect Discovery 1.0
 * section 4. Only an address at the issuer's own origin counts.
 *
 * @throws when no metadata can be had, it is another server's, or it leads elsewhere
 */
export async function findKeySet(issuer: string, options: FetchJson): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  for (const place of places) {
    const metadata = await fetchJson(place, options);
    // RFC 8414 section 3.3: what names another issuer must not be used.
    if (!isJsonObject(metadata) || metadata.issuer !== issuer) continue;
    const { jwks_uri: keys } = metadata;
    if (typeof keys === "string" && URL.canParse(keys) && new URL(keys).origin === origin) return keys;
  }
  throw new Error(`${issuer} has no metadata that says where at ${origin} its keys are`);
}
