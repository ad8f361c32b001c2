import { farmer, type Individual } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { ok, system } from "./support/people.ts";
import { createWorld, credentials } from "./support/world.ts";

const ana = { system, value: "ANA" };
const reference = `Individual/${system}|ANA`;

/** A person in conflict over what a device and an office made of her. */
async function inConflict(
  first: Partial<Individual>,
  ours: (draft: Individual) => void,
  theirs: Parameters<Awaited<ReturnType<typeof createWorld>>["view"]["individuals"]["patch"]>[1],
  feeds: readonly string[] = ["all"],
) {
  const world = await createWorld({ extensions: [farmer] });
  const { individuals } = world.view;
  const name = { family: "Cruz", given: "Ana" };
  await ok(individuals.create({ type: "Individual", identifier: [ana], name, ...first }));
  const { client } = world.device("a", { feeds });
  await ok(client.signIn(credentials));
  await client.sync();
  const edit = (change: (draft: Individual) => void) => ok(client.individuals.update(reference, change));
  const office = (patch: typeof theirs) => ok(individuals.patch(ana, patch, { ifMatch: "*" }));
  await edit(ours);
  await office(theirs);
  expect(await client.sync()).toMatchObject({ parked: 1 });
  const asked = async () =>
    (await client.parked()).flatMap(({ conflicts }) => conflicts.map(({ path }) => path)).sort();
  const answer = async (side: "ours" | "theirs") => {
    const [parked] = await client.parked();
    const { revision = "", conflicts = [] } = parked ?? {};
    const choices = Object.fromEntries(conflicts.map(({ path }) => [path, side]));
    await ok(client.resolve(reference, { kind: "choose", revision, choices }));
    expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
    return ok(individuals.read(ana, { extensions: "*" }));
  };
  return { client, edit, office, asked, answer };
}

const lives = (city: string, line = "1") => [{ type: "physical" as const, city, line: [line] }];
const calls = (rank: number) => [{ system: "phone" as const, value: "1", rank }];
const farms = (farmSize: number, farmSizeUnit = "ha") => ({ farmer: { farmSize, farmSizeUnit } });

interface Away {
  readonly how: string;
  readonly away: Partial<Individual>;
  readonly back: Partial<Individual>;
  readonly feeds: readonly string[];
  readonly ours?: string;
  readonly retried?: boolean;
}

const moved = {
  away: { address: [{ type: "physical" as const, country: "PH", state: "Laguna" }] },
  back: { address: [{ type: "physical" as const, country: "PH", state: "Cavite" }] },
  feeds: ["area:PH/Cavite"],
};

