import { unwrap } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { ana, ben, consentWorld, cora, home, stay } from "./consent-world.ts";
import { stores } from "./fixture.ts";
import type { World } from "./world.ts";

const helpers = { organization: "Helpers" };
const cavite = "area:PH/Cavite";
const laguna = "area:PH/Laguna";

interface Item {
  readonly reference: string;
  readonly change: string;
  readonly reason?: string;
}

/** What one feed tells from a place in it on, and where it goes on. */
async function follow(world: World, feed: string, cursor?: string) {
  const query = new URLSearchParams({ feed, limit: "500", ...(cursor !== undefined && { cursor }) });
  const { body } = await world.get("ngo", `/$changes?${query}`);
  const data: readonly Item[] = body.data;
  const told = data.filter(({ reference }) => !reference.startsWith("Program/"));
  return {
    told: told.map(({ reference, change, reason }) => `${reference} ${reason ?? change}`).sort(),
    cursor: body.pagination.next_cursor as string,
    text: JSON.stringify(body),
  };
}

const revoke = (world: World, id: string) => world.post("ministry", `/Consent/${id}/$revoke`, {});
const to = (world: World, day: string) => {
  world.clock.now = new Date(`2026-03-${day}T08:00:00Z`);
};
const person = { ...helpers, resourceType: "Individual" } as const;

describe.each(stores)("area feeds of a filtered caller on %s", (_name, open) => {
  it("tell who leaves when the consent that shows the address is withdrawn and a narrower one goes on", async () => {
    const world = await consentWorld(open);
    await world.grant({ subject: ana, ...person, access: "basic" });
    const id = await world.grant({ subject: ana, ...person });
    const [near, far] = [await follow(world, cavite), await follow(world, laguna)];
    expect([near.told, far.told]).toEqual([[`${ana} upsert`], []]);
    to(world, "02");
    await revoke(world, id);
    to(world, "03");
    expect((await follow(world, laguna, far.cursor)).told).toEqual([]);
    const ended = await follow(world, cavite, near.cursor);
    expect(ended.told).toEqual([`${ana} consent`]);
    to(world, "04");
    await world.change("ministry", "PATCH", `/${ana}`, { gender: null });
    expect((await follow(world, cavite, ended.cursor)).told).toEqual([]);
    expect((await follow(world, cavite)).told).toEqual([]);
    expect((await follow(world, "all")).told).toEqual([`${ana} upsert`]);
  });

  it("tell who leaves when the consent that shows the address expires and a narrower one goes on", async () => {
    const world = await consentWorld(open);
    await world.grant({ subject: ana, ...person, more: { expiryDate: "2026-03-05" } });
    await world.grant({ subject: ana, ...person, access: "basic" });
    const [near, far] = [await follow(world, cavite), await follow(world, laguna)];
    expect(near.told).toEqual([`${ana} upsert`]);
    to(world, "06");
    expect((await follow(world, laguna, far.cursor)).told).toEqual([]);
    const ended = await follow(world, cavite, near.cursor);
    expect(ended.told).toEqual([`${ana} consent`]);
    to(world, "07");
    expect((await follow(world, cavite, ended.cursor)).told).toEqual([]);
  });

  it("tell once who is shown from a day to come, and once who is hidden by the calendar or before it", async () => {
    const world = await consentWorld(open);
    const coming = { effectiveDate: "2026-03-04", expiryDate: "2026-03-07" };
    await world.grant({ subject: ana, ...person, more: coming });
    let { cursor } = await follow(world, cavite);
    const visits: (readonly string[])[] = [];
    for (const day of ["02", "04", "04", "05", "08", "09"]) {
      to(world, day);
      const { told, cursor: next } = await follow(world, cavite, cursor);
      visits.push(told);
      cursor = next;
    }
    expect(visits).toEqual([[], [`${ana} upsert`], [], [], [`${ana} consent`], []]);
  });

  it("tell an enrollment whose beneficiary's address is hidden neither while it is shown nor when it is lost", async () => {
    const world = await consentWorld(open);
    const id = await world.grant({ subject: ana, ...helpers, resourceType: "ProgramMembership" });
    const [near, far] = [await follow(world, cavite), await follow(world, laguna)];
    to(world, "02");
    await revoke(world, id);
    to(world, "03");
    const ended = [await follow(world, cavite, near.cursor), await follow(world, laguna, far.cursor)];
    expect([near, far, ...ended].map(({ told }) => told)).toEqual([[], [], [], []]);
  });

  it("tell an enrollment by the consent that shows its beneficiary's address", async () => {
    const world = await consentWorld(open);
    await world.grant({ subject: ana, ...helpers, resourceType: "ProgramMembership" });
    const before = await follow(world, cavite);
    to(world, "02");
    const id = await world.grant({ subject: ana, ...person });
    const begun = await follow(world, cavite, before.cursor);
    expect(begun.told).toEqual([`${ana} upsert`, `${stay} upsert`]);
    to(world, "03");
    await revoke(world, id);
    to(world, "04");
    expect((await follow(world, cavite, begun.cursor)).told).toEqual([`${ana} consent`, `${stay} consent`]);
  });

  it("tell nobody who moved out before a consent showed the address, be it in force or withdrawn", async () => {
    const world = await consentWorld(open);
    const first = await follow(world, cavite);
    to(world, "02");
    const address = [{ country: "PH", state: "Laguna" }];
    await world.change("ministry", "PATCH", `/${ana}`, { address });
    to(world, "03");
    const id = await world.grant({ subject: ana, ...person });
    to(world, "04");
    const shown = await follow(world, cavite, first.cursor);
    await revoke(world, id);
    to(world, "05");
    const ended = await follow(world, cavite, first.cursor);
    expect([shown.told, ended.told]).toEqual([[], []]);
  });

  it("tell who moved out and was hidden since, in the area where they were shown", async () => {
    const world = await consentWorld(open);
    const id = await world.grant({ subject: ana, ...person });
    const [near, far] = [await follow(world, cavite), await follow(world, laguna)];
    to(world, "02");
    await revoke(world, id);
    to(world, "03");
    await world.change("ministry", "PATCH", `/${ana}`, { address: [{ country: "PH", state: "Laguna" }] });
    to(world, "04");
    const ended = [await follow(world, cavite, near.cursor), await follow(world, laguna, far.cursor)];
    expect(ended.map(({ told }) => told)).toEqual([[`${ana} consent`], []]);
  });
});

