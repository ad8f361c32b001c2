import type { Individual } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { createGuest, custom, everything, type Scope, whileBusy } from "./support/guest.ts";
import { ok } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { restoredFrom } from "./support/world.ts";

const sex = { coding: [{ system: "urn:iso:std:iso:5218", code: "2" }] };
const record = {
  name: { family: "Cruz", middle: "Reyes" },
  birthDate: "1980-01-01",
  gender: sex,
  address: [{ type: "physical", city: "Naga", line: ["12 Street"] }],
  telecom: ["1", "2"].map((value) => ({ system: "phone", value, use: "home" })),
};
const servers = [
  { server: "its own", network: undefined },
  { server: "a plain", network: plain },
];

/** Once, what somebody took out counted as taken out by others as well, where a consent hid it: nobody was asked, and it was there again. */
describe("what was taken out", () => {
  const hidden: readonly {
    readonly what: string;
    readonly shows: Scope;
    readonly takeOut: (draft: Individual) => void;
    readonly isBack: (record: Individual) => boolean;
  }[] = [
    {
      ...{ what: "an address of which the town is shown", shows: custom("name", "address.city", "meta") },
      takeOut: (draft) => delete draft.address,
      isBack: ({ address }) => address !== undefined,
    },
    {
      ...{ what: "a phone of which the number is shown", shows: custom("name", "telecom.value", "meta") },
      takeOut: (draft) => draft.telecom?.pop(),
      isBack: ({ telecom }) => telecom?.length === 2,
    },
    {
      ...{ what: "a phone that is hidden", shows: custom("name", "meta") },
      takeOut: (draft) => draft.telecom?.pop(),
      isBack: ({ telecom }) => telecom?.length === 2,
    },
    {
      ...{ what: "a phone without the kind that is shown", shows: custom("name", "telecom.use", "meta") },
      takeOut: (draft) => {
        draft.telecom = draft.telecom?.filter(({ value }) => value !== "mail") ?? [];
      },
      isBack: ({ telecom }) => telecom?.some(({ value }) => value === "mail") === true,
    },
    {
      ...{ what: "a date that is hidden", shows: custom("name", "meta") },
      takeOut: (draft) => delete draft.birthDate,
      isBack: ({ birthDate }) => birthDate !== undefined,
    },
    {
      ...{ what: "a gender that is hidden", shows: custom("name", "meta") },
      takeOut: (draft) => delete draft.gender,
      isBack: ({ gender }) => gender !== undefined,
    },
    {
      ...{ what: "a part of the name that is hidden", shows: custom("name.family", "meta") },
      takeOut: (draft) => delete draft.name.middle,
      isBack: ({ name }) => name.middle !== undefined,
    },
  ];

  it.each(servers.flatMap((server) => hidden.map((each) => ({ ...server, ...each }))))(
    "of $what, waits at $server server until it can be made",
    async ({ what, network, shows, takeOut, isBack }) => {
      const telecom = [...record.telecom.slice(1), { system: "email", value: "mail" }];
      const more = what.includes("without the kind") ? { telecom } : {};
      const guest = await createGuest({ record: { ...record, ...more }, ...(network && { network }) });
      await guest.edit((draft) => void takeOut(draft));
      await guest.show(shows);
      await guest.sync(3);
      expect(guest.waits()).toBe(1);
      await guest.show(everything);
      await guest.sync(2);
      for (const { reference, revision } of await guest.client.parked())
        await guest.client.resolve(reference, { kind: "retry", revision });
      await guest.sync(2);
      expect(isBack(await guest.there())).toBe(false);
      expect(guest.waits()).toBe(0);
    },
  );

  it.each([
    { before: "nothing more", changes: [] },
    { before: "another name", changes: [{ name: { family: "Santos" } }] },
  ])(
    "of an address without the town that is shown, after the office changed $before, is made after a retry",
    async ({ changes }) => {
      const [home] = record.address;
      const address = [home, { type: "postal", text: "Box 7" }];
      const guest = await createGuest({ record: { ...record, address } });
      await guest.edit((draft) => {
        draft.address?.pop();
        draft.birthDate = "1981-01-01";
      });
      for (const change of changes) await guest.office(change);
      await guest.show(custom("name", "birthDate", "address.city", "meta"));
      await guest.sync(3);
      for (let run = 0; run < 2; run++) {
        expect(await guest.client.parked()).toMatchObject([{ reason: "forbidden", conflicts: [] }]);
        for (const { reference, revision } of await guest.client.parked())
          await ok(guest.client.resolve(reference, { kind: "retry", revision }));
        if (run > 0) await guest.show(everything);
        await guest.sync(2);
      }
      expect(await guest.there()).toMatchObject({ birthDate: "1981-01-01", address: [home] });
      expect(guest.waits()).toBe(0);
    },
  );

  it.each(["address", "telecom"] as const)(
    "of %s, where a part of it was shown, is asked about once all of it is",
    async (list) => {
      const shows = custom("name", "address.city", "telecom.value", "meta");
      const guest = await createGuest({ record, shows });
      await guest.edit((draft) => {
        delete draft[list];
      });
      await guest.show(everything);
      await guest.sync(2);
      expect(await guest.client.parked()).toMatchObject([{ reason: "conflict" }]);
      expect((await guest.there())[list]).toEqual(record[list]);
      const [{ conflicts = [], revision = "" } = {}] = await guest.client.parked();
      const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "ours" as const]));
      await guest.client.resolve(guest.ana, { kind: "choose", revision, choices });
      await guest.sync();
      expect((await guest.there())[list] ?? []).toEqual([]);
      expect(guest.waits()).toBe(0);
    },
  );

  it("of two phones that are shown alike, and the office the other one, is not taken for that", async () => {
    const guest = await createGuest({ record });
    await guest.edit((draft) => void draft.telecom?.pop());
    await guest.office({ telecom: record.telecom.slice(1) });
    await guest.show(custom("name", "telecom.system", "meta"));
    await guest.sync(2);
    expect(guest.waits()).toBe(1);
    await guest.show(everything);
    for (const { reference, revision } of await guest.client.parked())
      await ok(guest.client.resolve(reference, { kind: "retry", revision }));
    await guest.sync(2);
    expect((await guest.there()).telecom ?? []).toEqual([]);
    expect(guest.waits()).toBe(0);
  });

  /** Once, a PATCH took the text away, which had never been shown. */
  it("of a gender that was shown in part meets the rest at a plain server", async () => {
    const identifier = [{ system: "urn:service:registrant", value: "01890a5d-ac96-774b-bcce-b302099a8057" }];
    const gender = { ...sex, text: "as told by her mother" };
    const shows = custom("name", "gender.coding", "meta");
    const guest = await createGuest({ record: { identifier, gender }, shows, network: plain });
    await guest.edit((draft) => {
      delete draft.gender;
    });
    await guest.show(everything);
    await guest.sync();
    expect((await guest.there()).gender).toMatchObject(gender);
    expect(await guest.client.parked()).toMatchObject([{ reason: "conflict", theirs: { gender } }]);
  });

  /** Once, what a request had taken out that never arrived counted as arrived, as the copy that came next hid it. */
  it.each(["birthDate", "gender", "telecom"] as const)(
    "of %s, by a request that did not arrive, is made once it is shown again",
    async (member) => {
      const is = { busy: false };
      const guest = await createGuest({ record, network: whileBusy(is) });
      await guest.edit((draft) => {
        delete draft[member];
      });
      is.busy = true;
      await guest.sync();
      is.busy = false;
      await guest.show(null);
      await guest.sync(3);
      await guest.show(custom("name", "meta"));
      await guest.sync(2);
      expect(guest.waits()).toBe(1);
      await guest.show(everything);
      for (const { reference, revision } of await guest.client.parked())
        await guest.client.resolve(reference, { kind: "retry", revision });
      await guest.sync(2);
      expect((await guest.there())[member]).toBeUndefined();
      expect(guest.waits()).toBe(0);
    },
  );

  /** Once, what a plain server did not show of its answer counted as taken out there as well. */
  it.each([null, custom("name", "meta")])(
    "of a record that was made here, and a plain server shows in part, is made: %o",
    async (shows) => {
      const is = { busy: false };
      const { client, world, show, sync, waits } = await createGuest({ network: whileBusy(is, plain) });
      const identifier = [
        { system: "urn:service:registrant", value: "01890a5d-ac96-774b-bcce-b302099a8058" },
      ];
      const made = await ok(client.individuals.create({ ...record, identifier } as unknown as Individual));
      is.busy = true;
      await sync();
      is.busy = false;
      await ok(
        client.individuals.update(made.reference, (draft) => {
          delete draft.birthDate;
        }),
      );
      await sync(1);
      await show(shows, world, made.reference);
      await sync(2);
      await show(everything, world, made.reference);
      for (let run = 0; run < 2; run++) {
        for (const { reference, revision } of await client.parked())
          await ok(client.resolve(reference, { kind: "retry", revision }));
        await sync();
      }
      const [, address = ""] = made.reference.split("Individual/");
      expect((await ok(world.view.individuals.read(address))).birthDate).toBeUndefined();
      expect(waits()).toBe(0);
    },
  );

  it.each(["given", "family"] as const)(
    "of the %s name, and was accepted, is given to a restored server that hid her and shows her again",
    async (part) => {
      const guest = await createGuest({ record: { ...record, name: { family: "Cruz", given: "Ana" } } });
      const backup = structuredClone(guest.world.medium);
      await guest.edit((draft) => {
        if (part === "given") delete draft.name.given;
        else draft.name.family = "Reyes";
      });
      await guest.sync();
      const now = await restoredFrom(backup);
      guest.world.moveTo(now);
      await guest.show(null, now);
      await guest.sync(3);
      expect(await guest.client.parked()).toMatchObject([{ reason: "gone" }]);
      await guest.show(everything, now);
      await guest.sync(3);
      expect(guest.waits()).toBe(0);
      const { name } = await guest.there(now);
      expect(part === "given" ? name.given : name.family).toBe(part === "given" ? undefined : "Reyes");
    },
  );
});
