import { describe, expect, it } from "vitest";
import { changes, createNeighbourhood, member, reference } from "./support/neighbourhood.ts";
import { ok } from "./support/people.ts";
import { credentials } from "./support/world.ts";

const { leaves, isTakenOut, joins } = changes;
type Neighbourhood = Awaited<ReturnType<typeof createNeighbourhood>>;

/** What was done on the tablet has happened to whom it was done, or waits for a person, which is as good. */
async function expectLiving(place: Neighbourhood, home: string, expected: readonly string[]) {
  const parked = await place.rest();
  if (parked.length === 0) expect(await place.living(home)).toEqual(expected);
}

/** "A corrected number makes nobody somebody else, and nobody is whoever has their number by now." (decision 15) */
describe("a household that is found by its key, for its own number is another's by now", () => {
  it("marks the member who was marked, not the newcomer who has their number", async () => {
    const place = await createNeighbourhood({ homes: { H1: ["Ana", "Ben"], H2: ["Eva"] } });
    await place.renumber("1", "11");
    await place.add("New", "1");
    await place.changeHome("H1", (all) => [...all, member("1")]);
    await place.edit("H1", leaves("1"));
    await place.exchangeHomes("H1", "H2");
    await expectLiving(place, "H2", ["Ana, left", "Ben", "New"]);
  });

  it.each([
    ["exchanged", (place: Neighbourhood) => place.exchangeHomes("H1", "H2"), "H2"],
    ["another", (place: Neighbourhood) => place.renumberHome("H1", "H7"), "H7"],
  ])("is without whom was taken out, who has another number, where its own is %s", async (_, move, home) => {
    const place = await createNeighbourhood({ homes: { H1: ["Ana", "Dan"], H2: ["Eva"] } });
    await place.edit("H1", isTakenOut("4"));
    await move(place);
    await place.renumber("4", "14");
    await expectLiving(place, home, ["Ana"]);
  });

  it("is not taken for the one that has its number, at a plain server", async () => {
    const homes = { H1: ["Ana", "Cora"], H2: ["Eva", "Fay"] };
    const place = await createNeighbourhood({ homes, isPlain: true });
    await place.edit("H1", joins("2"));
    await place.exchangeHomes("H1", "H2");
    await expectLiving(place, "H1", ["Eva", "Fay"]);
  });
});

describe("a member who is in no feed of the tablet", () => {
  it("is not the one whose number they have, told of on the same page", async () => {
    const place = await createNeighbourhood({ homes: { H1: ["Ana", "Ben"] }, away: ["Ana", "Ben"] });
    await place.exchange("5", "2");
    await place.client.sync();
    await place.edit("H1", leaves("1"));
    await expectLiving(place, "H1", ["Ana, left", "Ben"]);
  });

  it.each([
    ["is taken out", isTakenOut("1"), ["Cora"]],
    ["is marked", leaves("1"), ["Ana, left", "Cora"]],
  ])(
    "stays as they are when another one %s, with whom they exchanged numbers",
    async (_, change, expected) => {
      const place = await createNeighbourhood({ homes: { H1: ["Ana", "Cora"] }, away: ["Cora"] });
      await place.edit("H1", change);
      await place.exchange("1", "3");
      await expectLiving(place, "H1", expected);
    },
  );

  it("is none with somebody who joined by the number that they have now", async () => {
    const place = await createNeighbourhood({ homes: { H1: ["Ana", "Dan"] }, away: ["Dan"] });
    await place.edit("H1", joins("6"));
    await place.exchange("6", "4");
    await expectLiving(place, "H1", ["Ana", "Dan", "Fay"]);
  });

  it("is the one who was marked, whoever of the household has their number now", async () => {
    const place = await createNeighbourhood({ homes: { H1: ["Ana", "Ben", "Cora"] }, away: ["Ben", "Cora"] });
    await place.edit("H1", leaves("3"));
    await place.renumber("3", "11");
    await place.renumber("2", "3");
    await expectLiving(place, "H1", ["Ana", "Ben", "Cora, left"]);
  });

  it.each([
    ["discarded", null],
    ["mended", "33"],
  ])("is not somebody whose number was corrected to theirs, the correction %s", async (_, mended) => {
    const place = await createNeighbourhood({ homes: { H1: ["Ana", "Cora"] }, away: ["Cora"] });
    const renumber = (whom: string, value: string) =>
      ok(
        place.client.individuals.update(whom, (draft) => {
          draft.identifier = [{ system: "urn:test:national", value }];
        }),
      );
    await renumber(reference("6"), "3");
    await place.edit("H1", leaves("1"));
    const [refused] = (await place.rest()).filter(({ type }) => type === "Individual");
    if (refused && mended === null) await ok(place.client.resolve(refused.reference, { kind: "discard" }));
    if (refused && mended !== null) await renumber(refused.reference, mended);
    await expectLiving(place, "H1", ["Ana, left", "Cora"]);
  });

  it("does not bring in whoever has their number by now, where a person decides for what is here", async () => {
    const place = await createNeighbourhood({ homes: { H1: ["Ana", "Ben"] }, away: ["Ana"] });
    await place.edit("H1", leaves("1"));
    await place.renumber("1", "11");
    await place.add("New", "1", "Laguna");
    for (const { reference: whom, revision, conflicts } of await place.rest()) {
      const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "ours" as const]));
      await place.client.resolve(whom, { kind: "choose", revision, choices });
    }
    await place.rest();
    expect((await place.living("H1")).filter((name) => name.startsWith("New"))).toEqual([]);
  });
});

