import type { Fetch } from "@fieldroll/sync";
import { expect, it } from "vitest";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, credentials } from "./support/world.ts";

const people = ["ANA", "BEN"];
const day = 24 * 3_600_000;

/** Changes whose answers were lost, and which an office took back, met again after so many days. */
async function after(days: number, count: number) {
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
  const { client } = world.device("a", { network });
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
  await ok(client.signIn(credentials));
  await client.sync();
  await client.sync();
  const families = asked.map(async (value) => (await ok(individuals.read(`${system}|${value}`))).name.family);
  const parked = (await client.parked()).map(({ reason, detail }) => `${reason}: ${detail}`);
  return { families: await Promise.all(families), parked, status: client.status.current };
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
