import { describe, expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import { household, individual, open, scope, system, told } from "./test-world.ts";

describe("the feed of a caller bound by consents", () => {
  it("shows the visible part of what consents show, and no trace of the rest", async () => {
    const { person, grant, read } = await open();
    for (const value of ["1", "2", "3", "4"]) await person(value);
    await grant(individual("3"), { scope: scope({ fieldAccess: "custom", fields: ["name"] }) });
    const page = await read(undefined, { limit: 1 });
    expect(told(page)).toEqual(["3 upsert"]);
    expect(page.hasMore).toBe(false);
    expect(page.data[0]?.record).toEqual({
      type: "Individual",
      identifier: [{ system, value: "3" }],
      name: { family: "Family 3", text: "Family 3" },
    });
  });

  it("tells of a person whether there is a photo that they show", async () => {
    const { person, grant, read, view } = await open();
    const photo = "data:image/jpeg;base64,/9j/2gAC/9k=";
    const all = async () =>
      Object.fromEntries((await read()).data.map(({ reference, photo: has }) => [reference, has]));
    for (const value of ["1", "2", "3"]) await person(value, value === "2" ? {} : { photo });
    for (const value of ["1", "2"]) await grant(individual(value));
    await grant(individual("3"), { scope: scope({ fieldAccess: "basic" }) });
    expect(await all()).toEqual({
      [individual("1")]: true,
      [individual("2")]: false,
      [individual("3")]: false,
    });
    await view.individuals.patch(`${system}|1`, { photo: null }, { ifMatch: "*" });
    expect(await all()).toMatchObject({ [individual("1")]: false });
    const [item] = (await read(undefined, { elements: "photo" })).data;
    expect(item?.record).not.toHaveProperty("photo");
  });

  it("fills its pages behind hidden records, and says there is more only when there is", async () => {
    const { person, grant, read } = await open();
    for (let i = 0; i < 12; i++) {
      await person(String(i));
      if (i % 3 === 0) await grant(individual(String(i)));
    }
    const first = await read(undefined, { limit: 2 });
    const second = await read(first.nextCursor, { limit: 2 });
    expect([told(first), first.hasMore]).toEqual([["0 upsert", "3 upsert"], true]);
    expect([told(second), second.hasMore]).toEqual([["6 upsert", "9 upsert"], false]);
  });

  it("looks at a hidden change once, however often its reader comes back", async () => {
    const { person, grant, follow, view } = await open();
    for (let nth = 1; nth <= 40; nth++) await person(String(nth));
    await grant(individual("1"));
    const first = await follow(undefined, { records: 1000, limit: 20 });
    await view.individuals.patch(`${system}|2`, { birthDate: "1990-01-01" }, { ifMatch: "*" });
    const second = await follow(first.cursor, { records: 1000, limit: 20 });
    const third = await follow(second.cursor, { records: 1000, limit: 20 });
    expect([second.pages.flatMap(told), second.looked, third.looked]).toEqual([[], 1, 0]);
  });

  it.each([1, 3, 7, 100])(
    "tells the same on a budget of %i records a page, in more pages",
    async (records) => {
      const { person, grant, read, follow } = await open();
      for (let nth = 0; nth < 40; nth++) {
        await person(String(nth));
        if (nth % 9 === 0) await grant(individual(String(nth)));
      }
      const whole = await read(undefined, { limit: 100 });
      const { pages } = await follow(undefined, { records, limit: 3 });
      expect(pages.flatMap(told)).toEqual(told(whole));
    },
  );

  it.each([1, 5, 100])("tells what the calendar turned on a budget of %i records a page", async (records) => {
    const { person, grant, follow, advance } = await open();
    for (let nth = 10; nth < 30; nth++) {
      await person(String(nth));
      await grant(individual(String(nth)), { expiryDate: "2026-01-02" });
    }
    const { cursor } = await follow(undefined, { records: 1000, limit: 100 });
    advance({ days: 2 });
    const { pages, cursor: later } = await follow(cursor, { records, limit: 3 });
    expect(pages.flatMap(told).sort()).toEqual(Array.from({ length: 20 }, (_, nth) => `${nth + 10} consent`));
    expect((await follow(later, { records, limit: 3 })).pages.flatMap(told)).toEqual([]);
  });

  it("tells a record when a consent begins, once when it is withdrawn, and nothing after", async () => {
    const { person, grant, read, view, advance } = await open();
    await person("1");
    const before = await read();
    expect(told(before)).toEqual([]);
    advance({ milliseconds: 1000 });
    const { id } = await grant(individual("1"));
    const granted = await read(before.nextCursor);
    expect(told(granted)).toEqual(["1 upsert"]);
    advance({ days: 30 });
    await view.consents.revoke(id);
    advance({ milliseconds: 120_000 });
    const withdrawn = await read(granted.nextCursor);
    expect(told(withdrawn)).toEqual(["1 consent"]);
    expect(withdrawn.data[0]).toMatchObject({ change: "removed", versionId: "0" });
    expect(withdrawn.data[0]?.record).toBeUndefined();
    advance({ days: 1 });
    await view.individuals.patch(`${system}|1`, { birthDate: "1990-01-01" }, { ifMatch: "*" });
    expect(told(await read(withdrawn.nextCursor))).toEqual([]);
    expect(told(await read())).toEqual([]);
  });

  it("tells of a consent's first and last day by the calendar alone", async () => {
    const { person, grant, read, advance } = await open();
    await person("1");
    await person("2");
    await grant(individual("1"), { effectiveDate: "2026-01-05", expiryDate: "2026-01-10" });
    await grant(individual("2"), { expiryDate: "2026-01-07" });
    let page = await read();
    const days: string[][] = [told(page)];
    for (const days_ of [3, 1, 3, 2, 1]) {
      advance({ days: days_ });
      page = await read(page.nextCursor);
      days.push(told(page));
    }
    // From the 1st: the 4th, 5th, 8th, 10th and 11th.
    expect(days).toEqual([["2 upsert"], [], ["1 upsert"], ["2 consent"], [], ["1 consent"]]);
  });

  it("pages through what the calendar ends", async () => {
    const { person, grant, read, advance } = await open();
    for (const value of ["1", "2", "3"]) {
      await person(value);
      await grant(individual(value), { expiryDate: "2026-01-07" });
    }
    let page = await read();
    advance({ days: 10 });
    const pages: string[][] = [];
    do {
      page = await read(page.nextCursor, { limit: 2 });
      pages.push(told(page));
    } while (page.hasMore);
    expect(pages.flat().sort()).toEqual(["1 consent", "2 consent", "3 consent"]);
    expect(told(await read(page.nextCursor))).toEqual([]);
  });

  it("tells of persons and enrollments who join, leave or outlast a group that gave a consent", async () => {
    const { person, grant, read, view, advance } = await open();
    await person("1");
    await person("2");
    await view.groups.create(household(["1"]));
    await view.programs.create({
      type: "Program",
      identifier: [{ system: "urn:p", value: "cash" }],
      name: "Cash",
      targetType: "individual",
    });
    await view.memberships.create({
      type: "ProgramMembership",
      identifier: [{ system: "urn:m", value: "m2" }],
      program: { reference: "Program/urn:p|cash" },
      beneficiary: { reference: individual("2") },
      status: "enrolled",
    });
    await grant("Group/urn:g|h");
    const first = await read();
    expect(told(first).sort()).toEqual(["1 upsert", "cash upsert", "h upsert"]);
    advance({ days: 1 });
    await view.groups.replace("urn:g|h", household(["1", "2"]), { ifMatch: "*" });
    const joined = await read(first.nextCursor);
    expect(told(joined).sort()).toEqual(["2 upsert", "h upsert", "m2 upsert"]);
    advance({ days: 1 });
    await view.groups.replace("urn:g|h", household(["1"]), { ifMatch: "*" });
    const left = await read(joined.nextCursor);
    expect(told(left).sort()).toEqual(["2 consent", "h upsert", "m2 consent"]);
    const until = { entity: { reference: individual("1") }, period: { end: "2026-01-20" } };
    await view.groups.replace("urn:g|h", { ...household([]), member: [until] }, { ifMatch: "*" });
    const same = await read(left.nextCursor);
    expect(told(same)).toEqual(["h upsert"]);
    advance({ days: 30 });
    expect(told(await read(same.nextCursor))).toEqual(["1 consent"]);
  });

  it.each<[string, object]>([
    ["is taken off its list", { member: [] }],
    [
      "is corrected to an earlier day",
      { member: [{ entity: { reference: individual("1") }, period: { end: "2025-12-01" } }] },
    ],
    ["is archived", { active: false }],
  ])(
    "tells whose time in a group ended by the calendar, also when the group %s before the next visit",
    async (_, more) => {
      const { person, grant, read, view, advance } = await open();
      await person("1");
      const member = [{ entity: { reference: individual("1") }, period: { end: "2026-01-10" } }];
      await view.groups.create({ ...household([]), member });
      await grant("Group/urn:g|h");
      const first = await read();
      expect(told(first).sort()).toEqual(["1 upsert", "h upsert"]);
      advance({ days: 15 });
      unwrap(await view.groups.replace("urn:g|h", { ...household([]), member, ...more }, { ifMatch: "*" }));
      const second = await read(first.nextCursor);
      expect(told(second)).toContain("1 consent");
      advance({ days: 1 });
      expect(told(await read(second.nextCursor))).toEqual([]);
    },
  );

  it("tells nothing in an area's feed to who sees no address", async () => {
    const { person, grant, relief } = await open();
    await person("1");
    await person("2");
    await grant(individual("1"), { scope: scope({ fieldAccess: "basic" }) });
    await grant(individual("2"));
    const page = unwrap(await relief.changes({ feed: "area:PH/Cavite" }));
    expect(told(page)).toEqual(["2 upsert"]);
  });

  it("tells of what left an area or was archived, as far as it saw it", async () => {
    const { person, grant, relief, view } = await open();
    for (const value of ["1", "2", "3"]) await person(value);
    for (const value of ["1", "2"]) await grant(individual(value));
    const area = { feed: "area:PH/Cavite" };
    const first = unwrap(await relief.changes(area));
    const address = [{ country: "PH", state: "Laguna" }];
    await view.individuals.patch(`${system}|1`, { address }, { ifMatch: "*" });
    await view.individuals.patch(`${system}|3`, { address }, { ifMatch: "*" });
    await view.individuals.patch(`${system}|2`, { active: false }, { ifMatch: "*" });
    const second = unwrap(await relief.changes({ ...area, cursor: first.nextCursor }));
    expect(told(second).sort()).toEqual(["1 left-feed", "2 archived"]);
  });

  it("shows identifiers of everything under the policy that does", async () => {
    const { person, read } = await open({ policies: { withoutConsent: "identifiers" } });
    await person("1");
    const [item] = (await read()).data;
    expect(item?.record).toEqual({
      type: "Individual",
      identifier: [{ system, value: "1" }],
      _consent: { status: "none" },
    });
  });

  it.each([
    ["withdrawn before its first day", { effectiveDate: "2026-01-05" }, true, 0],
    ["given after the member left", {}, false, 2],
    ["withdrawn, given after the member left", {}, true, 2],
  ])("never names a person whom a consent never showed: %s", async (_, terms, withdrawn, leavesBefore) => {
    const { person, grant, read, view, advance } = await open();
    await person("1");
    await person("2");
    await view.groups.create(household(["1", "2"]));
    await grant("Group/urn:g|h", { grantee: { organization: "Others" } });
    const first = await read();
    advance({ days: leavesBefore });
    if (leavesBefore > 0) await view.groups.replace("urn:g|h", household(["1"]), { ifMatch: "*" });
    await view.individuals.patch(`${system}|2`, { birthDate: "1990-01-01" }, { ifMatch: "*" });
    advance({ days: leavesBefore });
    const { id } = await grant("Group/urn:g|h", terms);
    advance({ days: 1 });
    if (withdrawn) await view.consents.revoke(id);
    advance({ days: 10 });
    expect(JSON.stringify(told(await read(first.nextCursor)))).not.toContain("2 ");
  });

  it("names nobody by the calendar under a consent that had ended", async () => {
    const { person, grant, read, view, advance } = await open();
    await person("1");
    const until = { entity: { reference: individual("1") }, period: { end: "2026-01-10" } };
    await view.groups.create(household([]));
    const { id } = await grant("Group/urn:g|h");
    await view.consents.revoke(id);
    advance({ days: 2 });
    await view.groups.replace("urn:g|h", { ...household([]), member: [until] }, { ifMatch: "*" });
    const first = await read();
    advance({ days: 20 });
    expect(told(await read(first.nextCursor))).toEqual([]);
  });
});