describe.each(stores)("what a filtered caller may still be told on %s", (_name, open) => {
  it("is the identifier that it was shown, not one that was given since", async () => {
    const world = await consentWorld(open);
    const id = await world.grant({ subject: ana, ...person });
    const first = await follow(world, "all");
    to(world, "02");
    await revoke(world, id);
    to(world, "03");
    const identifier = [{ system: "urn:secret", value: "shelter-77" }];
    await world.change("ministry", "PATCH", `/${ana}`, { identifier });
    to(world, "04");
    const consent = await world.get("ngo", `/Consent/${id}`);
    expect(consent.body.subject).toEqual({ reference: ana });
    expect((await world.get("ministry", `/Consent/${id}`)).body.subject.reference).toContain("shelter-77");
    const ended = await follow(world, "all", first.cursor);
    expect(ended.told).toEqual([`${ana} consent`]);
    expect(ended.text).not.toContain("shelter-77");
  });

  it("is the identifier that it was shown last, of a consent in force the present one", async () => {
    const world = await consentWorld(open);
    const id = await world.grant({ subject: ana, ...person });
    const first = await follow(world, "all");
    to(world, "02");
    await world.change("ministry", "PATCH", `/${ana}`, { identifier: [{ system: "urn:new", value: "n" }] });
    const renamed = "Individual/urn:new|n";
    expect((await world.get("ngo", `/Consent/${id}`)).body.subject.reference).toBe(renamed);
    to(world, "03");
    await revoke(world, id);
    to(world, "04");
    expect((await follow(world, "all", first.cursor)).told).toEqual([`${renamed} consent`]);
  });

  const days = [
    ["withdrawn", async (world: World, id: string) => void (await revoke(world, id))],
    [
      "renewed",
      async (world: World, id: string) => void unwrap(await world.view.consents.move(id, "renewed")),
    ],
    ["in force", async () => undefined],
  ] as const;
  it.each(days)(
    "is nobody who left the group before the consent was given, though it is effective from before: %s",
    async (_case, end) => {
      const world = await consentWorld(open);
      await world.grant({ subject: home, organization: "UNX" });
      const first = await follow(world, "all");
      to(world, "05");
      await world.post("ministry", `/${home}/$remove-member`, { entity: { reference: cora } });
      to(world, "10");
      const id = await world.grant({ subject: home, ...helpers, more: { effectiveDate: "2026-03-01" } });
      to(world, "12");
      await end(world, id);
      await world.change("ministry", "PATCH", `/${cora}`, { gender: null });
      to(world, "14");
      expect((await follow(world, "all", first.cursor)).told.join()).not.toContain(cora);
    },
  );

  it("is nobody who joined a group after its consent was withdrawn, or left it since", async () => {
    const world = await consentWorld(open);
    const id = await world.grant({ subject: home, ...helpers });
    const first = await follow(world, "all");
    to(world, "02");
    await revoke(world, id);
    to(world, "03");
    await world.post("ministry", `/${home}/$add-member`, { entity: { reference: ben } });
    const joined = await follow(world, "all", first.cursor);
    expect(joined.told.join()).not.toContain(ben);
    to(world, "04");
    await world.post("ministry", `/${home}/$remove-member`, { entity: { reference: ben } });
    expect((await follow(world, "all", first.cursor)).told.join()).not.toContain(ben);
  });

  it("is who left a group while its consent was in force, under another identifier since", async () => {
    const world = await consentWorld(open);
    await world.grant({ subject: home, ...helpers });
    const first = await follow(world, "all");
    to(world, "02");
    await world.post("ministry", `/${home}/$remove-member`, { entity: { reference: cora } });
    to(world, "03");
    const identifier = [{ system: "urn:secret", value: "shelter-77" }];
    await world.change("ministry", "PATCH", `/${cora}`, { identifier });
    const ended = await follow(world, "all", first.cursor);
    expect(ended.told).toContain(`${cora} consent`);
  });

  it("is who outlasted a group's consent by the calendar, also when it is withdrawn since", async () => {
    const world = await consentWorld(open);
    const member = [
      { entity: { reference: ana } },
      { entity: { reference: cora }, period: { end: "2026-03-05" } },
    ];
    await world.change("ministry", "PATCH", `/${home}`, { member });
    const id = await world.grant({ subject: home, ...helpers });
    const first = await follow(world, "all");
    expect(first.told).toContain(`${cora} upsert`);
    to(world, "07");
    await revoke(world, id);
    to(world, "08");
    expect((await follow(world, "all", first.cursor)).told).toContain(`${cora} consent`);
  });
});

