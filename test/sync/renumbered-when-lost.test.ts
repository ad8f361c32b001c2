import { beforeEach, describe, expect, it } from "vitest";
import { run, tabletOf } from "./support/files.ts";
import { ok, personOf, settled, system } from "./support/people.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

const reference = (value: string) => `Individual/${system}|${value}`;
const mem = { ...personOf("N1", { family: "Cruz", given: "Mem" }), birthDate: "1980-01-01" };
const stranger = { ...personOf("N1", { family: "Santos", given: "Bea" }), birthDate: "1970-01-01" };

/** A restored server has lost whom a tablet registered, and somebody else has her number there by then: she gets another one. */
describe("somebody whom a restored server lost, and whose number is a stranger's by then", () => {
  let world: World;
  let now: World;
  let tablet: Device;
  let isCut: boolean;
  let lose: () => Promise<void>;

  beforeEach(async () => {
    world = await createWorld();
    isCut = false;
    tablet = await tabletOf(world, "a", {
      network: (send) => (url, init) =>
        isCut && init.method === "POST" && url.includes("/api/")
          ? Promise.reject(new TypeError("cut"))
          : send(url, init),
    });
    const backup = structuredClone(world.medium);
    lose = async () => {
      now = await restoredFrom(backup);
      await ok(now.view.individuals.create(stranger as never));
      world.moveTo(now);
      await ok(tablet.client.signIn(credentials));
    };
  });

  const register = (numbers: readonly string[]) => {
    const identifier = numbers.map((value) => ({ system, value }));
    const members = [{ individual: { ...mem, identifier } as never, role: "head" }];
    const group = { groupType: "household", name: "H" } as const;
    return ok(tablet.client.registerHousehold({ group, members }));
  };
  const renumber = (...numbers: readonly string[]) =>
    ok(
      tablet.client.individuals.update(reference("N1"), (draft) => {
        draft.identifier = numbers.map((value) => ({ system, value }));
      }),
    );
  const namesHere = async () =>
    (await ok(tablet.client.individuals.search({}))).data.map(({ record }) => record.name.given).sort();
  const numbersThere = async () =>
    (await ok(now.view.individuals.search({}))).data.map(({ name, identifier }) => [
      name.given,
      ...identifier.map(({ value }) => value),
    ]);
  const householdsThere = async () => (await ok(now.view.groups.search({}))).data;
  const householdsHere = async () =>
    (await ok(tablet.client.groups.search({}))).data.map(({ record }) => record);

  it.each([
    { when: "once it was refused", had: ["N1"], cut: false, numbers: ["N9"] },
    { when: "before it was sent", had: ["N1"], cut: true, numbers: ["N9"] },
    { when: "beside one that she keeps", had: ["N1", "N8"], cut: false, numbers: ["N9", "N8"] },
    { when: "by keeping another one", had: ["N1", "N8"], cut: false, numbers: ["N8"] },
  ])("stays on the tablet with the number that she got $when, and in her household", async (each) => {
    await register(each.had);
    await run(tablet, 1);
    await lose();
    isCut = each.cut;
    await run(tablet, 1);
    await renumber(...each.numbers);
    isCut = false;
    now.pass(3_600_000);
    await run(tablet, 2);
    expect(tablet.client.status.current).toMatchObject(settled);
    expect(await namesHere()).toEqual(["Bea", "Mem"]);
    expect(await numbersThere()).toEqual([
      ["Bea", "N1"],
      ["Mem", ...each.numbers],
    ]);
    const head = [{ member: [{ entity: { reference: reference(each.numbers[0] ?? "") } }] }];
    expect(await householdsThere()).toMatchObject(head);
    expect(await householdsHere()).toMatchObject(head);
  });

  it("waits on where she gives up another number than the stranger's", async () => {
    await register(["N1", "N8"]);
    await run(tablet, 1);
    await lose();
    await run(tablet, 1);
    await renumber("N1");
    await run(tablet, 1);
    expect(await tablet.client.parked()).toMatchObject([{ type: "Individual", reason: "duplicate" }]);
    await renumber("N9");
    await run(tablet, 2);
    expect(tablet.client.status.current).toMatchObject(settled);
    expect(await householdsHere()).toMatchObject([{ member: [{ entity: { reference: reference("N9") } }] }]);
  });
});