describe("who joined a household", () => {
  it("has joined it, where the office adds another one by the number that they had", async () => {
    const place = await createNeighbourhood({ homes: { H1: ["Ana", "Ben"] } });
    await place.edit("H1", joins("6"));
    place.asItIsSent(async () => {
      await place.renumber("6", "16");
      await place.add("New", "6");
      await place.changeHome("H1", joins("6"));
    });
    expect(await place.rest()).toEqual([]);
    expect(await place.living("H1")).toEqual(["Ana", "Ben", "Fay", "New"]);
  });

  it("goes on by itself after a refusal, where news of the household comes with their new number", async () => {
    const place = await createNeighbourhood({ homes: { H1: ["Ana", "Ben"] } });
    await place.edit("H1", joins("6"));
    place.asItIsSent(async () => {
      await place.renumber("6", "16");
      await place.add("New", "6");
    });
    await place.client.sync();
    await place.changeHome("H1", joins("5"));
    expect(await place.rest()).toEqual([]);
    expect(await place.living("H1")).toEqual(["Ana", "Ben", "Eva", "Fay"]);
  });
});

describe("somebody registered here whose number is another one's, who exchanges it with somebody known here", () => {
  it("is one with whom they were adopted as, and so is their enrollment", async () => {
    const place = await createNeighbourhood({ homes: { H1: ["Ana", "Ben"] } });
    const { client } = place;
    await place.add("Gil", "7");
    const { reference: made } = await ok(
      client.individuals.create({
        identifier: [{ system: "urn:test:national", value: "7" }],
        name: { given: "Gilberto", family: "Cruz" },
      }),
    );
    await place.enrollAs(made);
    await client.sync();
    await place.exchange("7", "2");
    await client.sync();
    for (const { reference: whom, revision, conflicts } of await client.parked()) {
      const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "theirs" as const]));
      await ok(client.resolve(whom, { kind: "adopt", revision, choices }));
    }
    expect(await place.rest()).toEqual([]);
    expect(await place.enrolled()).toEqual(["Ben"]);
    expect((await ok(client.individuals.search({ name: "Ben" }))).data).toHaveLength(1);
  });
});

it("a member whose number was the one of another who moved away meanwhile stays when somebody else is marked", async () => {
  const homes = { H1: ["Ana", "Ben", "Cora", "Dan"] };
  const place = await createNeighbourhood({ homes, away: [] });
  await place.moveAway("4", "12");
  await place.renumber("2", "4");
  await place.edit("H1", leaves("1"));
  await expectLiving(place, "H1", ["Ana, left", "Ben", "Cora", "Dan"]);
});

