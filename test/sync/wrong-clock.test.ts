import type { FetchResponse } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { ok, personOf, system } from "./support/people.ts";
import { call, createStory, edit, shown, synced } from "./support/restored.ts";
import { createWorld, credentials } from "./support/world.ts";

const days = 24 * 3_600_000;

it.each([
  { when: "was a hundred days behind while it was accepted", accepting: -100, later: 0 },
  { when: "was a hundred days ahead in a later run", accepting: 0, later: 100 },
])(
  "what a server accepted is kept for ninety days of its own where a tablet's clock $when",
  async (clock) => {
    let ahead = 0;
    const story = await createStory();
    const device = story.world.device("c", { ahead: () => ahead });
    await ok(device.client.signIn(credentials));
    await synced(device);
    const older = story.backup();
    ahead = clock.accepting * days;
    await ok(device.client.individuals.create({ name: { family: "Reyes" } }));
    await edit(device, call("1"));
    await synced(device);
    ahead = clock.later * days;
    await synced(device);
    ahead = 0;
    await story.goBack(older);
    await ok(device.client.signIn(credentials));
    await synced(device);
    expect(await story.told()).toEqual(["Cruz 1", "Reyes"]);
    expect(await shown(device)).toEqual(["Cruz 1", "Reyes"]);
  },
);

it("what a server accepted is kept where that server's clock was years ahead in a later run", async () => {
  let date: string | null = null;
  const dated = (name: string, answer: FetchResponse) => (name === "date" ? date : answer.headers.get(name));
  const story = await createStory();
  const device = story.world.device("c", {
    network: (send) => async (url, init) => {
      const answer = await send(url, init);
      return {
        status: answer.status,
        text: () => answer.text(),
        headers: { get: (name) => dated(name, answer) },
      };
    },
  });
  await ok(device.client.signIn(credentials));
  await synced(device);
  const older = story.backup();
  await edit(device, call("1"));
  await synced(device);
  date = "Mon, 01 Jan 2035 00:00:00 GMT";
  await synced(device);
  date = null;
  await story.goBack(older);
  await ok(device.client.signIn(credentials));
  await synced(device);
  expect(await story.told()).toEqual(["Cruz 1"]);
});

async function createWorldWithProgram() {
  const world = await createWorld();
  const program = { system, value: "CASH" };
  await ok(
    world.view.programs.create({
      ...{ type: "Program", identifier: [program], name: "Cash", targetType: "individual" },
      period: { start: "2020-01-01" },
    }),
  );
  await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
  return world;
}

const enrollment = {
  status: "enrolled",
  program: { reference: `Program/${system}|CASH` },
  beneficiary: { reference: `Individual/${system}|ANA` },
} as const;

/** Once, a tablet that was a year ahead enrolled people next year; or one whose clock was set right, a month ahead. */
it.each([
  { off: 400, later: 400, how: "is 400 days ahead" },
  { off: -400, later: -400, how: "is 400 days behind" },
  { off: -30, later: 0, how: "was 30 days behind and is set right" },
  { off: 200, later: 0, how: "was 200 days ahead and is set right" },
])("an enrollment is dated by the server where a tablet's clock $how", async ({ off, later }) => {
  let ahead = off;
  const world = await createWorldWithProgram();
  const { client } = world.device("a", { ahead: () => ahead * days });
  await ok(client.signIn(credentials));
  await client.sync();
  ahead = later;
  const made = await ok(client.memberships.create(enrollment));
  expect(made.record.enrollmentDate).toBe("2026-01-15");
  expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
  const { data } = await ok(world.view.memberships.search({}));
  expect(data.map(({ enrollmentDate }) => enrollmentDate)).toEqual(["2026-01-15"]);
});

it("an enrollment is dated by the server after a restart where a tablet's clock is known to be 400 days ahead", async () => {
  const world = await createWorldWithProgram();
  const device = world.device("a", { ahead: () => 400 * days });
  await ok(device.client.signIn(credentials));
  await device.client.sync();
  device.online = false;
  const client = device.kill();
  await client.sync();
  const made = await ok(client.memberships.create(enrollment));
  expect(made.record.enrollmentDate).toBe("2026-01-15");
});

describe("a client's clock", () => {
  it("is the device's before there was an answer", async () => {
    const world = await createWorld();
    const { client } = world.device("a", { ahead: () => 400 * days });
    expect(client.clock.current).toMatchObject({ skewMs: null, isKnown: false, asks: false });
    expect(client.clock.current.today).toBe("2027-02-19");
  });

  it.each([
    ["400 days ahead", 400 * days],
    ["400 days behind", -400 * days],
    ["three hours ahead", 3 * 3_600_000],
    ["right", 0],
  ])("is the server's where the device's is %s, also after a restart without a network", async (_, ahead) => {
    const world = await createWorld();
    const device = world.device("a", { ahead: () => ahead });
    await ok(device.client.signIn(credentials));
    await device.client.sync();
    const known = { today: "2026-01-15", isKnown: true, asks: false, skewMs: ahead };
    expect(device.client.clock.current).toMatchObject(known);
    device.online = false;
    const client = device.kill();
    await client.sync();
    expect(client.clock.current).toMatchObject(known);
    expect(Math.abs(client.clock.current.now.getTime() - world.now().getTime())).toBeLessThan(2_000);
  });

  it.each([
    ["400 days ahead", 400 * days],
    ["30 days behind", -30 * days],
  ])(
    "is the device's, and asks, once one that was %s may have been set right; until the server answers",
    async (_, off) => {
      let ahead = off;
      const world = await createWorld();
      const { client } = world.device("a", { ahead: () => ahead });
      await ok(client.signIn(credentials));
      await client.sync();
      ahead = 0;
      expect(client.clock.current).toMatchObject({ today: "2026-01-15", isKnown: false, asks: true });
      await client.sync();
      expect(client.clock.current).toMatchObject({ isKnown: true, asks: false, skewMs: 0 });
    },
  );
});
