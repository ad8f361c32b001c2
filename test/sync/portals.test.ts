import type { Fetch, FetchResponse } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { names, ok, peopleIn } from "./support/people.ts";
import { createWorld, credentials, type Device, root, type World } from "./support/world.ts";

const html = { "content-type": "text/html; charset=utf-8" };
const page = (status: number, headers: Record<string, string> = {}) =>
  new Response("<html>Welcome to our network</html>", { status, headers: { ...html, ...headers } });

/** A redirect as a browser shows one that it does not follow. */
const opaque: FetchResponse = {
  status: 0,
  type: "opaqueredirect",
  headers: { get: () => null },
  text: async () => "",
};

const portals: readonly (readonly [string, () => FetchResponse])[] = [
  ["200 with a page", () => page(200)],
  [
    "200 with a page in plain text",
    () => new Response("Welcome", { headers: { "content-type": "text/plain" } }),
  ],
  ["200 with JSON of its own", () => Response.json({ captive: true })],
  ["200 with nothing", () => new Response(null, { status: 200 })],
  ["a redirect in a browser", () => opaque],
  ...[300, 301, 302, 303, 307, 308].map(
    (status) => [`${status}`, () => page(status, { location: "http://login.test/" })] as const,
  ),
  ["401 with a page", () => page(401)],
  ["401 with a page and a challenge", () => page(401, { "www-authenticate": "Bearer" })],
  ["401 with the challenge of a proxy", () => page(401, { "www-authenticate": "Basic" })],
  ["403 with a page", () => page(403)],
  ["403 with JSON of its own", () => Response.json({ error: "sign in" }, { status: 403 })],
  ["404 with a page", () => page(404)],
  ["511 with a page", () => page(511)],
  ["511 with JSON", () => Response.json({ type: "urn:service:error:authorization" }, { status: 511 })],
];

const problem = { reason: "captive-portal", link: `${root}/metadata` };

let world: World;
let answer: (() => FetchResponse) | null;
let device: Device;
const { seed, rename, families } = peopleIn(() => world);

const network = (send: Fetch): Fetch => {
  return async (url, init) => (answer ? answer() : send(url, init));
};

beforeEach(async () => {
  answer = null;
  world = await createWorld();
  await seed(names(2));
  device = world.device("a", { network });
});

describe.each(portals)("a captive portal that answers %s", (_, meet) => {
  it("is told as one while it keeps a device from its server, and ends nothing", async () => {
    const { client } = device;
    await ok(client.signIn(credentials));
    await client.sync();
    await rename(client, ["P0"]);
    answer = meet;
    for (let times = 0; times < 12; times++) {
      world.pass(6 * 60_000);
      const { pending, sending, ...status } = await client.sync();
      expect(status).toMatchObject({
        signedInAs: "tablet",
        needsSignIn: false,
        parked: 0,
        networkProblem: problem,
      });
      expect(pending + sending).toBe(1);
    }
    answer = null;
    expect(await client.sync()).toMatchObject({ sending: 0, lastError: null, networkProblem: null });
    expect(await families()).toEqual(["Reyes", "Cruz"]);
  });

  it("is told as one to whoever signs in", async () => {
    const { client } = device;
    answer = meet;
    expect(await client.signIn(credentials)).toMatchObject({
      ok: false,
      problem: { kind: "unavailable", errors: [{ field: "", code: "captive_portal" }] },
    });
    expect(client.status.current).toMatchObject({ signedInAs: null, networkProblem: problem });
    answer = null;
    await ok(client.signIn(credentials));
    expect(client.status.current).toMatchObject({ networkProblem: null });
  });
});

describe("a server that can't be reached", () => {
  const refused = () => {
    throw new TypeError("Failed to fetch");
  };

  it("is told as such where the device is online", async () => {
    const { client } = device;
    answer = refused;
    expect(await client.signIn(credentials)).toMatchObject({ ok: false, problem: { kind: "unavailable" } });
    expect(client.status.current.networkProblem).toEqual({ ...problem, reason: "no-connection" });
    answer = null;
    await ok(client.signIn(credentials));
    answer = refused;
    expect((await client.sync()).networkProblem).toEqual({ ...problem, reason: "no-connection" });
  });

  it.each([
    ["fails", () => page(502)],
    ["serves nobody", () => page(503)],
    ["is asked too often", () => page(429)],
  ])("is no captive portal where its proxy says in a page that it %s", async (_, meet) => {
    await ok(device.client.signIn(credentials));
    answer = meet;
    expect(await device.client.sync()).toMatchObject({ networkProblem: null, lastError: expect.any(String) });
  });
});
