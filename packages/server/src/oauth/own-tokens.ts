import { base64url, decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { type Client, firstTokenSecond } from "./clients.ts";
import type { KeyRing } from "./key-ring.ts";
import { signingAlgorithm } from "./signing-keys.ts";
import type { VerifiedToken } from "./verified-token.ts";

/** Token type of RFC 9068, so that no other JWT of the same key passes for an access token. */
const tokenType = "at+jwt";

/** Signs and verifies the tokens of this registry. */
export interface OwnTokens {
  sign(
    client: Client,
    grant: { readonly scope: string; readonly issuer?: string | undefined },
  ): Promise<string>;
  /** What a token says, when it is one of ours and alive. Rejects when the keys can't be read. */
  verify(token: string): Promise<VerifiedToken | undefined>;
}

export interface OwnTokensOptions {
  readonly keys: KeyRing;
  readonly clock: () => Date;
  /** In seconds. */
  readonly lifetimeSeconds: number;
  /** What tokens name as their audience, and as their issuer where a grant names none. */
  readonly name: string;
}

/**
 * Makes tokens of RFC 9068. Their issuer is the address that the server was reached by, so it is not compared: nobody but this
 * registry signs with its keys, and a registry may be reached by several addresses, or by another one from today on.
 */
export function createOwnTokens({ keys, clock, lifetimeSeconds, name }: OwnTokensOptions): OwnTokens {
  return {
    async sign(client, { scope, issuer = name }) {
      const { id, privateKey } = await keys.signer();
      // A client that is let in again within the second in which it was kept out gets tokens that count.
      const issuedAt = Math.max(Math.floor(clock().getTime() / 1000), firstTokenSecond(client));
      return new SignJWT({ client_id: client.id, scope })
        .setProtectedHeader({ alg: signingAlgorithm, typ: tokenType, kid: id })
        .setIssuer(issuer)
        .setAudience(name)
        .setSubject(client.id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .setJti(newTokenId())
        .sign(privateKey);
    },
    async verify(token) {
      const kid = keyIdOf(token);
      // Outside the catch below: that the store does not answer says nothing against the token.
      const key = kid === undefined ? undefined : await keys.verifier(kid);
      if (!key) return undefined;
      const algorithms = [signingAlgorithm];
      const expected = {
        algorithms,
        audience: name,
        requiredClaims: ["iss"],
        typ: tokenType,
        currentDate: clock(),
      };
      try {
        const { payload } = await jwtVerify(token, key.publicKey, expected);
        const { client_id: clientId, scope, exp, iat: issuedAt = 0 } = payload;
        if (typeof clientId !== "string" || typeof scope !== "string" || exp === undefined) return undefined;
        return { clientId, scopes: scope.split(" "), issuedAt, expiresAt: exp * 1000 };
      } catch {
        return undefined;
      }
    },
  };
}

/** 64 random bits: tokens travel with every request, so each character of them counts. */
function newTokenId(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(8)));
}

function keyIdOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return undefined;
  }
}
