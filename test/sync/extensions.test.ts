import { farmer, unwrap } from "@fieldroll/core";
import { expect, it } from "vitest";
import { createWorld, credentials } from "./support/world.ts";

const ana = "Individual/urn:test:national|ANA";

it("a device pulls, keeps and changes extension data that answers show only on request", async () => {
  const world = await createWorld({ extensions: [farmer] });
  unwrap(
    await world.view.individuals.create({
      type: "Individual",
      identifier: [{ system: "urn:test:national", value: "ANA" }],
      name: { family: "Cruz" },
      extension: { farmer: { farmSize: 2 } },
    }),
  );
  const { client } = world.device("a");
  unwrap(await client.signIn(credentials));
  await client.sync();
  expect(unwrap(await client.individuals.read(ana)).record.extension).toMatchObject({
    farmer: { farmSize: 2 },
  });

  unwrap(
    await client.individuals.update(ana, (draft) => {
      draft.extension = { farmer: { farmSize: 3 } };
    }),
  );
  await client.sync();
  unwrap(
    await world.view.individuals.patch(
      ana.slice("Individual/".length),
      { name: { given: "Ana" } },
      { ifMatch: "*" },
    ),
  );
  await client.sync();
  expect(unwrap(await client.individuals.read(ana)).record).toMatchObject({
    name: { family: "Cruz", given: "Ana" },
    extension: { farmer: { farmSize: 3 } },
  });
  const known = await world.view.individuals.read(ana.slice("Individual/".length), { extensions: "*" });
  expect(unwrap(known).extension).toMatchObject({ farmer: { farmSize: 3 } });
  expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
});
