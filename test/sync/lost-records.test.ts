import { createMemoryStore } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const system = "urn:test:national";
const referenceOf = (value: string) => `Individual/${system}|${value}`;
const ana = referenceOf("ANA");

const person = (value: string) => ({
  type: "Individual",
  identifier: [{ system, value }],
  name: { family: "Cruz", given: value },
});

describe("a device whose store lost every record, and nothing else", () => {
  let world: World;
  let device: Device;
  let answers: boolean;

  beforeEach(async () => {
    answers = true;
    world = await createWorld();
    await ok(world.view.individuals.create(person("ANA")));
    await ok(world.view.individuals.create(person("BEA")));
    device = world.device("a", {
      network: (send) => async (url, init) => {
        const answer = await send(url, init);
        if (!answers && init.method !== "GET") throw new TypeError("the answer is lost");
        return answer;
      },
    });
    await ok(device.client.signIn(credentials));
    await device.client.sync();
  });

  async function loseRecords(): Promise<void> {
    const store = createMemoryStore({ medium: device.medium });
    const { documents } = await store.query({ collection: "Individual", limit: 100 });
    await store.commit({ remove: documents });
  }

  const setPhone = (value: string) =>
    ok(
      device.client.individuals.update(ana, (draft) => {
        draft.telecom = [...(draft.telecom ?? []), { system: "phone", value }];
      }),
    );

  const expectArrived = async (...phones: string[]) => {
    const status = await device.client.sync();
    expect(status).toMatchObject({ pending: 0, sending: 0, parked: 0, lastError: null });
    const onServer = await ok(world.view.individuals.read(`${system}|ANA`));
    expect(onServer.telecom?.map(({ value }) => value)).toEqual(phones);
    const { record } = await ok(device.client.individuals.read(ana));
    expect(record).toMatchObject({ telecom: onServer.telecom, meta: onServer.meta });
    expect(await device.client.individuals.read(referenceOf("BEA"))).toMatchObject({ ok: true });
  };

  it("sends edits that were not sent, and has everything again", async () => {
    await setPhone("1");
    await ok(device.client.individuals.create({ ...person("NEW"), active: true }));
    await loseRecords();
    await expectArrived("1");
    expect(await world.view.individuals.read(`${system}|NEW`)).toMatchObject({ ok: true });
    expect(await device.client.individuals.read(referenceOf("NEW"))).toMatchObject({ ok: true });
  });

  it("finishes a request whose answer was lost, once, and the edits made after it", async () => {
    await setPhone("1");
    answers = false;
    await device.client.sync();
    await setPhone("2");
    await loseRecords();
    answers = true;
    await expectArrived("1", "2");
    expect(new Set(world.effects).size).toBe(world.effects.length);
  });

  it("merges them with what others changed meanwhile", async () => {
    await setPhone("1");
    await ok(world.view.individuals.patch(`${system}|ANA`, { birthDate: "1980-02-03" }, { ifMatch: "*" }));
    await loseRecords();
    await expectArrived("1");
    expect((await ok(world.view.individuals.read(`${system}|ANA`))).birthDate).toBe("1980-02-03");
  });

  it("keeps to what a person decided, and takes nothing of others' away", async () => {
    await setPhone("1");
    await ok(
      device.client.individuals.update(ana, (draft) => {
        draft.name.family = "Reyes";
      }),
    );
    const telecom = [{ system: "phone", value: "9" }];
    const office = { name: { family: "Santos" }, telecom };
    await ok(world.view.individuals.patch(`${system}|ANA`, office, { ifMatch: "*" }));
    expect(await device.client.sync()).toMatchObject({ parked: 1 });
    const [parked] = await device.client.parked();
    device.online = false;
    const choices = { "/name/family": "theirs" } as const;
    await ok(device.client.resolve(ana, { kind: "choose", choices, revision: parked?.revision ?? "" }));
    await loseRecords();
    device.online = true;
    await expectArrived("9", "1");
    expect((await ok(world.view.individuals.read(`${system}|ANA`))).name.family).toBe("Santos");
  });
});
