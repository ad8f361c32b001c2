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
