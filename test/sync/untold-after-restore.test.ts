import { expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, restoredFrom } from "./support/world.ts";

const day = 24 * 3_600_000;
const lives = (state: string) => [{ type: "physical" as const, country: "PH", state }];

/** Once, such a record was not asked for any more, for as long as what was accepted from here is kept. */
it("a record made here that no feed tells of is looked at again, also after the server was restored", async () => {
  const world = await createWorld();
  const { client } = world.device("a", { feeds: ["programs", "area:PH/Cavite"] });
  await ok(client.signIn(credentials));
  await client.sync();
  const made = await ok(client.individuals.create({ name: { family: "Far" }, address: lives("Laguna") }));
  await client.sync();
  const restored = await restoredFrom(structuredClone(world.medium));
  world.moveTo(restored);
  await ok(client.signIn(credentials));
  await client.sync();
  await client.sync();
  const address = made.reference.slice("Individual/".length);
  const here = async () => client.individuals.read(made.reference);
  expect(await here()).toMatchObject({ ok: true, value: { state: "synced" } });

  await ok(restored.view.individuals.patch(address, { name: { family: "Renamed" } }, { ifMatch: "*" }));
  for (const one of [world, restored]) one.pass(25 * (day / 24));
  await ok(client.signIn(credentials));
  await client.sync();
  expect(await here()).toMatchObject({ ok: true, value: { record: { name: { family: "Renamed" } } } });

  await ok(restored.view.individuals.patch(address, { active: false }, { ifMatch: "*" }));
  for (const one of [world, restored]) one.pass(25 * (day / 24));
  await ok(client.signIn(credentials));
  await client.sync();
  expect(await here()).toMatchObject({ ok: false, problem: { kind: "not-found" } });
});
