import type { Individual, Likened, SearchParameters } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { createGuest, custom, everything, whileBusy } from "./support/guest.ts";
import { ok } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { credentials, partner } from "./support/world.ts";

const secret = "0917 555 000";
const lives = (state: string) => [{ type: "physical" as const, country: "PH", state, city: "Naga" }];
const record = {
  birthDate: "1980-08-08",
  gender: { coding: [{ system: "urn:iso:std:iso:5218", code: "2" }] },
  telecom: [{ system: "phone", value: secret }],
  address: lives("Cavite"),
};
const names = custom("name", "meta");
const narrowed = [
  { how: "narrowed", shows: names },
  { how: "withdrawn", shows: null },
];
const rename = (draft: Individual) => {
  draft.name.family = "Reyes";
};

/** Work that waits keeps a copy of its record: what that shows follows the consents, wherever the record is. */
describe("while something of a record waits, and its consent is", () => {
  /** Once, what was parked was never looked at where no feed told of it. */
  it.each(narrowed)("$how, a tablet to which a file brought it shows it no more", async ({ shows }) => {
    const guest = await createGuest({ record, feeds: ["area:PH/Cavite"] });
    await guest.edit(rename);
    await guest.office({ name: { family: "Santos" } });
    await guest.client.sync();
    const { file } = await ok(guest.client.exportUnsent("correct horse battery"));
    const { client } = guest.world.device("b", { feeds: ["area:PH/Laguna"] });
    await ok(client.signIn({ ...credentials, clientId: "partner" }));
    await client.sync();
    await ok(client.importUnsent(file, "correct horse battery"));
    await client.sync();
    const said = async () =>
      JSON.stringify([await client.individuals.read(guest.ana), await client.parked()]);
    expect(await said()).toContain(secret);
    await guest.show(shows);
    guest.world.pass(26 * 3_600_000);
    await client.sync();
    expect(await said()).not.toContain(secret);
    expect((await client.parked())[0]?.ours).toMatchObject({ name: { family: "Reyes" } });
  });

  it("looked at once a day, with a request for each", async () => {
    const guest = await createGuest({ record });
    await guest.edit(rename);
    await guest.office({ name: { family: "Santos" } });
    await guest.sync();
    expect(await guest.client.parked()).toMatchObject([{ reason: "conflict" }]);
    await guest.sync(1, 25);
    const [{ revision = "" } = {}] = await guest.client.parked();
    guest.world.requests.length = 0;
    await guest.sync(4, 1);
    expect(guest.world.requests.filter((request) => request.includes("/Individual/"))).toEqual([]);
    await guest.sync(1, 25);
    expect(guest.world.requests.filter((request) => request.includes("/Individual/"))).toHaveLength(1);
    // Who is about to decide finds it as it was shown.
    expect(await guest.client.parked()).toMatchObject([{ reason: "conflict", revision }]);
  });

  /** Once, whoever was registered here, and is meant by what waits, stayed as she had last been shown. */
  it("withdrawn, somebody who was registered here and is in a household that waits goes but for her name there", async () => {
    const guest = await createGuest({ record, feeds: ["area:PH/Laguna"] });
    const { client, world } = guest;
    const made = await ok(
      client.individuals.create({ name: { family: "Cruz" }, address: lives("Cavite") } as Individual),
    );
    await guest.sync();
    const [{ system, value } = { system: "", value: "" }] = made.record.identifier;
    await guest.show(everything, world, made.reference);
    const { telecom } = record;
    await ok(world.view.individuals.patch(`${system}|${value}`, { telecom } as object, { ifMatch: "*" }));
    await guest.sync(1, 26);
    const said = async () => JSON.stringify(await client.individuals.read(made.reference));
    expect(await said()).toContain(secret);
    const member = [{ entity: { reference: made.reference } }];
    await ok(client.groups.create({ groupType: "household", name: "Cruz", member }));
    await guest.show(null, world, made.reference);
    await guest.sync(3, 26);
    expect(await said()).toContain(value);
    expect(await said()).not.toContain(secret);
    await guest.show(everything, world, made.reference);
    await guest.sync(3, 26);
    for (const { reference, revision } of await client.parked())
      await ok(client.resolve(reference, { kind: "retry", revision }));
    await guest.sync();
    expect(guest.waits()).toBe(0);
    expect(await said()).toContain(secret);
  });

  /** Once, its name on the tablet was taken for its key on the server, and what was decided was refused for good. */
  it("withdrawn for a while, what waits of somebody who was registered here arrives once it is decided", async () => {
    const { client, world, show, sync, waits } = await createGuest({ feeds: ["area:PH/Laguna"] });
    const lived = { name: { family: "Cruz" }, address: lives("Cavite") };
    const made = await ok(client.individuals.create(lived as Individual));
    await sync();
    const [{ system, value } = { system: "", value: "" }] = made.record.identifier;
    await show(everything, world, made.reference);
    await sync(1, 26);
    await ok(client.individuals.update(made.reference, rename));
    const office = { name: { family: "Santos" } };
    await ok(world.view.individuals.patch(`${system}|${value}`, office, { ifMatch: "*" }));
    await sync();
    expect(await client.parked()).toMatchObject([{ reason: "conflict" }]);
    await show(null, world, made.reference);
    await sync(1, 26);
    expect(await client.parked()).toMatchObject([{ reason: "gone" }]);
    await show(everything, world, made.reference);
    await sync(1, 26);
    for (let run = 0; run < 3; run++) {
      for (const { reference, reason, revision, conflicts } of await client.parked()) {
        const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "ours" as const]));
        const chosen = { kind: "choose", revision, choices } as const;
        await ok(client.resolve(reference, reason === "conflict" ? chosen : { kind: "retry", revision }));
      }
      await sync();
    }
    expect(waits()).toBe(0);
    expect((await ok(world.view.individuals.read(`${system}|${value}`))).name.family).toBe("Reyes");
  });

  /** Once, an edit's patch handed out the whole list that it had been made of. */
  it.each(
    narrowed.flatMap((each) => [
      { ...each, busy: true },
      { ...each, busy: false },
    ]),
  )(
    "$how, what is told of its edits leaves out the items that went (busy: $busy)",
    async ({ shows, busy }) => {
      const is = { busy: false };
      const guest = await createGuest({ record, network: whileBusy(is) });
      await guest.edit((draft) => {
        draft.telecom = [...(draft.telecom ?? []), { system: "phone", value: "0999" }];
      });
      is.busy = busy;
      if (busy) await guest.sync();
      await guest.show(shows);
      await guest.sync(3);
      const told = JSON.stringify(await guest.client.explain(guest.ana));
      expect(told).not.toContain(secret);
      expect(told).toContain("0999");
    },
  );

  /** Once, searches found her by what was hidden from whoever searched. */
  it.each(narrowed)(
    "$how, nobody finds it by what is hidden while a request has no outcome",
    async ({ shows }) => {
      const is = { busy: true };
      const guest = await createGuest({ record, network: whileBusy(is) });
      await guest.edit(rename);
      await guest.sync();
      const found = async (parameters: SearchParameters) =>
        (await ok(guest.client.individuals.search(parameters))).data.length;
      const hidden = [{ birthdate: "1980-08-08" }, { telecom: secret }, { gender: "2" }, { address: "naga" }];
      for (const each of hidden) expect(await found(each)).toBe(1);
      await guest.show(shows);
      await guest.sync(4);
      const { client } = guest;
      expect(client.status.current).toMatchObject({ sending: 1 });
      for (const each of hidden) expect(await found(each)).toBe(0);
      await guest.edit((draft) => {
        draft.name.family = "Santos";
      });
      for (const each of hidden) expect(await found(each)).toBe(0);
      expect(await found({ name: "santos" })).toBe(1);
      is.busy = false;
      await guest.show(everything);
      await guest.sync(3);
      expect(guest.waits()).toBe(0);
      for (const each of hidden) expect(await found(each)).toBe(1);
    },
  );

  it("withdrawn, nobody finds it by that after a sign-out and a sign-in either", async () => {
    const is = { busy: true };
    const { client, edit, show, sync } = await createGuest({ record, network: whileBusy(is) });
    await edit(rename);
    await sync();
    await show(null);
    await sync(4);
    await ok(client.signOut({ unsent: "seal" }));
    await ok(client.signIn(partner));
    const { data } = await ok(client.individuals.search({ birthdate: "1980-08-08" }));
    expect(data).toEqual([]);
  });

  /** Once, the office's photo was handed out beside a conflict for good. */
  it("narrowed, a plain server's photo goes from a conflict", async () => {
    const photo = (of: string) => picture(of.repeat(24));
    const guest = await createGuest({ record: { ...record, photo: photo("a") }, network: plain });
    await guest.edit((draft) => {
      draft.photo = photo("b");
    });
    await guest.sync();
    expect(await guest.said()).toContain(photo("a"));
    await guest.show(names);
    await guest.sync(5, 26);
    expect(await guest.said()).not.toContain(photo("a"));
    expect(await guest.said()).toContain(photo("b"));
  });

  /** Once, what was told of a record while its request had no outcome went with the sign-out, and it was shown whole again. */
  it("narrowed, it is shown so also after another person had the tablet, until a pull", async () => {
    const is = { busy: true };
    const guest = await createGuest({ record, network: whileBusy(is) });
    const { client, device } = guest;
    await guest.edit(rename);
    await guest.sync();
    await guest.show(names);
    await guest.sync(4);
    await ok(client.signIn({ ...credentials, clientId: "other" }));
    await ok(client.signIn(partner));
    device.online = false;
    const told = async () => [
      (await guest.said()).includes(secret),
      (await ok(client.individuals.search({ telecom: secret } as SearchParameters))).data.length,
    ];
    for (const online of [false, true, true]) {
      expect(await told()).toEqual([false, 0]);
      device.online = online;
      await guest.sync();
    }
    await guest.show(everything);
    is.busy = false;
    await guest.sync(2, 26);
    expect(await told()).toEqual([true, 1]);
    expect((await guest.there()).name.family).toBe("Reyes");
  });

  /** Once, a candidate without a name, or a number without its value, made the warning fail for everybody. */
  it.each([custom("telecom", "birthDate", "meta"), custom("name", "telecom.system", "meta")])(
    "who looks like somebody is told though she is shown in part: %o",
    async (shows) => {
      const guest = await createGuest({ record, shows });
      const { birthDate } = record;
      const likened: Likened = {
        name: { family: "Cruz" },
        telecom: [{ system: "phone", value: secret }],
        birthDate,
      };
      const identifier = [
        { system: guest.ana.slice("Individual/".length).split("|")[0] ?? "", value: "ANA" },
      ];
      expect((await ok(guest.client.findSimilar({ ...likened, identifier })))[0]?.reference).toBe(guest.ana);
      await ok(guest.client.findSimilar(likened));
    },
  );
});
