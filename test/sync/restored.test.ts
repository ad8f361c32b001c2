import type { StoredDocument } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

const ana = `Individual/${system}|ANA`;

const person = personOf("ANA", { family: "Cruz", given: "Ana" });

const addPhone = ({ client }: Device, value: string) =>
  ok(
    client.individuals.update(ana, (draft) => {
      draft.telecom = [...(draft.telecom ?? []), { system: "phone", value }];
    }),
  );

const phones = async (world: World) =>
  (await ok(world.view.individuals.read(`${system}|ANA`))).telecom?.map(({ value }) => value).sort();

describe("a server that was restored and went on", () => {
  let world: World;
  let device: Device;
  let answers: boolean;
  let backup: readonly StoredDocument[];

  beforeEach(async () => {
    answers = true;
    world = await createWorld();
    await ok(world.view.individuals.create(person));
    backup = (await world.serverStore.query({ collection: "Individual", limit: 10 })).documents;
    device = world.device("a", {
      network: (send) => async (url, init) => {
        const answer = await send(url, init);
        if (!answers && init.method === "PATCH") throw new TypeError("the answer is lost");
        return answer;
      },
    });
    await ok(device.client.signIn(credentials));
    await device.client.sync();
    await addPhone(device, "1");
    expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0 });
  });

  /** The server has its first version again, and another person's change makes a second one of it. */
  async function restore(): Promise<World> {
    const restored = await createWorld();
    await restored.serverStore.commit({ put: backup });
    const telecom = [{ system: "phone", value: "office" }];
    await ok(restored.view.individuals.patch(`${system}|ANA`, { telecom }, { ifMatch: "*" }));
    world.moveTo(restored);
    await ok(device.client.signIn(credentials));
    return restored;
  }

  const expectMerged = async (restored: World, expected: readonly string[]) => {
    expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect(await phones(restored)).toEqual(expected);
    const { record } = await ok(device.client.individuals.read(ana));
    expect(record.telecom?.map(({ value }) => value).sort()).toEqual(expected);
  };

  it("does not have a version that it made anew taken for the one of that number that is lost", async () => {
    await addPhone(device, "2");
    await expectMerged(await restore(), ["1", "2", "office"]);
  });

  it("is sent what is unsent also where it does not know one of the feeds that a device reads", async () => {
    const other = world.device("b", { feeds: ["programs", "nonsense"] });
    await ok(other.client.signIn(credentials));
    await other.client.sync();
    const restored = await restore();
    await ok(other.client.signIn(credentials));
    await ok(other.client.individuals.create({ name: { family: "Reyes" } }));
    expect(await other.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await ok(restored.view.individuals.search())).data).toHaveLength(2);
  });

  it("is sent what was taken back after a request whose answer was lost, where the backup has that", async () => {
    await addPhone(device, "2");
    answers = false;
    await device.client.sync();
    answers = true;
    await ok(
      device.client.individuals.update(ana, (draft) => {
        draft.telecom = [{ system: "phone", value: "1" }];
      }),
    );
    const restored = await restoredFrom(world.medium);
    world.moveTo(restored);
    await ok(device.client.signIn(credentials));
    await device.client.sync();
    await expectMerged(restored, ["1"]);
  });

  it("is not sent a request again that replaces a version which is lost", async () => {
    await addPhone(device, "2");
    answers = false;
    await device.client.sync();
    const restored = await restore();
    answers = true;
    await expectMerged(restored, ["1", "2", "office"]);
  });
});
