import { RegistryError } from "@fieldroll/core";
import {
  createLocalJWKSet,
  decodeJwt,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import { type FetchJson, fetchJson } from "./fetch-json.ts";
import { findKeySet } from "./key-set-discovery.ts";
import { createRemoteKeys } from "./remote-keys.ts";
import type { VerifiedToken } from "./verified-token.ts";

/** Another authorization server whose tokens are accepted: contract section 7. */
export interface TrustedIssuer {
  /** The `iss` of its tokens. */
  readonly issuer: string;
  /** What its tokens must name as `aud`: this registry, as it knows it. */
  readonly audience: string;
  /**
   * Where its keys are. Without this and without `keys`, its metadata says so (RFC 8414), and they must be at the issuer's own
   * origin. No redirect is followed.
   */
  readonly jwksUri?: string;
  /** Its keys, where they are known beforehand. */
  readonly keys?: JSONWebKeySet;
  /** The claim that names a client of this registry's directory. Default: `client_id` (RFC 9068). */
  readonly clientClaim?: string;
}

/** Verifies the tokens of other issuers. */
export interface TrustedIssuers {
  /**
   * What a token says, when one of them gave it and it is alive. Rejects with a RegistryError of kind `unavailable` when the
   * issuer's keys can't be had: that says nothing against the token.
   */
  verify(token: string): Promise<VerifiedToken | undefined>;
}

/** Only signatures by a private key: with a shared secret, whoever verifies could make tokens too. */
const algorithms = [
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
  ...["PS256", "PS384", "PS512", "RS256", "RS384", "RS512"],
];
/** A key that its issuer withdraws is not believed for longer than this. */
const believedMilliseconds = 5 * 60_000;
/** Clocks of two organizations differ. */
const clockToleranceSeconds = 5;

interface Fetching extends FetchJson {
  readonly clock: () => Date;
}

export function createTrustedIssuers(trusted: readonly TrustedIssuer[], fetching: Fetching): TrustedIssuers {
  const { clock } = fetching;
  const known = new Map(trusted.map((one) => [one.issuer, { ...one, getKey: keysOf(one, fetching) }]));
  return {
    async verify(token) {
      const one = known.get(issuerOf(token));
      if (!one) return undefined;
      const { issuer, audience, clientClaim = "client_id", getKey } = one;
      const currentDate = clock();
      const expected = { algorithms, issuer, audience, currentDate, requiredClaims: ["exp"] };
      try {
        const { payload, protectedHeader } = await jwtVerify(token, getKey, {
          ...expected,
          clockTolerance: clockToleranceSeconds,
        });
        if (!isAccessToken(protectedHeader.typ, payload)) return undefined;
        return verifiedToken(payload, clientClaim, currentDate.getTime());
      } catch (error) {
        if (error instanceof RegistryError) throw error;
        return undefined;
      }
    },
  };
}

function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? "";
  } catch {
    return "";
  }
}

function verifiedToken(payload: JWTPayload, clientClaim: string, now: number): VerifiedToken | undefined {
  const clientId = payload[clientClaim];
  if (typeof clientId !== "string" || payload.exp === undefined) return undefined;
  const expiresAt = Math.min(payload.exp * 1000, now + believedMilliseconds);
  return { clientId, scopes: scopesOf(payload), issuedAt: payload.iat ?? 0, expiresAt };
}

/** What OpenID Connect Core section 2 and 3.3.2.11 puts into ID tokens. */
const idTokenClaims = ["nonce", "at_hash", "c_hash"];
/** The words of Keycloak, in the claim `typ`, for tokens that open nothing. */
const otherTokens: readonly unknown[] = ["ID", "Refresh", "Offline", "Logout"];

/**
 * Whether a token is for access. RFC 9068 section 4 asks for the type `at+jwt`; many issuers say `JWT` or nothing, so of those
 * only what is evidently another token is refused. An ID token tells a client of a person, and opens nothing.
 */
function isAccessToken(typ: unknown, payload: JWTPayload): boolean {
  const type = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : "jwt";
  if (type === "at+jwt") return true;
  // Keycloak's word for an access token; its older versions put a nonce into these too.
  if (type !== "jwt" || payload.typ === "Bearer") return type === "jwt";
  return !otherTokens.includes(payload.typ) && !idTokenClaims.some((claim) => claim in payload);
}

/** `scope` as text (RFC 9068 section 2.2.3); some servers give a list, or call it `scp`. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  const given = scope ?? scp;
  if (typeof given === "string") return given.split(" ");
  return Array.isArray(given) ? given.filter((name) => typeof name === "string") : [];
}

function keysOf(one: TrustedIssuer, fetching: Fetching): JWTVerifyGetKey {
  if (one.keys) return createLocalJWKSet(one.keys);
  const load = async () => fetchJson(one.jwksUri ?? (await findKeySet(one.issuer, fetching)), fetching);
  return createRemoteKeys({ load, clock: fetching.clock });
}
