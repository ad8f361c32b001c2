import { unwrap } from "@fieldroll/core";
import { expect, it } from "vitest";
import { answer, ok, personOf, system } from "./support/people.ts";
import { createWorld, credentials } from "./support/world.ts";

it("news that came while a request's outcome was unknown is not lost with signing out and in again", async () => {
  const world = await createWorld();
  await ok(world.view.individuals.create(personOf("1", { family: "Cruz", given: "Ana" })));
  let fails = true;
  const { client } = world.device("a", {
    network: (send) => async (url, init) => {
      const reply = await send(url, init);
      return fails && init.method === "PATCH" ? answer(500) : reply;
    },
  });
  await ok(client.signIn(credentials));
  await client.sync();
  const ana = `Individual/${system}|1`;
  await ok(
    client.individuals.update(ana, (draft) => {
      draft.birthDate = "1980-01-01";
    }),
  );
  // It arrives, and the answer says that it failed.
  await client.sync();
  const name = { family: "Reyes" };
  await ok(world.view.individuals.patch(`${system}|1`, { name }, { ifMatch: "*" }));
  await client.sync();
  await ok(client.signOut({ unsent: "seal" }));
  await ok(client.signIn(credentials));
  fails = false;
  world.pass(60 * 60_000);
  for (let run = 0; run < 3; run++) await client.sync();
  expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0, lastError: null });
  expect(unwrap(await client.individuals.read(ana)).record).toMatchObject({ name, birthDate: "1980-01-01" });
});
