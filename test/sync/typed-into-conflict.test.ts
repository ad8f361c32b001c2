import type { Individual } from "@fieldroll/core";
import { expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials } from "./support/world.ts";

const system = "urn:test:national";
const ana = { system, value: "ANA" };
const reference = `Individual/${system}|ANA`;

async function inConflict(telecom: readonly string[] = []) {
  const world = await createWorld();
  const { individuals } = world.view;
  const name = { family: "Cruz", given: "Ana" };
  const numbers = (values: readonly string[]) => values.map((value) => ({ system: "phone" as const, value }));
  const person = { type: "Individual", identifier: [ana], name, telecom: numbers(telecom) };
  await ok(individuals.create(person));
  const { client } = world.device("a");
  await ok(client.signIn(credentials));
  await client.sync();
  const edit = (change: (draft: Individual) => void) => ok(client.individuals.update(reference, change));
  const rename = (family: string) =>
    edit((draft) => {
      draft.name.family = family;
    });
  const call = (...values: string[]) =>
    edit((draft) => {
      draft.telecom = numbers(values);
    });
  return { individuals, client, rename, call, numbers };
}

/** Once, it was no change of what both were made from, so that it went, and the other value was taken. */
it("what is typed into a conflict stays, though it is what stood there before both", async () => {
  const { individuals, client, rename } = await inConflict();
  await rename("Mine");
  await ok(individuals.patch(ana, { name: { family: "Theirs", given: "Anita" } }, { ifMatch: "*" }));
  expect(await client.sync()).toMatchObject({ parked: 1 });

  expect(await rename("Cruz")).toMatchObject({ state: "parked", record: { name: { family: "Cruz" } } });
  const [parked] = await client.parked();
  const conflicts = [{ path: "/name/family", ours: "Cruz", theirs: "Theirs" }];
  expect(parked).toMatchObject({ reason: "conflict", conflicts });
  const { revision = "" } = parked ?? {};
  await ok(client.resolve(reference, { kind: "choose", revision, choices: { "/name/family": "ours" } }));
  expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
  expect((await ok(individuals.read(ana))).name).toMatchObject({ family: "Cruz", given: "Anita" });
});

it("a number that somebody else took out stays out, though the list here is again what it was before both", async () => {
  const { individuals, client, rename, call, numbers } = await inConflict(["1", "2"]);
  await rename("Mine");
  await call("1", "2", "3");
  await ok(individuals.patch(ana, { name: { family: "Theirs" }, telecom: numbers(["1"]) }, { ifMatch: "*" }));
  expect(await client.sync()).toMatchObject({ parked: 1 });
  await call("1", "2");
  const [parked] = await client.parked();
  const { revision = "", conflicts = [] } = parked ?? {};
  expect(conflicts.map(({ path }) => path)).toEqual(["/name/family"]);
  await ok(client.resolve(reference, { kind: "choose", revision, choices: { "/name/family": "ours" } }));
  await client.sync();
  expect(await ok(individuals.read(ana))).toMatchObject({
    name: { family: "Mine" },
    telecom: numbers(["1"]),
  });
});