describe("what is typed back into a conflict", () => {
  /** Once, a list that was typed back to what it had been went, with the question, as if a consent hid it. */
  it.each([
    { list: "address", was: { address: lives("Lodwar") }, is: { address: lives("Kitale") } },
    { list: "telecom", was: { telecom: calls(1) }, is: { telecom: calls(2) } },
    { list: "extension", was: { extension: farms(1) }, is: { extension: farms(2) } },
  ])("stays where the office has taken $list out, and tells other news later", async ({ list, was, is }) => {
    const { client, edit, office, asked, answer } = await inConflict(
      was,
      (draft) => {
        Object.assign(draft, is);
        draft.name.family = "Mine";
      },
      { name: { family: "Theirs" }, [list]: null },
    );
    await edit((draft) => {
      Object.assign(draft, was);
    });
    const before = await asked();
    expect(before).toHaveLength(2);
    await office({ name: { given: "Anna" } });
    expect(await client.sync()).toMatchObject({ parked: 1 });
    expect(await asked()).toEqual(before);
    expect((await ok(client.individuals.read(reference))).record).toMatchObject(was);
    expect(await answer("ours")).toMatchObject({ ...was, name: { family: "Mine", given: "Anna" } });
  });

  /** Once, what was emptied within something of which the base has nothing was filled again with what the office says. */
  it("stays where it empties what neither had at first", async () => {
    const { client, edit, asked, answer } = await inConflict(
      {},
      (draft) => {
        draft.extension = farms(1);
      },
      { extension: farms(2, "acre") },
    );
    await edit((draft) => {
      draft.extension = { farmer: {} };
    });
    expect(await asked()).toEqual(["/extension/farmer/farmSize", "/extension/farmer/farmSizeUnit"]);
    expect(await client.sync()).toMatchObject({ parked: 1 });
    const { extension } = await answer("ours");
    expect(extension).not.toMatchObject({ farmer: { farmSize: expect.anything() } });
  });

  /** Once, the line went with the city that was taken from the other side. */
  it("stays where something beside it is taken from the other side", async () => {
    const { edit, asked, answer } = await inConflict(
      { address: lives("A", "1") },
      (draft) => {
        draft.address = lives("B", "2");
      },
      { address: lives("C", "3") },
    );
    await edit((draft) => {
      draft.address = lives("C", "1");
    });
    expect(await asked()).toEqual(["/address/0/line"]);
    expect(await answer("ours")).toMatchObject({ address: lives("C", "1") });
  });

  /** Once, it was forgotten while the record was away. */
  it.each<Away>([
    { how: "was archived", away: { active: false }, back: { active: true }, feeds: ["all"] },
    { how: "had left the area", ...moved },
    { how: "had left the area, was sent again,", ...moved, ours: "Mina", retried: true },
    { how: "had left the area, with nothing else to send, was sent again,", ...moved, retried: true },
  ])(
    "stays where the record $how and is back",
    async ({ away, back, feeds, ours = "Ana", retried = false }) => {
      const { client, edit, office, asked, answer } = await inConflict(
        { address: [{ type: "physical", country: "PH", state: "Cavite" }] },
        (draft) => {
          draft.name = { family: "Mine", given: "Anna" };
        },
        { name: { family: "Theirs", given: "Anita" } },
        feeds,
      );
      await edit((draft) => {
        draft.name = { family: "Cruz", given: ours };
      });
      await office(away);
      await client.sync();
      const [parked] = await client.parked();
      expect(parked).toMatchObject({ reason: "gone" });
      if (retried) await ok(client.resolve(reference, { kind: "retry", revision: parked?.revision ?? "" }));
      else await office(back);
      expect(await client.sync()).toMatchObject({ parked: 1 });
      expect(await asked()).toEqual(["/name/family", "/name/given"]);
      expect((await answer("ours")).name).toMatchObject({ family: "Cruz", given: ours });
    },
  );

  it("stays where a member of whom it is said is renumbered while the household is away", async () => {
    const world = await createWorld();
    const { individuals, groups } = world.view;
    const place = (state: string) => [{ type: "physical" as const, country: "PH", state }];
    const role = (code: string) => ({ coding: [{ system: "urn:service:vocab:relationship", code }] });
    const ben = { system, value: "BEN" };
    const house = { system, value: "H" };
    const lives = { name: { family: "Cruz" }, address: place("Cavite") };
    await ok(individuals.create({ type: "Individual", identifier: [ben], ...lives }));
    const member = (code: string) => [
      { entity: { reference: `Individual/${system}|BEN` }, role: role(code) },
    ];
    const home = { type: "Group", identifier: [house], groupType: "household", name: "H" };
    await ok(groups.create({ ...home, address: place("Cavite"), member: member("spouse") }));
    const { client } = world.device("a", { feeds: ["area:PH/Cavite"] });
    await ok(client.signIn(credentials));
    await client.sync();
    const call = (code: string) =>
      ok(
        client.groups.update(`Group/${system}|H`, (draft) => {
          draft.member = member(code);
        }),
      );
    await call("child");
    await ok(groups.patch(house, { member: member("parent") }, { ifMatch: "*" }));
    expect(await client.sync()).toMatchObject({ parked: 1 });
    await call("spouse");
    await ok(groups.patch(house, { address: place("Laguna") }, { ifMatch: "*" }));
    await client.sync();
    await ok(individuals.patch(ben, { identifier: [{ system, value: "BEN2" }] }, { ifMatch: "*" }));
    await client.sync();
    await ok(groups.patch(house, { address: place("Cavite") }, { ifMatch: "*" }));
    expect(await client.sync()).toMatchObject({ parked: 1 });
    expect((await client.parked()).flatMap(({ conflicts }) => conflicts.map(({ path }) => path))).toEqual([
      "/member/0/role",
    ]);
  });

  it("is no question about what only this side changed", async () => {
    const { edit, asked } = await inConflict(
      { birthDate: "1980-01-01" },
      (draft) => {
        draft.name.family = "Mine";
      },
      { name: { family: "Theirs" } },
    );
    await edit((draft) => {
      draft.birthDate = "1981-01-01";
    });
    expect(await asked()).toEqual(["/name/family"]);
  });
});
