import * as oauth from "oauth4webapi";
import { expect, it } from "vitest";
import { api, origin, type Service, startService } from "./fixture.ts";

/** Hands every request of the library to the handler; the tests' origin has no TLS, so that is allowed. */
function through({ handle }: Service) {
  // The library's type of a body and the platform's differ in views of shared memory.
  type Sent = Omit<RequestInit, "body"> & { readonly body?: unknown };
  const fetch = (url: string, { body = null, ...rest }: Sent) =>
    handle(new Request(url, { ...rest, body: body as BodyInit | null }));
  return { [oauth.customFetch]: fetch, [oauth.allowInsecureRequests]: true } as const;
}

async function discovered(service: Service): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(origin);
  const options = { ...through(service), algorithm: "oauth2" } as const;
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
}

/** The claims of a new token. */
async function fetchToken(service: Service): Promise<oauth.JWTAccessTokenClaims> {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    ...client,
    client_secret: "writer-secret",
  });
  const answer = await service.handle(new Request(`${origin}/oauth2/token`, { method: "POST", body }));
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

/** The library reads the system's clock; the service of a test has one of its own. */
function skewTo(time: Date): number {
  return Math.round((time.getTime() - Date.now()) / 1000);
}

const client = { client_id: "writer" };

it.each([
  ["client_secret_basic", oauth.ClientSecretBasic("writer-secret")],
  ["client_secret_post", oauth.ClientSecretPost("writer-secret")],
] as const)(
  "is discovered by RFC 8414, gives a token by %s, and takes it",
  async (method, authentication) => {
    const service = await startService();
    const server = await discovered(service);
    expect(server.token_endpoint_auth_methods_supported).toContain(method);
    const options = through(service);
    const wanted = { scope: "registry:read registry:write" };
    const granted = await oauth.processClientCredentialsResponse(
      server,
      client,
      await oauth.clientCredentialsGrantRequest(server, client, authentication, wanted, options),
    );
    expect(granted).toMatchObject({ token_type: "bearer", expires_in: 3600, scope: wanted.scope });
    const address = new URL(`${api}/Individual?limit=1`);
    const answer = await oauth.protectedResourceRequest(
      granted.access_token,
      "GET",
      address,
      undefined,
      null,
      options,
    );
    expect([answer.status, await answer.json()]).toMatchObject([200, { data: [] }]);
  },
);

it("gives tokens that a resource server verifies strictly, by what it discovered alone", async () => {
  const service = await startService();
  const server = await discovered(service);
  const token = await service.tokenOf("writer");
  const request = new Request(`${origin}/elsewhere`, { headers: { Authorization: `Bearer ${token}` } });
  const options = { ...through(service), [oauth.clockSkew]: skewTo(service.clock.now) };
  const claims = await oauth.validateJwtAccessToken(server, request, "urn:service:issuer", options);
  expect(claims).toMatchObject({ iss: server.issuer, client_id: "writer", sub: "writer" });
  expect((await fetchToken(service)).jti).not.toBe(claims.jti);
});

it("names the public address as the issuer, and takes a token that was got by another address", async () => {
  const publicUrl = "https://registry.example.org";
  const inside = await startService();
  const outside = await startService({ open: async () => inside.store, handler: { publicUrl } });
  const { body } = await outside.call({ path: `${origin}/.well-known/oauth-authorization-server`, as: null });
  expect([body.issuer, (await fetchToken(outside)).iss]).toEqual([publicUrl, publicUrl]);
  const headers = { Authorization: `Bearer ${await inside.tokenOf("writer")}` };
  expect((await outside.call({ path: "/Individual", as: null, headers })).status).toBe(200);
});

it("refuses a wrong secret in words that the library understands", async () => {
  const service = await startService();
  const server = await discovered(service);
  const wrong = oauth.ClientSecretBasic("wrong");
  const answer = await oauth.clientCredentialsGrantRequest(server, client, wrong, {}, through(service));
  const refused = oauth.processClientCredentialsResponse(server, client, answer);
  await expect(refused).rejects.toThrow(oauth.WWWAuthenticateChallengeError);
});

it("refuses a missing token with a challenge that the library understands", async () => {
  const service = await startService();
  const address = new URL(`${api}/Individual`);
  const options = through(service);
  const refused = oauth.protectedResourceRequest("not-a-token", "GET", address, undefined, null, options);
  await expect(refused).rejects.toMatchObject({
    status: 401,
    cause: [{ scheme: "bearer", parameters: { error: "invalid_token" } }],
  });
});