describe("somebody of whom something was entered, and who left the area while somebody new in it got their number", () => {
  async function ready(enter: (place: Neighbourhood) => Promise<unknown>) {
    const place = await createNeighbourhood({ homes: { H1: ["Ana"] }, away: [] });
    await enter(place);
    await place.moveAway("6", "16");
    await place.add("New", "6");
    await place.rest();
    return place;
  }

  it("is enrolled, or waits for a person, and the other one is not", async () => {
    const place = await ready(({ enroll }) => enroll("6"));
    expect(await place.enrolled()).not.toContain("New");
  });

  it("is in the household, or waits for a person, and the other one is not", async () => {
    const place = await ready(({ edit }) => edit("H1", joins("6")));
    expect(await place.living("H1")).not.toContain("New");
  });
});

describe("somebody whose number is exchanged at a plain server", () => {
  const homes = { H1: ["Ana"] };

  it("is in the household, or waits for a person", async () => {
    const place = await createNeighbourhood({ homes, isPlain: true });
    await place.edit("H1", joins("6"));
    await place.exchange("6", "4");
    await expectLiving(place, "H1", ["Ana", "Fay"]);
  });

  it("is enrolled, or waits for a person", async () => {
    const place = await createNeighbourhood({ homes, isPlain: true });
    await place.enroll("6");
    await place.exchange("6", "4");
    await place.rest();
    expect(await place.enrolled()).not.toContain("Dan");
  });

  it("has their change, or it waits, after signing out and in", async () => {
    const place = await createNeighbourhood({ homes, isPlain: true });
    const { client } = place;
    await place.exchange("5", "3");
    await ok(
      client.individuals.update(reference("5"), (draft) => {
        draft.telecom = [{ system: "phone", value: "0917" }];
      }),
    );
    await client.sync();
    await client.signOut({ unsent: "seal" });
    await ok(client.signIn(credentials));
    await place.rest();
    expect(await place.reachable()).not.toContain("Cora");
  });
});

/** News of the household waits beside what was edited in it. */
it("nobody is shown in a household by the number that another one has by now", async () => {
  let isBusy = false;
  const { client, edit, renumber, add } = await createNeighbourhood({
    homes: { H1: ["Ana", "Eva"] },
    away: ["Eva"],
    feeds: ["programs", "area:PH/Cavite", "area:PH/Laguna"],
    isDown: (method, url) => isBusy && (method === "PATCH" || url.includes("Laguna")),
  });
  await edit("H1", leaves("1"));
  await renumber("5", "15");
  await add("New", "5", "Cavite");
  isBusy = true;
  for (let run = 0; run < 4; run++) await client.sync();
  const { record } = await ok(client.groups.read("Group/urn:test:national|H1"));
  const shown = await Promise.all(
    (record.member ?? []).map(({ entity }) => client.individuals.read(entity.reference)),
  );
  expect(shown.map((one) => (one.ok ? one.value.record.name.given : "nobody"))).toEqual(["Ana", "Eva"]);
});

describe("a form of a household that was open while two in it exchanged their numbers", () => {
  async function opened() {
    const place = await createNeighbourhood({ homes: { H1: ["Ana", "Eva"] } });
    const { record: seen } = await ok(place.client.groups.read("Group/urn:test:national|H1"));
    await place.exchange("1", "5");
    await place.client.sync();
    return { ...place, seen };
  }

  it("is refused where it says something of one of them, for nobody can tell of which", async () => {
    const { client, seen, living, rest } = await opened();
    const without = (draft: typeof seen) => {
      draft.member = (draft.member ?? []).filter(({ entity }) => entity.reference !== reference("5"));
    };
    const saved = await client.groups.update("Group/urn:test:national|H1", without, { seen });
    expect(saved).toMatchObject({ ok: false, problem: { kind: "conflict" } });
    await rest();
    expect(await living("H1")).toEqual(["Ana", "Eva"]);
  });

  it("is taken where it says something else", async () => {
    const { client, seen, living, rest } = await opened();
    const renamed = (draft: typeof seen) => {
      draft.name = "The Cruzes";
    };
    const saved = await client.groups.update("Group/urn:test:national|H1", renamed, { seen });
    expect(saved).toMatchObject({ ok: true });
    await rest();
    expect(await living("H1")).toEqual(["Ana", "Eva"]);
  });
});
