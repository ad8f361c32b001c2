import { createMemoryStore, unwrap } from "@fieldroll/core";
import {
  createFieldClient,
  type Fetch,
  type FieldClient,
  type FieldClientOptions,
  processLock,
} from "@fieldroll/sync";
import { v7 } from "uuid";
import { beforeEach, describe, expect, it } from "vitest";
import { createWorld, credentials, root, type World } from "./support/world.ts";

const someone = { name: { family: "Diaz" } };
const origin = new URL(root).origin;

function deviceAt(
  server: string,
  world: World,
  network: (send: Fetch) => Fetch = (send) => send,
  page: string | null = null,
) {
  return createFieldClient({
    server,
    store: createMemoryStore(),
    fetch: network((url, init) => world.send(url, init)),
    clock: world.now,
    random: () => 0,
    newId: v7,
    timers: { set: () => () => undefined },
    lock: processLock(),
    automatic: false,
    origin: page,
  });
}

/** Registers somebody and syncs; then no decision waits for a person, and the edit waits for a right address. */
async function expectKept(client: FieldClient) {
  unwrap(await client.individuals.create(someone));
  const status = await client.sync();
  expect(status).toMatchObject({ parked: 0, sending: 1 });
  expect(status.lastError).toContain(`${origin}/api/v2`);
}

describe("a device with a wrong address", () => {
  let world: World;

  beforeEach(async () => {
    world = await createWorld();
  });

  it.each([origin, `${origin}/api`, `${origin}/api/v2/metadata`])(
    "parks nothing at %s, and says what an address looks like",
    async (server) => {
      const client = deviceAt(server, world);
      unwrap(await client.signIn(credentials));
      await expectKept(client);
    },
  );

  it.each([403, 404, 405, 409, 422])("takes a proxy's page with %i for no verdict", async (status) => {
    const page = { status, headers: { "content-type": "text/html" } };
    const client = deviceAt(root, world, (send) => async (url, init) => {
      return url.endsWith("/oauth2/token") ? send(url, init) : new Response("<html>no</html>", page);
    });
    unwrap(await client.signIn(credentials));
    await expectKept(client);
  });

  it("still asks a person about a record that the registry itself says is not there", async () => {
    const identifier = [{ system: "urn:x", value: "1" }];
    unwrap(await world.view.individuals.create({ ...someone, type: "Individual", identifier }));
    const gone = { type: "urn:service:error:not-found", status: 404, detail: "There is no such person." };
    const headers = { "content-type": "application/problem+json" };
    const client = deviceAt(root, world, (send) => async (url, init) => {
      if (init.method !== "PATCH") return send(url, init);
      return new Response(JSON.stringify(gone), { status: 404, headers });
    });
    unwrap(await client.signIn(credentials));
    await client.sync();
    unwrap(
      await client.individuals.update("Individual/urn:x|1", (draft) => {
        draft.name.given = "Jo";
      }),
    );
    expect(await client.sync()).toMatchObject({ parked: 1 });
    expect(await client.parked()).toMatchObject([{ reason: "gone", detail: gone.detail }]);
  });

  it("says so when nobody can be signed in there", async () => {
    const client = deviceAt(root, world, () => async () => new Response("", { status: 404 }));
    expect(await client.signIn(credentials)).toMatchObject({
      ok: false,
      problem: { kind: "unavailable", detail: expect.stringContaining(`${origin}/oauth2/token`) },
    });
  });
});

describe("a page of another origin than its server", () => {
  const failing = () => () => Promise.reject(new TypeError("Failed to fetch"));
  const detailOf = async (client: FieldClient) => {
    const outcome = await client.signIn(credentials);
    return outcome.ok ? undefined : outcome.problem.detail;
  };
  const said = (more: string) =>
    `The server ${origin} can't be reached. Check the network, and that the server runs there${more}; then try again.`;
  const leave = (page: string, allowed = page) =>
    `, and that it lets in pages of ${page} (fieldroll serve --allow-origin ${allowed})`;

  it.each<[string, string | null, string]>([
    ["another origin", "https://app.test", leave("https://app.test")],
    ["no origin of its own", "null", leave("null", "*")],
    ["the server's origin", origin, ""],
    ["no browser", null, ""],
  ])("is told where nobody answers whether it may not be let in: of %s", async (_, page, more) => {
    const client = deviceAt(root, await createWorld(), failing, page);
    expect(await detailOf(client)).toBe(said(more));
  });

  it("is told nothing of it once the server has answered", async () => {
    let fails = false;
    const network = (send: Fetch): Fetch => {
      return (url, init) => (fails ? failing()() : send(url, init));
    };
    const client = deviceAt(root, await createWorld(), network, "https://app.test");
    expect(await detailOf(client)).toBeUndefined();
    fails = true;
    expect(await detailOf(client)).toBe(said(""));
  });
});

describe("a device with a wrong password", () => {
  it("is told at once, by the server and not by the browser", async () => {
    const world = await createWorld();
    const asked: string[] = [];
    const client = deviceAt(root, world, (send) => (url, init) => {
      asked.push(init.credentials);
      return send(url, init);
    });
    expect(await client.signIn({ ...credentials, clientSecret: "wrong" })).toMatchObject({
      ok: false,
      problem: {
        kind: "authentication",
        detail:
          "The user name or password is wrong; check both, or ask the office whether this sign-in is still allowed.",
      },
    });
    expect(asked).toEqual(["omit"]);
  });
});

it.each(["127.0.0.1:8080/api/v2", "localhost:8080/api/v2", "", "/api/v2"])(
  "%j is refused at once: it is no whole address",
  async (server) => {
    const world = await createWorld();
    expect(() => deviceAt(server, world)).toThrow(
      `The option server must be a whole address such as https://registry.example/api/v2, without a user, query or fragment; it is "${server}".`,
    );
  },
);

it.each<[string, object, string]>([
  [
    "an address",
    {},
    'must be a whole address such as https://registry.example/api/v2, without a user, query or fragment; it is "undefined".',
  ],
  [
    "one beside an authServer",
    { authServer: origin },
    'must be a whole address such as https://registry.example/api/v2, without a user, query or fragment; it is "undefined".',
  ],
  ["a store", { server: root }, "The option store must be an open store: await what opens it."],
  [
    "a store that was waited for",
    { server: root, store: Promise.resolve(createMemoryStore()) },
    "The option store must be an open store: await what opens it.",
  ],
])("a client without %s is refused at once", (_, options, sentence) => {
  expect(() => createFieldClient(options as FieldClientOptions)).toThrow(sentence);
});
