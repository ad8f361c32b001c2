import type { Group } from "@fieldroll/core";
import type { FieldClient } from "@fieldroll/sync";
import { expect, it } from "vitest";
import { ok, personOf, settled, system } from "./support/people.ts";
import { createWorld, credentials, restoredFrom, type World } from "./support/world.ts";

const household = `${system}|HOME`;
const member = (value: string, code: string) => ({
  entity: { reference: `Individual/${system}|${value}` },
  role: { coding: [{ system: "urn:service:vocab:relationship", code }] },
});

/** A household of Ana's, and tablets that know it. */
async function tabletsAt(world: World, ...names: readonly string[]) {
  for (const value of ["ANA", "EVA"])
    await ok(world.view.individuals.create(personOf(value, { given: value })));
  const first = {
    ...{ type: "Group", groupType: "household", name: "Cruz" },
    member: [member("ANA", "head")],
  };
  await ok(world.view.groups.create({ ...first, identifier: [{ system, value: "HOME" }] }));
  const tablets = names.map((name) => world.device(name).client);
  for (const client of tablets) {
    await ok(client.signIn(credentials));
    await client.sync();
  }
  return tablets as [FieldClient, ...FieldClient[]];
}

const change = (client: FieldClient | undefined, edit: (draft: Group) => void) =>
  client && ok(client.groups.update(`Group/${household}`, edit));
const add = (draft: Group) => void draft.member?.push(member("EVA", "child"));
const takeOut = (draft: Group) => void draft.member?.pop();

/** What is taken back before it is sent comes to nothing: who does so has not seen what others did, and says nothing of it. */
it("a member who was added and taken out here, unsent, stays where another tablet had added her too", async () => {
  const world = await createWorld();
  const [a, b] = await tabletsAt(world, "a", "b");
  await change(a, add);
  await a.sync();
  await change(b, add);
  await change(b, takeOut);
  for (const client of [b, a]) await client?.sync();
  expect((await ok(world.view.groups.read(household))).member).toHaveLength(2);
  expect(b?.status.current).toMatchObject(settled);
});

/** Once, she counted as somebody whom the office had added, for before all that is lost she was not there: that she was taken out was lost. */
it.each(["ours", "theirs"] as const)(
  "a member who was added and taken out here, and whom the office has otherwise after a restore, is asked about (%s)",
  async (choice) => {
    const world = await createWorld();
    const [client] = await tabletsAt(world, "a");
    await change(client, add);
    await client.sync();
    const backup = structuredClone(world.medium);
    await change(client, takeOut);
    await client.sync();
    const now = await restoredFrom(backup);
    now.pass(100 * 3_600_000);
    const patch = { member: [member("ANA", "head"), member("EVA", "spouse")] };
    await ok(now.view.groups.patch(household, patch, { ifMatch: "*" }));
    world.moveTo(now);
    await ok(client.signIn(credentials));
    await client.sync();
    const [parked] = await client.parked();
    expect(parked?.conflicts.map(({ path, ours }) => [path, ours])).toEqual([["/member/1", undefined]]);
    const { reference = "", revision = "" } = parked ?? {};
    await ok(client.resolve(reference, { kind: "choose", revision, choices: { "/member/1": choice } }));
    await client.sync();
    const { member: members = [] } = await ok(now.view.groups.read(household));
    expect(members.map(({ role }) => role?.coding?.[0]?.code)).toEqual(
      choice === "ours" ? ["head"] : ["head", "spouse"],
    );
  },
);
