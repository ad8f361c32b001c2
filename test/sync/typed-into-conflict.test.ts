import { expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials } from "./support/world.ts";

const system = "urn:test:national";
const ana = { system, value: "ANA" };
const reference = `Individual/${system}|ANA`;

/** Once, it was no change of what both were made from, so that it went, and the other value was taken. */
it("what is typed into a conflict stays, though it is what stood there before both", async () => {
  const world = await createWorld();
  const { individuals } = world.view;
  const name = { family: "Cruz", given: "Ana" };
  await ok(individuals.create({ type: "Individual", identifier: [ana], name }));
  const { client } = world.device("a");
  await ok(client.signIn(credentials));
  await client.sync();
  const rename = (family: string) =>
    ok(
      client.individuals.update(reference, (draft) => {
        draft.name.family = family;
      }),
    );
  await rename("Mine");
  await ok(individuals.patch(ana, { name: { family: "Theirs", given: "Anita" } }, { ifMatch: "*" }));
  expect(await client.sync()).toMatchObject({ parked: 1 });

  expect(await rename("Cruz")).toMatchObject({ state: "parked", record: { name: { family: "Cruz" } } });
  const [parked] = await client.parked();
  const conflicts = [{ path: "/name/family", ours: "Cruz", theirs: "Theirs" }];
  expect(parked).toMatchObject({ reason: "conflict", conflicts });
  const { revision = "" } = parked ?? {};
  await ok(client.resolve(reference, { kind: "choose", revision, choices: { "/name/family": "ours" } }));
  expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
  expect((await ok(individuals.read(ana))).name).toMatchObject({ family: "Cruz", given: "Anita" });
});
