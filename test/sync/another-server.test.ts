import { createMemoryMedium, type MemoryMedium } from "@fieldroll/core";
import type { FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { clientOn } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

const ana = `Individual/${system}|ANA`;

/** Family names by number. */
async function people(world: World) {
  const { data } = await ok(world.view.individuals.search({}));
  return data.map(({ name }) => name.family).sort();
}

describe("a device that is set up for another server", () => {
  let training: World;
  let real: World;
  let medium: MemoryMedium;

  const open = (address: string, world: World) =>
    clientOn(world, medium, { server: `http://${address}.test/api/v2`, fetch: world.send });

  const synced = async (client: FieldClient) => {
    for (let i = 0; i < 3; i++) {
      real.pass(60_000);
      training.pass(60_000);
      await client.sync();
    }
    return client.status.current;
  };

  const practised = async () => {
    const client = open("training", training);
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(client.individuals.create(personOf("PLAY", { family: "Mouse", given: "Mickey" })));
    await ok(
      client.individuals.update(ana, (draft) => {
        draft.name = { family: "Mouse" };
      }),
    );
    await client.close();
  };

  beforeEach(async () => {
    [training, real] = [await createWorld(), await createWorld()];
    medium = createMemoryMedium();
    for (const world of [training, real]) {
      await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    }
    await practised();
  });

  it("sends it nothing that was made for the other one, and shows nothing of that", async () => {
    const client = open("real", real);
    expect(await client.sync()).toMatchObject({ signedInAs: null, pending: 0 });
    await ok(client.signIn(credentials));
    expect(await synced(client)).toMatchObject({ pending: 0, sending: 0, parked: 0, lastError: null });
    expect(await people(real)).toEqual(["Cruz"]);
    expect((await ok(client.individuals.search({}))).data.map(({ record }) => record.name.family)).toEqual([
      "Cruz",
    ]);
  });

  it("has it again, and sends it, when it is set up for that one again", async () => {
    const other = open("real", real);
    await ok(other.signIn(credentials));
    await other.sync();
    await ok(other.individuals.create(personOf("REAL", { family: "Reyes", given: "Ben" })));
    await other.close();
    const back = open("training", training);
    await ok(back.signIn(credentials));
    expect(await synced(back)).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect(await people(training)).toEqual(["Mouse", "Mouse"]);
    expect(await people(real)).toEqual(["Cruz"]);
  });

  it("sends it where the same data are under another address", async () => {
    const client = open("moved", training);
    await ok(client.signIn(credentials));
    expect(await synced(client)).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect(await people(training)).toEqual(["Mouse", "Mouse"]);
  });
});
