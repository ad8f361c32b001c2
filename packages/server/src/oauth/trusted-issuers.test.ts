import { RegistryError } from "@fieldroll/core";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { createTrustedIssuers, type TrustedIssuer } from "./trusted-issuers.ts";

const issuer = "https://login.example.org/realm";
const audience = "https://registry.example.org";
const now = new Date("2026-03-01T08:00:00Z");
const seconds = now.getTime() / 1000;
let pair: Awaited<ReturnType<typeof generateKeyPair>>;
let keys: { keys: Record<string, unknown>[] };

beforeAll(async () => {
  pair = await generateKeyPair("RS256");
  keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: "k", alg: "RS256", use: "sig" }] };
});

const claims = { iss: issuer, aud: audience, exp: seconds + 600, client_id: "ngo", scope: "registry:read" };
const sign = (changes: JWTPayload = {}, kid = "k", typ?: string) =>
  new SignJWT({ ...claims, ...changes })
    .setProtectedHeader({ alg: "RS256", kid, ...(typ === undefined ? {} : { typ }) })
    .sign(pair.privateKey);

type Answer = Response | Error;
function issuers(one: Partial<TrustedIssuer> = {}, answers: Readonly<Record<string, () => Answer>> = {}) {
  const asked: string[] = [];
  const fetch = async (input: string | URL | Request) => {
    const url = String(input);
    asked.push(url);
    const answer = answers[url]?.() ?? new Response("", { status: 404 });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return {
    asked,
    ...createTrustedIssuers([{ issuer, audience, ...one }], { clock: () => now, fetch, milliseconds: 5000 }),
  };
}

describe("a token of a trusted issuer", () => {
  it("is accepted with keys given beforehand", async () => {
    const { verify } = issuers({ keys: keys as never });
    const expiresAt = (seconds + 300) * 1000;
    expect(await verify(await sign())).toEqual({
      ...{ clientId: "ngo", scopes: ["registry:read"], issuedAt: 0, expiresAt },
    });
    const dated = await verify(await sign({ iat: seconds - 9 }));
    expect(dated?.issuedAt).toBe(seconds - 9);
  });

  const types: readonly (readonly [string | undefined, JWTPayload, boolean])[] = [
    [undefined, {}, true],
    ["JWT", {}, true],
    ["jwt", {}, true],
    ["at+jwt", {}, true],
    ["AT+JWT", {}, true],
    ["application/at+jwt", {}, true],
    ["at+jwt", { nonce: "n" }, true],
    ["JWT", { typ: "Bearer", nonce: "n" }, true],
    ["JWT", { nonce: "n" }, false],
    [undefined, { nonce: "n" }, false],
    ["JWT", { at_hash: "h" }, false],
    ["JWT", { c_hash: "h" }, false],
    ["JWT", { typ: "ID" }, false],
    ["JWT", { typ: "Refresh" }, false],
    ["logout+jwt", {}, false],
    ["dpop+jwt", {}, false],
    ["dpop+jwt", { typ: "Bearer" }, false],
    ["application/jwt+x", {}, false],
  ];
  it.each(types)("of the type %s with %j is one for access: %s", async (typ, changes, accepted) => {
    const { verify } = issuers({ keys: keys as never });
    expect((await verify(await sign(changes, "k", typ))) !== undefined).toBe(accepted);
  });

  const refused: readonly (readonly [string, JWTPayload])[] = [
    ["of another issuer", { iss: "https://other.example.org" }],
    ["for another audience", { aud: "https://elsewhere.example.org" }],
    ["that has expired", { exp: seconds - 60 }],
    ["that never expires", { exp: undefined as never }],
    ["that is not valid yet", { nbf: seconds + 600 }],
    ["that names no client", { client_id: 7 }],
  ];
  it.each(refused)("%s is refused", async (_case, changes) => {
    expect(await issuers({ keys: keys as never }).verify(await sign(changes))).toBeUndefined();
  });

  it("signed with a shared secret, or not at all, is refused", async () => {
    const { verify } = issuers({ keys: keys as never });
    const secret = new TextEncoder().encode(JSON.stringify(keys.keys[0]));
    const shared = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "k" }).sign(secret);
    const encode = (part: object) => btoa(JSON.stringify(part)).replaceAll("=", "");
    for (const token of [shared, `${encode({ alg: "none" })}.${encode(claims)}.`, "x", "a.b.c"]) {
      expect(await verify(token)).toBeUndefined();
    }
  });

  it("names its client in the claim that is configured, its scopes as text or list", async () => {
    const { verify } = issuers({ keys: keys as never, clientClaim: "azp" });
    const token = await sign({ azp: "other", scope: undefined, scp: ["registry:read", "program:read"] });
    expect(await verify(token)).toMatchObject({
      clientId: "other",
      scopes: ["registry:read", "program:read"],
    });
  });

  it("is verified with keys from where the issuer's metadata says", async () => {
    const jwksUri = "https://login.example.org/keys";
    const { verify, asked } = issuers(
      {},
      {
        "https://login.example.org/realm/.well-known/openid-configuration": () =>
          Response.json({ issuer, jwks_uri: jwksUri }),
        [jwksUri]: () => Response.json(keys),
      },
    );
    expect(await verify(await sign())).toBeDefined();
    expect(await verify(await sign())).toBeDefined();
    expect(asked).toHaveLength(3);
  });

  it("is not verified with the metadata of another issuer", async () => {
    const place = "https://login.example.org/.well-known/oauth-authorization-server/realm";
    const metadata = { issuer: "https://evil.example.org", jwks_uri: "https://evil.example.org/keys" };
    const { verify } = issuers({}, { [place]: () => Response.json(metadata) });
    await expect(verify(await sign())).rejects.toThrow(RegistryError);
  });

  const broken: readonly (readonly [string, () => Answer])[] = [
    ["refuses connections", () => new TypeError("fetch failed")],
    ["answers 500", () => new Response("", { status: 500 })],
    ["answers no JSON", () => new Response("<html>")],
    ["answers no key set", () => Response.json({ ok: true })],
  ];
  it.each(broken)("can't be told from any other while the issuer %s", async (_case, answer) => {
    const jwksUri = "https://keys.example.org/set";
    const { verify } = issuers({ jwksUri }, { [jwksUri]: answer });
    await expect(verify(await sign())).rejects.toMatchObject({ problem: { kind: "unavailable" } });
  });

  it("with a key that the issuer does not have is refused", async () => {
    const jwksUri = "https://keys.example.org/set";
    const { verify } = issuers({ jwksUri }, { [jwksUri]: () => Response.json(keys) });
    expect(await verify(await sign({}, "unknown"))).toBeUndefined();
  });
});
