import { createMemoryMedium, createMemoryStore, type MemoryMedium } from "@fieldroll/core";
import type { FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { archive, born, clientOn } from "./support/files.ts";
import { mortal } from "./support/mortal.ts";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, credentials, partner, type World } from "./support/world.ts";

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

  it.each([
    ["was archived", credentials],
    ["withdrew the consent", partner],
  ])("keeps nobody who left the register while it was set up for another one: who %s", async (_, as) => {
    medium = createMemoryMedium();
    const terms = { subject: { reference: ana }, grantee: { organization: "Aid" } };
    const scope = [{ resourceType: "Individual" as const, fieldAccess: "all" as const }];
    const { id } = await ok(training.view.consents.grant({ ...terms, scope }));
    const first = open("training", training);
    await ok(first.signIn(as));
    await first.sync();
    await ok(first.individuals.update(ana, born));
    await first.close();
    const other = open("real", real);
    await ok(other.signIn(as));
    await other.sync();
    await other.close();
    if (as === partner) await ok(training.view.consents.revoke(id, { reason: "asked for it" }));
    else await archive(training, ana);
    const back = open("training", training);
    await ok(back.signIn(as));
    await synced(back);
    for (const { reference } of await back.parked()) await ok(back.resolve(reference, { kind: "discard" }));
    await synced(back);
    expect((await ok(back.individuals.search({}))).data).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
    "loses and sends nothing where it is killed at commit %i of that",
    async (at) => {
      const dying = new Promise<void>((died) => {
        const store = mortal(createMemoryStore({ medium }), { at, side: "after" }, died);
        void clientOn(real, medium, { server: "http://real.test/api/v2", store })
          .sync()
          .then(() => died());
      });
      await dying;
      const other = open("real", real);
      await ok(other.signIn(credentials));
      await synced(other);
      expect(await people(real)).toEqual(["Cruz"]);
      await other.close();
      await archive(training, ana);
      const back = open("training", training);
      await ok(back.signIn(credentials));
      await synced(back);
      expect(await back.parked()).toMatchObject([{ reference: ana, reason: "gone" }]);
      await ok(back.resolve(ana, { kind: "discard" }));
      expect(await people(training)).toEqual(["Mouse"]);
      const shown = (await ok(back.individuals.search({}))).data;
      expect(shown.map(({ record }) => record.name.given)).toEqual(["Mickey"]);
    },
  );

  it("sends it where the same data are under another address", async () => {
    const client = open("moved", training);
    await ok(client.signIn(credentials));
    expect(await synced(client)).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect(await people(training)).toEqual(["Mouse", "Mouse"]);
  });
});
