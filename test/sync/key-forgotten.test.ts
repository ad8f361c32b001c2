import type { Fetch } from "@fieldroll/sync";
import { expect, it } from "vitest";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, credentials } from "./support/world.ts";

const people = ["ANA", "BEN"];
const day = 24 * 3_600_000;

/** Changes whose answers were lost, and which an office took back, met again after so many days. */
async function after(days: number, count: number, ahead = { first: 0, later: 0 }) {
  const world = await createWorld();
  const { individuals } = world.view;
  const asked = people.slice(0, count);
  for (const value of asked) await ok(individuals.create(personOf(value, { family: "Right", given: value })));
  let loses = false;
  const network = (send: Fetch): Fetch => {
    return async (url, init) => {
      const reply = await send(url, init);
      if (loses && init.method !== "GET") throw new TypeError("the answer was lost");
      return reply;
    };
  };
  let skew = ahead.first * day;
  const { client } = world.device("a", { network, ahead: () => skew });
  await ok(client.signIn(credentials));
  await client.sync();
  for (const value of asked) {
    await ok(
      client.individuals.update(`Individual/${system}|${value}`, (draft) => {
        draft.name.family = "Wrong";
      }),
    );
  }
  loses = true;
  for (let nth = 0; nth < 3; nth++) await client.sync();
  loses = false;
  for (const value of asked) {
    const family = async () => (await ok(individuals.read(`${system}|${value}`))).name.family;
    expect(await family()).toBe("Wrong");
    await ok(individuals.patch({ system, value }, { name: { family: "Right" } }, { ifMatch: "*" }));
  }
  world.pass(days * day);
  skew = ahead.later * day;
  await ok(client.signIn(credentials));
  await client.sync();
  await client.sync();
  const families = asked.map(async (value) => (await ok(individuals.read(`${system}|${value}`))).name.family);
  const parked = (await client.parked()).map(({ reason, detail }) => `${reason}: ${detail}`);
  return { world, client, families: await Promise.all(families), parked, status: client.status.current };
}

it.each([1, 2])(
  "a server that knows the key answers as it did: the change was taken back (%i)",
  async (count) => {
    const { families, parked, status } = await after(100, count);
    expect(families).toEqual(people.slice(0, count).map(() => "Right"));
    expect(parked).toEqual([]);
    expect(status).toMatchObject({ pending: 0, sending: 0 });
  },
);

/** Once, it was merged and made again, over whoever had taken it back. */
it.each([1, 2])("where the server has forgotten the key, a person is asked (%i)", async (count) => {
  const { families, parked } = await after(200, count);
  expect(families).toEqual(people.slice(0, count).map(() => "Right"));
  expect(parked).toHaveLength(count);
  for (const one of parked) expect(one).toContain("may have reached the server and been undone");
});

it.each([
  { first: 60, later: 0 },
  { first: 4000, later: 0 },
  { first: 0, later: -60 },
])(
  "and is so by the server's time, where the device's clock was $first and then $later days ahead",
  async (ahead) => {
    const { families, parked } = await after(200, 1, ahead);
    expect(families).toEqual(["Right"]);
    expect(parked).toHaveLength(1);
  },
);

it("and an edit of something else is no answer to that", async () => {
  const { world, client } = await after(200, 1);
  const reference = `Individual/${system}|ANA`;
  const edited = await ok(
    client.individuals.update(reference, (draft) => {
      draft.telecom = [{ system: "phone", value: "1" }];
    }),
  );
  expect(edited.state).toBe("parked");
  await client.sync();
  expect((await ok(world.view.individuals.read(`${system}|ANA`))).name.family).toBe("Right");
  expect(await client.parked()).toMatchObject([{ reference, detail: expect.stringContaining("undone") }]);
});
