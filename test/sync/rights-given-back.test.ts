import { allScopes } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { names, ok, peopleIn } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const onlyReads = allScopes.filter((scope) => scope.endsWith(":read"));

let world: World;
let device: Device;
let scopes: readonly string[];
const { seed, ready, rename, families } = peopleIn(() => world);

const pages = () => world.requests.filter((request) => request.includes("/$changes"));

beforeEach(async () => {
  scopes = allScopes;
  world = await createWorld({ scopes: () => scopes });
  await seed(names(3));
});

describe("a right to write that was taken away", () => {
  beforeEach(async () => {
    device = await ready();
    scopes = onlyReads;
    await rename(device.client, ["P0"]);
    expect(await device.client.sync()).toMatchObject({
      sending: 1,
      lastError: expect.stringContaining("registry:write"),
    });
    world.requests.length = 0;
  });

  it("is used by the first press after it came back", async () => {
    scopes = allScopes;
    expect(await device.client.sync()).toMatchObject({ sending: 0, pending: 0, lastError: null });
    expect(await families()).toContain("Reyes");
  });

  it("is used by the first press after it came back, also of somebody who signed in without it", async () => {
    await ok(device.client.signIn(credentials));
    await device.client.sync();
    scopes = allScopes;
    expect(await device.client.sync()).toMatchObject({
      sending: 0,
      pending: 0,
      lastError: null,
      scopes: allScopes,
    });
  });

  it("is tried at each press, once", async () => {
    await device.client.sync();
    expect(world.requests.filter((request) => request.startsWith("PATCH"))).toHaveLength(1);
    await device.client.sync();
    expect(world.requests.filter((request) => request.startsWith("PATCH"))).toHaveLength(2);
  });

  it("sends no feed back to its beginning, nor does its return", async () => {
    await device.client.sync();
    scopes = allScopes;
    await device.client.sync();
    expect(pages().every((request) => request.endsWith(" 200"))).toBe(true);
    const { feeds } = await device.client.diagnostics();
    expect(feeds).toMatchObject([{ complete: true, restarting: false, pages: expect.any(Number) }]);
  });
});

it("a right to read that is taken away sends the feeds back to their beginnings", async () => {
  device = await ready();
  scopes = allScopes.filter((scope) => scope !== "program:read");
  await device.client.sync();
  expect(pages().some((request) => request.endsWith(" 400"))).toBe(true);
});

it("a press tries what waits also where the server was restored, and everything is read anew first", async () => {
  device = await ready();
  scopes = onlyReads;
  await rename(device.client, ["P0"]);
  await device.client.sync();
  scopes = allScopes.filter((scope) => scope !== "entitlement:read");
  expect(await device.client.sync()).toMatchObject({ sending: 0, pending: 0, lastError: null });
  expect(await families()).toContain("Reyes");
});
