import { StoreError } from "@fieldroll/core";
import {
  authorizationServerMetadata,
  type Client,
  createIssuer,
  createStoredClients,
  keySetResponse,
} from "@fieldroll/server";
import { describe, expect, it } from "vitest";
import { answerOf, openHere, origin, person, type Service, startService, stores } from "./fixture.ts";

const endpoint = `${origin}/oauth2/token`;
const grant = { grant_type: "client_credentials", client_id: "writer", client_secret: "writer-secret" };
const form = (fields: Record<string, string>) => ({
  raw: new URLSearchParams(fields).toString(),
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
});
const basic = (id: string, secret: string) => ({ Authorization: `Basic ${btoa(`${id}:${secret}`)}` });
const ask = (service: Service, { raw, headers }: { raw: string; headers: Record<string, string> }) =>
  service.call({ method: "POST", path: endpoint, raw, headers, as: null });

describe.each(stores)("tokens on %s", (_name, open) => {
  it("are given to form-encoded, JSON and HTTP Basic credentials", async () => {
    const service = await startService({ open });
    const requests = [
      form(grant),
      { raw: JSON.stringify(grant), headers: { "Content-Type": "application/json" } },
      {
        raw: "grant_type=client_credentials",
        headers: { "Content-Type": "application/x-www-form-urlencoded", ...basic("writer", "writer-secret") },
      },
    ];
    for (const request of requests) {
      const { status, headers, body } = await ask(service, request);
      expect(status).toBe(200);
      expect(headers.get("Cache-Control")).toBe("no-store, no-transform");
      expect(body).toEqual({
        access_token: expect.any(String),
        token_type: "Bearer",
        expires_in: 3600,
        scope: "registry:read registry:write program:read program:write",
      });
      const read = await service.call({
        path: "/Individual",
        as: null,
        headers: { Authorization: `Bearer ${body.access_token}` },
      });
      expect(read.status).toBe(200);
    }
  });

  it("outlive a restart on the same store", async () => {
    const service = await startService({ open });
    const token = await service.tokenOf("writer");
    const restarted = await startService({ open: async () => service.store });
    const headers = { Authorization: `Bearer ${token}` };
    expect((await restarted.call({ path: "/Individual", as: null, headers })).status).toBe(200);
  });
});

