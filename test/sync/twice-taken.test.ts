import { beforeEach, describe, expect, it } from "vitest";
import { ok, personOf, settled, system } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const ana = `Individual/${system}|ANA`;
const passphrase = "correct horse battery";
const other = { ...credentials, clientId: "other" };

describe("two files with edits of one record", () => {
  let world: World;
  let broken: Device;
  let whole: Device;

  const call = ({ client }: Device, value: string) =>
    ok(
      client.individuals.update(ana, (draft) => {
        draft.telecom = [...(draft.telecom ?? []), { system: "phone", value }];
      }),
    );
  const carried = async () => (await ok(broken.client.exportUnsent(passphrase))).file;
  const take = (file: string) => ok(whole.client.importUnsent(file, passphrase));
  const numbers = async () =>
    (await ok(world.view.individuals.read(`${system}|ANA`))).telecom?.map(({ value }) => value) ?? [];
  /** The tablet's person signs in, and what came back is sent. */
  const back = async (as = credentials) => {
    await ok(whole.client.signIn(as));
    await whole.client.sync();
  };

  beforeEach(async () => {
    world = await createWorld();
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    [broken, whole] = [world.device("broken"), world.device("whole")];
    for (const device of [broken, whole]) {
      await ok(device.client.signIn(credentials));
      await device.client.sync();
      device.online = false;
    }
  });

  it("both come back when another person had the tablet meanwhile", async () => {
    await call(broken, "1");
    const first = await carried();
    await call(broken, "2");
    const second = await carried();
    expect(await take(first)).toEqual({ restored: 1, sealed: 0 });
    expect(await take(second)).toEqual({ restored: 0, sealed: 1 });
    whole.online = true;
    await back(other);
    await back();
    await back();
    expect(await numbers()).toEqual(["1", "2"]);
    expect(whole.client.status.current).toMatchObject(settled);
  });

  it("both come back when the first was still sealed as the second was taken in", async () => {
    await call(whole, "9");
    await call(broken, "1");
    expect(await take(await carried())).toEqual({ restored: 0, sealed: 1 });
    await call(broken, "2");
    const second = await carried();
    expect(await take(second)).toEqual({ restored: 0, sealed: 1 });
    expect(await take(second)).toEqual({ restored: 0, sealed: 0 });
    whole.online = true;
    await whole.client.sync();
    await back();
    await back();
    expect(await numbers()).toEqual(["9", "1", "2"]);
    expect(whole.client.status.current).toMatchObject(settled);
  });

  it("bring an edit once, so that what the office took back since stays so", async () => {
    await call(broken, "1");
    const first = await carried();
    await call(broken, "2");
    const second = await carried();
    whole.online = true;
    await ok(whole.client.signIn(other));
    for (const file of [first, second]) expect(await take(file)).toEqual({ restored: 0, sealed: 1 });
    await back();
    await ok(world.view.individuals.patch(`${system}|ANA`, { telecom: null }, { ifMatch: "*" }));
    await back();
    expect(await numbers()).toEqual([]);
    expect(whole.client.status.current).toMatchObject(settled);
  });
});

describe("a record made here that two devices send", () => {
  let world: World;
  let first: Device;
  let second: Device;
  let reference: string;

  const call = ({ client }: Device, value: string) =>
    ok(
      client.individuals.update(reference, (draft) => {
        draft.telecom = [...(draft.telecom ?? []), { system: "phone", value }];
      }),
    );
  const told = async () =>
    (await ok(world.view.individuals.search())).data.map(({ telecom }) => telecom?.map(({ value }) => value));

  beforeEach(async () => {
    world = await createWorld();
    [first, second] = [world.device("first"), world.device("second")];
    for (const device of [first, second]) {
      await ok(device.client.signIn(credentials));
      await device.client.sync();
      device.online = false;
    }
    ({ reference } = await ok(first.client.individuals.create({ name: { family: "Neu", given: "N" } })));
    const { file } = await ok(first.client.exportUnsent(passphrase));
    await ok(second.client.importUnsent(file, passphrase));
  });

  it.each([
    ["the first", () => [first, second]],
    ["the second", () => [second, first]],
  ] as const)("has what was entered after that at %s", async (_, order) => {
    const [later, earlier] = order() as [Device, Device];
    await call(later, "222");
    await ok(later.client.individuals.create({ name: { family: "Another", given: "A" } }));
    for (const device of [earlier, later]) {
      device.online = true;
      await device.client.sync();
      expect(device.client.status.current).toMatchObject(settled);
    }
    expect(await told()).toContainEqual(["222"]);
    expect(await told()).toHaveLength(2);
  });

  it("waits for a person where the two say something else", async () => {
    const rename = ({ client }: Device, family: string) =>
      ok(
        client.individuals.update(reference, (draft) => {
          draft.name.family = family;
        }),
      );
    await rename(first, "Reyes");
    await rename(second, "Diaz");
    second.online = true;
    await second.client.sync();
    first.online = true;
    expect(await first.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 1 });
    expect(await first.client.parked()).toMatchObject([
      {
        reason: "conflict",
        conflicts: [{ base: "Neu", ours: "Reyes", theirs: "Diaz" }],
        written: { by: "urn:service:api-client:tablet" },
      },
    ]);
    const [parked] = await first.client.parked();
    const choices = { [parked?.conflicts[0]?.path ?? ""]: "ours" as const };
    await ok(first.client.resolve(reference, { kind: "choose", revision: parked?.revision ?? "", choices }));
    expect(await first.client.sync()).toMatchObject(settled);
  });
});
