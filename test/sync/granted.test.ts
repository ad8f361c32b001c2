import { allScopes } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

/** What a sign-in may do: the status has it from the server's answer with the token (RFC 6749 section 5.1). */
describe("what the server granted", () => {
  let world: World;
  let device: Device;
  /** What stands in the answer with the token instead of what the server says. */
  let granted: { readonly scope?: unknown } | null;

  beforeEach(async () => {
    granted = null;
    world = await createWorld();
    device = world.device("tablet", {
      network: (send) => async (url, init) => {
        const response = await send(url, init);
        if (granted === null || !url.endsWith("/token")) return response;
        const { scope: _, ...rest } = JSON.parse(await response.text());
        return {
          status: 200,
          headers: response.headers,
          text: async () => JSON.stringify({ ...rest, ...granted }),
        };
      },
    });
  });

  const scopes = async () => (await device.client.sync()).scopes;

  it("is told while somebody is signed in, also after a restart", async () => {
    expect(await scopes()).toBeNull();
    await ok(device.client.signIn(credentials));
    expect(await scopes()).toEqual(allScopes);
    device.kill();
    expect(await scopes()).toEqual(allScopes);
    await ok(device.client.signOut());
    expect(await scopes()).toBeNull();
  });

  it("is what the newest sign-in got", async () => {
    await ok(device.client.signIn(credentials));
    granted = { scope: "program:read registry:read" };
    await ok(device.client.signIn(credentials));
    expect(await scopes()).toEqual(["registry:read", "program:read"]);
  });

  it.each([
    ["says nothing of it", {}],
    ["says nothing that can be read", { scope: ["registry:read"] }],
    ["has scopes of its own alone", { scope: "read write" }],
  ])("is not known where the server %s", async (_, answer) => {
    granted = answer;
    await ok(device.client.signIn(credentials));
    expect(await scopes()).toBeNull();
  });

  it("is in a report, but for words that are not this API's", async () => {
    granted = { scope: "registry:read for-maria" };
    await ok(device.client.signIn(credentials));
    expect((await device.client.diagnostics()).status.scopes).toEqual(["registry:read"]);
  });
});