describe("a refused token request", () => {
  it("that is too large is told so in words of its own", async () => {
    const service = await startService();
    const { status, body } = await ask(service, form({ ...grant, padding: "x".repeat(70_000) }));
    expect([status, body.error]).toEqual([413, "invalid_request"]);
    expect(body.error_description).toContain("65536 bytes");
    expect(body.error_description).not.toContain("photo");
  });

  const cases: readonly (readonly [string, Record<string, string>, number, string])[] = [
    ["no grant type", { ...grant, grant_type: "" }, 400, "invalid_request"],
    ["another grant type", { ...grant, grant_type: "password" }, 400, "unsupported_grant_type"],
    ["a wrong secret", { ...grant, client_secret: "x" }, 401, "invalid_client"],
    ["an unknown client", { ...grant, client_id: "x" }, 401, "invalid_client"],
    [
      "a deactivated client",
      { ...grant, client_id: "former", client_secret: "former-secret" },
      401,
      "invalid_client",
    ],
    ["no secret", { grant_type: "client_credentials", client_id: "writer" }, 401, "invalid_client"],
    ["a scope that does not exist", { ...grant, scope: "registry:read all" }, 400, "invalid_scope"],
    ["only scopes the client lacks", { ...grant, scope: "payment:read" }, 400, "invalid_scope"],
  ];
  it.each(cases)("%s", async (_case, fields, status, error) => {
    const answer = await ask(await startService(), form(fields));
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error, error_description: expect.any(String) });
    // A challenge would make a browser ask for a password of its own.
    expect(answer.headers.get("WWW-Authenticate")).toBeNull();
  });

  it.each([
    ["registry:read all", "There is no scope all. There are registry:read, "],
    ['é"x', "There is no scope ??x. There are "],
    ["x".repeat(5000), `There is no scope ${"x".repeat(60)}.... There are `],
    ["payment:read", "The client does not have payment:read. Leave scope out"],
  ])("names the scope that is refused: %s", async (scope, told) => {
    const { body } = await ask(await startService(), form({ ...grant, scope }));
    expect(body.error).toBe("invalid_scope");
    expect(body.error_description.slice(0, told.length)).toBe(told);
    expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/);
  });

  it.each([
    [
      "a JSON body that curl sends as a form",
      JSON.stringify(grant),
      form({}).headers,
      "Send it as application/json, or",
    ],
    [
      "JSON without the credentials",
      '{"grant_type":"client_credentials","id":"writer"}',
      { "Content-Type": "application/json" },
      "in the body, form-encoded or as JSON with Content-Type application/json, or by HTTP Basic",
    ],
  ])("of %s says how to send them", async (_case, raw, headers, told) => {
    const { body } = await ask(await startService(), { raw, headers });
    expect(body.error_description).toContain(told);
    // RFC 6749 section 5.2.
    expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/);
  });

  it("of two ways at once, a repeated parameter, another media type", async () => {
    const service = await startService();
    const { headers } = form({});
    for (const request of [
      { ...form(grant), headers: { ...headers, ...basic("writer", "writer-secret") } },
      { raw: `${new URLSearchParams(grant)}&scope=a&scope=b`, headers },
      { raw: "grant_type=client_credentials", headers: { "Content-Type": "text/plain" } },
      { raw: '{"grant_type":1}', headers: { "Content-Type": "application/json" } },
    ]) {
      const { status, body } = await ask(service, request);
      expect([status, body.error]).toEqual([400, "invalid_request"]);
    }
  });
});

describe("scopes", () => {
  it("are narrowed to what was asked for and to what the client has", async () => {
    const service = await startService();
    const { body } = await ask(service, form({ ...grant, scope: "program:read payment:read registry:read" }));
    expect(body.scope).toBe("registry:read program:read");
  });

  const needed: readonly (readonly [string, string, string])[] = [
    ["POST", "/Individual", "registry:write"],
    ["PUT", "/Group/urn:x|1", "registry:write"],
    ["PATCH", "/Individual/urn:x|1", "registry:write"],
    ["POST", "/ProgramMembership", "program:write"],
    ["PUT", "/ProgramMembership/urn:x|1", "program:write"],
  ];
  it.each(needed)("%s %s needs %s, told before anything is looked at", async (method, path, scope) => {
    const service = await startService();
    const { status, headers, body } = await service.call({ method, path, raw: "{", as: "reader" });
    expect(status).toBe(403);
    expect(body).toMatchObject({ type: "urn:service:error:authorization", missing_scope: scope });
    expect(headers.get("WWW-Authenticate")).toContain(`insufficient_scope", scope="${scope}"`);
  });
});

