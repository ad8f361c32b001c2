import type { JsonObject } from "@fieldroll/core";
import { beforeEach, expect, it } from "vitest";
import { answering } from "./support/bundles.ts";
import { asOffice, run, tabletOf } from "./support/files.ts";
import { ok, personOf, refusal, system } from "./support/people.ts";
import { createWorld, type Device, type World } from "./support/world.ts";

const person = (value: string) => `Individual/${system}|${value}`;
const membersAs = (...values: readonly string[]) =>
  values.map((value) => ({ entity: { reference: person(value) } }));

let world: World;
let tablet: Device;
let refuses: boolean;

beforeEach(async () => {
  world = await createWorld();
  for (const value of ["ANA", "BEN", "EVA"])
    await ok(world.view.individuals.create(personOf(value, { family: "Cruz", given: value })));
  const house = { identifier: [{ system, value: "H" }], name: "Home", member: membersAs("BEN") };
  await ok(world.view.groups.create({ type: "Group", ...house, groupType: "household" }));
  refuses = false;
  const errors = [{ field: "", code: "unknown_reference", message: "is unknown" }];
  const network = answering(({ method }) =>
    refuses && method === "PATCH" ? refusal(422, "validation", { errors }) : undefined,
  );
  tablet = await tabletOf(world, "a", { network });
  tablet.online = false;
  await ok(
    tablet.client.groups.update(`Group/${system}|H`, (draft) => {
      draft.member = [...(draft.member ?? []), ...membersAs("ANA")];
    }),
  );
  tablet.online = true;
});

const told = async () =>
  (await ok(world.view.groups.read(`${system}|H`))).member?.map(({ entity }) => entity.reference);

it("a member whose number was corrected arrives by herself where the same pull tells of her household", async () => {
  await asOffice(world, { identifier: [{ system, value: "ANA2" }] }, person("ANA"));
  await ok(world.view.groups.patch(`${system}|H`, { member: membersAs("BEN", "EVA") }, { ifMatch: "*" }));
  await run(tablet, 2);
  expect(tablet.client.status.current).toMatchObject({ pending: 0, parked: 0 });
  expect(await told()).toEqual(["BEN", "EVA", "ANA2"].map(person));
});

it("what a former version of the app noted as refused, and not what it named, goes out once more", async () => {
  refuses = true;
  await run(tablet, 3);
  const before = world.requests.length;
  await run(tablet, 2);
  expect(world.requests.slice(before).filter((request) => request.startsWith("PATCH"))).toEqual([]);
  const outbox = tablet.medium.collections.get("outbox");
  for (const [key, document] of outbox ?? []) {
    const { parked, ...entry } = document.body as { parked: JsonObject };
    const { named: _, ...former } = parked;
    outbox?.set(key, { ...document, body: { ...entry, parked: former } });
  }
  refuses = false;
  await run(tablet, 1);
  expect(await told()).toEqual(["BEN", "ANA"].map(person));
});
