import { isJsonObject } from "@fieldroll/core";

/**
 * Finds where an authorization server's keys are, from its metadata: RFC 8414 section 3, then OpenID Connect Discovery 1.0
 * section 4.
 *
 * @throws when no metadata can be had, or it is another server's
 */
export async function findKeySet(issuer: string, fetch: typeof globalThis.fetch): Promise<URL> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  for (const place of places) {
    const metadata = await readMetadata(place, fetch);
    // RFC 8414 section 3.3: what names another issuer must not be used.
    if (metadata?.issuer === issuer && typeof metadata.jwks_uri === "string")
      return new URL(metadata.jwks_uri);
  }
  throw new Error(`${issuer} has no metadata that says where its keys are`);
}

const patienceMilliseconds = 5000;

async function readMetadata(place: string, fetch: typeof globalThis.fetch) {
  const headers = { Accept: "application/json" };
  const signal = AbortSignal.timeout(patienceMilliseconds);
  const answer = await fetch(place, { headers, redirect: "manual", signal });
  if (answer.status !== 200) return undefined;
  const body: unknown = await answer.json().catch(() => undefined);
  return isJsonObject(body) ? body : undefined;
}
