import type { Individual } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { createGuest, custom, everything, restoredAs } from "./support/guest.ts";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, credentials, restoredFrom } from "./support/world.ts";

const phone = (value: string) => ({ system: "phone", value }) as const;
const rename = (draft: Individual) => {
  draft.name.given = "Anna";
};
const ana = `Individual/${system}|ANA`;

/** Once, what was to be given again was told with the whole of its lists. */
it.each([null, custom("name")])(
  "what is given again tells nothing else of its list, where consents show %o",
  async (shows) => {
    const guest = await createGuest({ record: { telecom: [phone("0917 OFFICE")] } });
    const backup = structuredClone(guest.world.medium);
    await guest.edit((draft) => {
      draft.telecom?.push(phone("2"));
    });
    await guest.sync();
    await restoredAs(guest, backup, shows);
    const { client } = guest;
    const told = [await client.explain(ana), await client.diagnostics(), await guest.said()];
    expect(JSON.stringify(told)).not.toContain("OFFICE");
  },
);

/** Once, the office's value counted as seen here, so that sending again put this one in its place. */
it("is asked about beside what others have where it is in conflict with unsent work", async () => {
  const guest = await createGuest({
    record: { name: { family: "Cruz", given: "Ana" }, telecom: [phone("1")] },
  });
  const { client, sync } = guest;
  const backup = structuredClone(guest.world.medium);
  await guest.edit((draft) => {
    draft.telecom?.push(phone("2"));
  });
  await sync();
  await guest.edit((draft) => {
    draft.name.given = "Mine";
  });
  const now = await restoredAs(guest, backup, custom("name"));
  await ok(now.view.individuals.patch(`${system}|ANA`, { name: { given: "Office" } }, { ifMatch: "*" }));
  await guest.show(everything, now);
  await sync(3, 26);
  const [parked] = await client.parked();
  expect(parked?.conflicts.map(({ path }) => path)).toEqual(["/name/given"]);
});

/** Once, what had been lost was forgotten where something was typed while the request was under way that kept it waiting. */
it("is given again once work arrived that came before, also beside what was typed meanwhile", async () => {
  let isUnderWay: (() => Promise<unknown>) | null = null;
  const guest = await createGuest({
    record: { telecom: [phone("1")], address: [{ type: "physical", city: "Naic" }] },
    network: (send) => async (url, init) => {
      if (init.method === "PATCH" && "if-match" in init.headers) await isUnderWay?.();
      return send(url, init);
    },
  });
  const backup = structuredClone(guest.world.medium);
  await guest.edit((draft) => {
    draft.telecom?.push(phone("2"));
  });
  await guest.sync();
  const now = await restoredAs(guest, backup, custom("name"));
  await guest.edit((draft) => {
    draft.address = [...(draft.address ?? []), { type: "postal", city: "Imus" }];
  });
  isUnderWay = async () => {
    isUnderWay = null;
    await guest.edit((draft) => {
      draft.name.family = "Reyes";
    });
  };
  await guest.show(everything, now);
  await guest.sync(3);
  for (const { reference, revision } of await guest.client.parked())
    await ok(guest.client.resolve(reference, { kind: "retry", revision }));
  await guest.sync(3);
  const { telecom, name } = await guest.there(now);
  expect([telecom?.map(({ value }) => value), name.family]).toEqual([["1", "2"], "Reyes"]);
  expect(guest.waits()).toBe(0);
});

/** Once, the office's taking back was undone where this device had no copy of its own any more. */
it("is asked about where the office took it back before the backup, and another person has the tablet", async () => {
  const world = await createWorld();
  const { client } = world.device("a");
  const made = { ...personOf("ANA", { family: "Cruz", given: "Ana" }), birthDate: "1980-08-08" };
  await ok(world.view.individuals.create(made as Individual));
  await ok(client.signIn(credentials));
  await client.sync();
  await ok(client.individuals.update(ana, (draft) => Object.assign(draft, { birthDate: "1981-01-01" })));
  await client.sync();
  await ok(world.view.individuals.patch(`${system}|ANA`, { birthDate: "1980-08-08" }, { ifMatch: "*" }));
  await client.sync();
  const backup = structuredClone(world.medium);
  await ok(client.individuals.update(ana, rename));
  await client.sync();
  const other = { ...credentials, clientId: "other" };
  await ok(client.signIn(other));
  await client.sync();
  const now = await restoredFrom(backup);
  now.pass(100 * 3_600_000);
  world.moveTo(now);
  for (const person of [other, credentials]) {
    await ok(client.signIn(person));
    await client.sync();
  }
  now.pass(26 * 3_600_000);
  await client.sync();
  expect((await ok(now.view.individuals.read(`${system}|ANA`))).birthDate).toBe("1980-08-08");
  expect((await client.parked()).map(({ detail }) => detail)).toEqual([
    expect.stringContaining("may have reached the server and been undone there"),
  ]);
});

/** Once, what others had changed in the same way was no change of this device's any more, and nobody gave it again. */
it.each(["birthDate", "a phone less", "a phone more"])(
  "is given again where somebody else did the same before it arrived, beside something else: %s",
  async (what) => {
    const record = { telecom: [phone("1"), phone("9")], birthDate: "1980-08-08" };
    const changed = {
      birthDate: { birthDate: "1981-01-01" },
      "a phone less": { telecom: [phone("9")] },
      "a phone more": { telecom: [phone("1"), phone("9"), phone("2")] },
    }[what] as Partial<Individual>;
    const guest = await createGuest({ record });
    const backup = structuredClone(guest.world.medium);
    await guest.edit((draft) => {
      Object.assign(draft, changed);
      draft.name.given = "Anna";
    });
    await guest.office(changed);
    await guest.sync(2);
    const before = await guest.there();
    const now = await restoredAs(guest, backup, everything);
    await guest.sync();
    const { telecom, birthDate, name } = await guest.there(now);
    expect({ telecom, birthDate, name }).toEqual({
      telecom: before.telecom,
      birthDate: before.birthDate,
      name: before.name,
    });
    expect(guest.waits()).toBe(0);
  },
);

describe("somebody whom another tablet gave back under the name that was corrected here", () => {
  it.each(["first", "last"])("is no duplicate of herself, where it comes %s", async (turn) => {
    const world = await createWorld();
    const [mine, other] = [world.device("a"), world.device("b")];
    const both = turn === "first" ? [other, mine] : [mine, other];
    for (const { client } of both) {
      await ok(client.signIn(credentials));
      await client.sync();
    }
    const backup = structuredClone(world.medium);
    const { type: _, ...person } = personOf("ANA", { family: "Cruz", given: "Ana" });
    await ok(other.client.individuals.create(person));
    for (const { client } of [other, mine]) await client.sync();
    await ok(mine.client.individuals.update(ana, rename));
    for (const { client } of [mine, other]) await client.sync();
    const now = await restoredFrom(backup);
    now.pass(100 * 3_600_000);
    world.moveTo(now);
    for (const { client } of both) await ok(client.signIn(credentials));
    for (let round = 0; round < 3; round++) {
      now.pass(26 * 3_600_000);
      for (const { client } of both) await client.sync();
    }
    expect([await mine.client.parked(), await other.client.parked()]).toEqual([[], []]);
    const { data } = await ok(now.view.individuals.search({}));
    expect(data.map(({ name }) => name.given)).toEqual(["Anna"]);
  });
});