describe.each(stores)("the keys of those whom a record refers to, in a feed on %s", (_name, open) => {
  interface Keyed extends Item {
    readonly key: string;
    readonly keys?: Readonly<Record<string, string>>;
  }
  const itemsOf = async (world: World, client: string): Promise<readonly Keyed[]> =>
    (await world.get(client, "/$changes?feed=all&limit=500")).body.data;

  it("are told to whom no consents bind, by the references in the record, but not of programs", async () => {
    const items = await itemsOf(await consentWorld(open), "ministry");
    const keyOf = (reference: string) => items.find((item) => item.reference === reference)?.key;
    const [household] = items.filter(({ reference }) => reference === home);
    expect(household?.keys).toEqual({ [ana]: keyOf(ana), [cora]: keyOf(cora), [ben]: keyOf(ben) });
    const [enrollment] = items.filter(({ reference }) => reference.endsWith("urn:m|ana"));
    expect(enrollment?.keys).toEqual({ [ana]: keyOf(ana) });
    expect(items.filter(({ reference, keys }) => reference === ana && keys)).toEqual([]);
  });

  it("are not told to whom consents show the record", async () => {
    const world = await consentWorld(open);
    await world.grant({ subject: home, ...helpers, resourceType: "Group" });
    const items = await itemsOf(world, "ngo");
    expect(items.map(({ reference }) => reference)).toContain(home);
    expect(items.filter(({ keys }) => keys)).toEqual([]);
  });
});