describe("access", () => {
  const read = (service: Service, headers: Record<string, string>) =>
    service.call({ path: "/Individual", as: null, headers });

  it("without a token is refused, with a challenge that names no error", async () => {
    const { status, headers, body } = await read(await startService(), {});
    expect([status, body.type]).toEqual([401, "urn:service:error:authentication"]);
    expect(headers.get("WWW-Authenticate")).toBe('Bearer realm="fieldroll"');
  });

  it.each(["Bearer x", "Bearer a.b.c", "bearer eyJhbGciOiJub25lIn0.e30."])(
    "with %s is refused",
    async (value) => {
      const { status, headers } = await read(await startService(), { Authorization: value });
      expect(status).toBe(401);
      expect(headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
    },
  );

  it("with a changed token is refused", async () => {
    const service = await startService();
    const [head, payload = "", signature] = (await service.tokenOf("reader")).split(".");
    const claims = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    const forged = btoa(JSON.stringify({ ...claims, client_id: "writer" })).replaceAll("=", "");
    const { status } = await read(service, { Authorization: `Bearer ${head}.${forged}.${signature}` });
    expect(status).toBe(401);
  });

  it("with a token of another store is refused", async () => {
    const other = await startService();
    const headers = { Authorization: `Bearer ${await other.tokenOf("writer")}` };
    expect((await read(await startService(), headers)).status).toBe(401);
  });

  it("ends with the token's hour, also for a token seen before", async () => {
    const service = await startService();
    expect((await service.call({ path: "/Individual" })).status).toBe(200);
    service.clock.now = new Date(service.clock.now.getTime() + 3_599_000);
    expect((await service.call({ path: "/Individual" })).status).toBe(200);
    service.clock.now = new Date(service.clock.now.getTime() + 1_000);
    expect((await service.call({ path: "/Individual" })).status).toBe(401);
  });

  it("stops at once when the client is deactivated or loses a scope", async () => {
    const client: Client = {
      id: "writer",
      secretHash: "ok",
      active: true,
      scopes: ["registry:read", "registry:write"],
    };
    let current = client;
    const service = await startService();
    const issuer = createIssuer({
      store: service.store,
      clients: { find: async () => current },
      secrets: { hash: async () => "ok", verify: async () => true },
      clock: () => service.clock.now,
    });
    const changed = await startService({ open: async () => service.store, handler: { issuer } });
    expect((await changed.call({ path: "/Individual" })).status).toBe(200);
    current = { ...client, scopes: ["registry:read"] };
    const write = { method: "POST", path: "/Individual", body: person("1") };
    expect((await changed.call(write)).status).toBe(403);
    current = { ...client, active: false };
    expect((await changed.call({ path: "/Individual" })).status).toBe(401);
  });
});

describe("guessing secrets", () => {
  it("stops after five failures a minute, for that client and address only", async () => {
    // Each process counts for itself: docs/decisions/0055.
    const service = await startService({ open: openHere });
    const at = async (address: string, fields: Record<string, string>) => {
      const body = new URLSearchParams(fields);
      return answerOf(await service.handle(new Request(endpoint, { method: "POST", body }), { address }));
    };
    for (let i = 0; i < 5; i++) {
      expect((await at("10.0.0.1", { ...grant, client_secret: `${i}` })).status).toBe(401);
    }
    const refused = await at("10.0.0.1", grant);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBe(60);
    expect(refused.headers.get("RateLimit-Limit")).toBe("5");
    expect((await at("10.0.0.2", grant)).status).toBe(200);
    expect(
      (await at("10.0.0.1", { ...grant, client_id: "other", client_secret: "other-secret" })).status,
    ).toBe(200);
    service.clock.now = new Date(service.clock.now.getTime() + 60_000);
    expect((await at("10.0.0.1", grant)).status).toBe(200);
  });

  it("at once is no way round it, and costs no more than five comparisons", async () => {
    let comparisons = 0;
    const service = await startService();
    const client: Client = { id: "writer", secretHash: "right", active: true, scopes: ["registry:read"] };
    const issuer = createIssuer({
      store: service.store,
      clients: { find: async () => client },
      secrets: {
        hash: async () => "decoy",
        verify: async (secret, hash) => {
          comparisons += 1;
          await new Promise((resolve) => setImmediate(resolve));
          return secret === hash;
        },
      },
      clock: () => service.clock.now,
    });
    const guesses = (secretOf: (i: number) => string) =>
      Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          issuer.grant({ clientId: "writer", clientSecret: secretOf(i), peer: "10.0.0.1" }),
        ),
      );
    expect((await guesses(() => "right")).every(({ ok }) => ok)).toBe(true);
    comparisons = 0;
    const errors = (await guesses((i) => `wrong ${i}`)).map((outcome) =>
      outcome.ok ? "none" : outcome.error,
    );
    expect(errors.filter((error) => error === "invalid_client")).toHaveLength(5);
    expect(errors.filter((error) => error === "too_many_requests")).toHaveLength(35);
    expect(comparisons).toBe(5);
  });
});

