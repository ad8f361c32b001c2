import type { Group, RegistryView } from "@fieldroll/core";
import { expect, it } from "vitest";
import { ok, personOf, settled, system } from "./support/people.ts";
import { createWorld, partner, restoredFrom, type World } from "./support/world.ts";

const home = `Group/${system}|HOME`;
const people = ["ANA", "BEN", "EVA"];
const member = (value: string, code: string) => ({
  entity: { reference: `Individual/${system}|${value}` },
  role: { coding: [{ system: "urn:service:vocab:relationship", code }] },
});

type Terms = Parameters<RegistryView["consents"]["grant"]>[0];

/** Shows so much of the household and its people from now on, instead of what these consents show. */
async function show({ view }: World, fieldAccess: string, instead: readonly string[] = []) {
  const given: string[] = [];
  for (const reference of [home, ...people.map((value) => `Individual/${system}|${value}`)]) {
    const scope = [{ resourceType: "all", fieldAccess }];
    const terms = { subject: { reference }, grantee: { organization: "Aid" }, scope };
    given.push((await ok(view.consents.grant(terms as Terms))).id ?? "");
  }
  for (const id of instead) await ok(view.consents.revoke(id));
  return given;
}

/** Once, it was compared with nothing: news that waits till it is known who is in it did not say of which state of the data it is. */
it("a household that is shown again is compared with what was lost of it, though its news waits for who is in it", async () => {
  const world = await createWorld();
  for (const value of people) await ok(world.view.individuals.create(personOf(value, { given: value })));
  const members = [member("ANA", "head"), member("BEN", "spouse")];
  const household = { ...{ type: "Group", groupType: "household", name: "Cruz" }, member: members };
  await ok(world.view.groups.create({ ...household, identifier: [{ system, value: "HOME" }] }));
  const all = await show(world, "all");
  const { client } = world.device("a");
  await ok(client.signIn(partner));
  await client.sync();
  const edit = (change: (draft: Group) => void) => ok(client.groups.update(home, change));
  const backup = structuredClone(world.medium);
  await edit((draft) => {
    draft.member = [member("ANA", "head"), member("BEN", "child"), member("EVA", "child")];
  });
  await client.sync();
  await edit((draft) => void draft.member?.pop());
  const now = await restoredFrom(backup);
  now.pass(100 * 3_600_000);
  const basic = await show(now, "basic", all);
  world.moveTo(now);
  await ok(client.signIn(partner));
  await client.sync();
  expect(client.status.current.awaitingConsent.records).toBe(1);
  await show(now, "all", basic);
  for (let run = 0; run < 3; run++) {
    for (const each of [world, now]) each.pass(26 * 3_600_000);
    await client.sync();
  }
  expect(client.status.current.awaitingConsent.records).toBe(0);
  // A list that was edited while it was hidden does not say what was taken out of it.
  const [{ detail, reference, revision } = { detail: "", reference: "", revision: "" }] =
    await client.parked();
  expect(detail).toContain("may have reached the server and been undone there");
  await ok(client.resolve(reference, { kind: "retry", revision }));
  await client.sync();
  const there = await ok(now.view.groups.read(`${system}|HOME`));
  expect(there.member?.map(({ role }) => role?.coding?.[0]?.code)).toContain("child");
  expect(client.status.current).toMatchObject(settled);
});
