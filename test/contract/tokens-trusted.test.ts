import { createIssuer } from "@fieldroll/server";
import { describe, expect, it } from "vitest";
import { startService } from "./fixture.ts";

const issuer = "https://login.example.org";
const audience = "https://registry.example.org";
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** An authorization server of another organization, as far as its tokens and its keys go. */
async function otherIssuer() {
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const state = { down: false };
  const fetch = async (): Promise<Response> => {
    if (state.down) throw new TypeError("fetch failed");
    return Response.json({ keys: [{ ...jwk, kid: "1", alg: "ES256" }] });
  };
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const sign = async (claims: object): Promise<string> => {
    const text = `${encoded({ alg: "ES256", kid: "1" })}.${encoded(claims)}`;
    const signature = await crypto.subtle.sign(algorithm, pair.privateKey, new TextEncoder().encode(text));
    return `${text}.${Buffer.from(signature).toString("base64url")}`;
  };
  return { fetch, state, sign };
}

async function start() {
  const other = await otherIssuer();
  const inner = await startService();
  const active = { ids: new Set(["ngo", "writer"]) };
  const find = async (id: string) => {
    const scopes = ["registry:read", "program:read"];
    const client = { id, secretHash: "", scopes, legalBasis: "public_task" };
    return id === "nobody" ? undefined : { ...client, active: active.ids.has(id) };
  };
  const service = await startService({
    open: async () => inner.store,
    handler: {
      issuer: createIssuer({
        store: inner.store,
        clients: { find },
        secrets: { hash: async () => "", verify: async () => false },
        clock: () => inner.clock.now,
        trusted: [{ issuer, audience, jwksUri: `${issuer}/keys` }],
        fetch: other.fetch,
      }),
    },
  });
  const exp = inner.clock.now.getTime() / 1000 + 600;
  const claims = { iss: issuer, aud: audience, exp, client_id: "ngo", scope: "registry:read registry:write" };
  const ask = async (changes: object = {}, method = "GET") => {
    const headers = { Authorization: `Bearer ${await other.sign({ ...claims, ...changes })}` };
    const body = method === "POST" ? { body: {} } : {};
    return service.call({ method, path: "/Individual", as: null, headers, ...body });
  };
  return { ask, active, state: other.state };
}

describe("a token of a trusted issuer", () => {
  it("stands for a client of the directory, with the scopes that both have", async () => {
    const { ask } = await start();
    expect((await ask()).status).toBe(200);
    const { status, body } = await ask({}, "POST");
    expect([status, body.missing_scope]).toEqual([403, "registry:write"]);
  });

  const refused: readonly (readonly [string, object])[] = [
    ["for a client that the directory does not have", { client_id: "nobody" }],
    ["for another audience", { aud: "https://elsewhere.example.org" }],
    ["of an issuer that is not trusted", { iss: "https://other.example.org" }],
    ["that has expired", { exp: 1 }],
  ];
  it.each(refused)("%s is refused", async (_case, changes) => {
    expect((await (await start()).ask(changes)).status).toBe(401);
  });

  it("stops at once when its client is deactivated", async () => {
    const { ask, active } = await start();
    expect((await ask()).status).toBe(200);
    active.ids.clear();
    expect((await ask()).status).toBe(401);
  });

  it("is neither good nor bad while the issuer's keys can't be fetched: 503", async () => {
    const { ask, state } = await start();
    state.down = true;
    const { status, headers, body } = await ask();
    expect([status, body.type]).toEqual([503, "urn:service:error:unavailable"]);
    expect(headers.get("Retry-After")).not.toBeNull();
    state.down = false;
  });
});
