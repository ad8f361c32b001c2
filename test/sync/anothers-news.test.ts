import type { Fetch, FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

const system = "urn:test:national";
const arrived = { pending: 0, sending: 0, parked: 0, lastError: null };
const person = (values: readonly string[], family: string) => ({
  type: "Individual" as const,
  identifier: values.map((value) => ({ system, value })),
  name: { family, given: "Ana" },
});

describe.each([
  ["a server with a feed", (send: Fetch) => send],
  ["a plain server", (send: Fetch) => plain(send)],
])("news of somebody who had the number of a person made here for a while, at %s", (server, network) => {
  let world: World;
  let client: FieldClient;
  /** Whether looking at one record gets no answer. */
  let blind = false;
  const give = (values: readonly string[], more: object = {}) => {
    const identifier = values.map((value) => ({ system, value }));
    return ok(world.view.individuals.patch(`${system}|1`, { identifier, ...more }, { ifMatch: "*" }));
  };

  beforeEach(async () => {
    blind = false;
    world = await createWorld();
    await ok(world.view.individuals.create(person(["1"], "Cruz")));
    const device = world.device("a", {
      network: (send) => {
        const reach = network(send);
        return async (url, init) => {
          const isLook = init.method === "GET" && /\/Individual\/./.test(new URL(url).pathname);
          return blind && isLook ? new Response("", { status: 500 }) : reach(url, init);
        };
      },
    });
    client = device.client;
    await ok(client.signIn(credentials));
    await client.sync();
  });

  it.each(server === "a plain server" ? ["Reyes"] : ["Reyes", "Cruz"])(
    "does not take the place of that person, by the name %s",
    async (family) => {
      await ok(client.individuals.create(person(["4"], family)));
      await give(["1", "4"], { birthDate: "1990-01-01" });
      blind = true;
      await client.sync();
      expect(client.status.current).toMatchObject({ sending: 1 });
      blind = false;
      await give(["1"]);
      for (let run = 0; run < 2; run++) expect(await client.sync()).toMatchObject(arrived);
      const found = await ok(client.individuals.search({ _sort: "identifier" }));
      expect(found.data).toMatchObject([
        { state: "synced", record: { ...person(["1"], "Cruz"), birthDate: "1990-01-01" } },
        { state: "synced", record: person(["4"], family) },
      ]);
      expect(found.data[1]?.record.birthDate).toBeUndefined();
    },
  );
});