describe("a client of the store", () => {
  const client: Client = {
    id: "ngo",
    secretHash: "right",
    active: true,
    scopes: ["registry:read"],
    purpose: "research",
    fields: ["name"],
  };
  const secrets = {
    hash: async () => "decoy",
    verify: async (secret: string, hash: string) => secret === hash,
  };
  const started = async () => {
    const { store, clock } = await startService();
    const clients = createStoredClients(store, { clock: () => clock.now });
    await clients.add(client);
    const open = () => createIssuer({ store, clients, secrets, clock: () => clock.now });
    const issuer = open();
    const sign = async () => {
      const granted = await issuer.grant({ clientId: "ngo", clientSecret: "right" });
      return granted.ok ? granted.token : "";
    };
    return { store, clock, clients, issuer, open, sign, token: await sign() };
  };

  it("calls with its purpose and its fields", async () => {
    const { issuer, token } = await started();
    expect(await issuer.identify(token)).toEqual({
      clientId: "ngo",
      scopes: ["registry:read"],
      purpose: "research",
      fields: ["name"],
    });
  });

  it("is out at once, with a token seen before, when it is deactivated or removed", async () => {
    const { store, clients, issuer, token, sign } = await started();
    expect(await issuer.identify(token)).toBeDefined();
    await clients.setActive("ngo", false);
    expect(await issuer.identify(token)).toBeUndefined();
    await clients.setActive("ngo", true);
    const later = await sign();
    expect(await issuer.identify(later)).toBeDefined();
    await store.commit({ remove: [{ collection: "client", key: "ngo" }] });
    expect(await issuer.identify(later)).toBeUndefined();
  });

  it("is in again with new tokens only, be it a moment later: those from before stay dead", async () => {
    const { clock, clients, issuer, open, token, sign } = await started();
    expect(await issuer.identify(token)).toBeDefined();
    await clients.setActive("ngo", false);
    await clients.setActive("ngo", true);
    const atOnce = await sign();
    clock.now = new Date(clock.now.getTime() + 60_000);
    const later = await sign();
    // The second issuer has seen none of the tokens.
    for (const one of [issuer, open()]) {
      expect(await one.identify(token)).toBeUndefined();
      expect(await one.identify(atOnce)).toBeDefined();
      expect(await one.identify(later)).toBeDefined();
    }
  });
});

describe("while the store does not answer", () => {
  const down = async (): Promise<never> => {
    throw new StoreError("unavailable", "no answer");
  };

  it("a token is neither good nor bad: 503", async () => {
    const service = await startService();
    const headers = { Authorization: `Bearer ${await service.tokenOf("writer")}` };
    const broken = await startService({ open: async () => ({ ...service.store, query: down, get: down }) });
    const answer = await broken.call({ path: "/Individual", as: null, headers });
    expect([answer.status, answer.body.type]).toEqual([503, "urn:service:error:unavailable"]);
    const asked = await ask(broken, form(grant));
    expect(asked.status).toBe(503);
  });
});

describe("what others need to verify tokens", () => {
  it("is public, and only the public half", async () => {
    const { store } = await startService();
    const clients = { find: async () => undefined };
    const secrets = { hash: async () => "", verify: async () => false };
    const answer = await keySetResponse(createIssuer({ store, clients, secrets }));
    const { keys } = (await answer.json()) as { keys: object[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {})).not.toContain("d");
  });

  it("is said in the metadata of the authorization server", () => {
    const metadata = authorizationServerMetadata({ authUrl: origin, scopes: ["registry:read"] });
    expect(metadata).toMatchObject({
      issuer: origin,
      token_endpoint: `${origin}/oauth2/token`,
      jwks_uri: `${origin}/oauth2/jwks`,
      grant_types_supported: ["client_credentials"],
    });
  });
});
