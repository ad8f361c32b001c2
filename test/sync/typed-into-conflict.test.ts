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
  return { individuals, client, edit, rename, call, numbers };
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

it("so it does in an address and in a member, of which a person is asked too", async () => {
  const world = await createWorld();
  const { individuals, groups } = world.view;
  const role = (code: string) => ({ coding: [{ system: "urn:service:vocab:relationship", code }] });
  const lives = (line: string) => [{ type: "physical" as const, line: [line], city: "Lodwar" }];
  const person = {
    type: "Individual",
    identifier: [ana],
    name: { family: "Cruz" },
    address: lives("Street 1"),
  };
  await ok(individuals.create(person));
  const house = { system, value: "H" };
  const home = `Group/${system}|H`;
  const member = (code: string) => [{ entity: { reference }, role: role(code) }];
  const household = { type: "Group", identifier: [house], groupType: "household", name: "H" };
  await ok(groups.create({ ...household, member: member("child") }));
  const { client } = world.device("a");
  await ok(client.signIn(credentials));
  await client.sync();
  const move = (line: string) =>
    ok(
      client.individuals.update(reference, (draft) => {
        draft.address = lives(line);
      }),
    );
  const call = (code: string) =>
    ok(
      client.groups.update(home, (draft) => {
        draft.member = member(code);
      }),
    );
  await move("Street 2");
  await call("spouse");
  await ok(individuals.patch(ana, { address: lives("Street 3") }, { ifMatch: "*" }));
  await ok(groups.patch(house, { member: member("parent") }, { ifMatch: "*" }));
  expect(await client.sync()).toMatchObject({ parked: 2 });

  expect(await move("Street 1")).toMatchObject({ state: "parked", record: { address: lives("Street 1") } });
  expect(await call("child")).toMatchObject({ state: "parked", record: { member: member("child") } });
  const parked = await client.parked();
  expect(parked.flatMap(({ conflicts }) => conflicts.map(({ path }) => path)).sort()).toEqual([
    "/address/0/line",
    "/member/0/role",
  ]);
  // What the other side says is no question any more.
  expect(await move("Street 3")).toMatchObject({ state: "synced" });
});

it("so does an answer that empties what was not there before", async () => {
  const { individuals, client, edit } = await inConflict();
  await edit((draft) => {
    draft.birthDate = "1990-01-01";
  });
  await ok(individuals.patch(ana, { birthDate: "1955-05-05" }, { ifMatch: "*" }));
  expect(await client.sync()).toMatchObject({ parked: 1 });
  await edit((draft) => {
    delete draft.birthDate;
  });
  const [parked] = await client.parked();
  const conflicts = [{ path: "/birthDate", theirs: "1955-05-05" }];
  expect(parked).toMatchObject({ reason: "conflict", conflicts });
  const { revision = "" } = parked ?? {};
  await ok(client.resolve(reference, { kind: "choose", revision, choices: { "/birthDate": "ours" } }));
  await client.sync();
  expect((await ok(individuals.read(ana))).birthDate).toBeUndefined();
});

it("what is typed back stays in conflict whatever the other side says later, but the same", async () => {
  const { individuals, client, rename } = await inConflict();
  const office = (family: string) => ok(individuals.patch(ana, { name: { family } }, { ifMatch: "*" }));
  await rename("Mine");
  await office("Theirs");
  await client.sync();
  await rename("Cruz");
  // What stood here until it was typed back is no sign that nobody changed it there.
  await office("Mine");
  expect(await client.sync()).toMatchObject({ parked: 1 });
  expect(await client.parked()).toMatchObject([
    { conflicts: [{ path: "/name/family", base: "Cruz", ours: "Cruz", theirs: "Mine" }] },
  ]);
  await office("Cruz");
  expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
});

it("so does a part of what is decided together, where another part is typed anew", async () => {
  const { individuals, client, edit } = await inConflict();
  const born = (birthDate: string, birthDateEstimated?: boolean) =>
    edit((draft) => {
      draft.birthDate = birthDate;
      if (birthDateEstimated === undefined) delete draft.birthDateEstimated;
      else draft.birthDateEstimated = birthDateEstimated;
    });
  const office = (patch: object) => ok(individuals.patch(ana, patch, { ifMatch: "*" }));
  await office({ birthDate: "1980-01-01", birthDateEstimated: true });
  await client.sync();
  await born("1990-05-05", false);
  await office({ birthDate: "1955-05-05" });
  expect(await client.sync()).toMatchObject({ parked: 1 });
  expect(await born("1980-01-01")).toMatchObject({ state: "parked" });
  await client.sync();
  expect(await ok(individuals.read(ana))).toMatchObject({
    birthDate: "1955-05-05",
    birthDateEstimated: true,
  });
  const [parked] = await client.parked();
  expect(parked?.conflicts.map(({ path }) => path).sort()).toEqual(["/birthDate", "/birthDateEstimated"]);
});

/** Once, a place at which both sides had come to the same was no conflict, and what was typed there was none either. */
it("what is typed back beside a conflict, where both sides had changed to the same, is asked about", async () => {
  const { individuals, client, edit, numbers } = await inConflict(["1"]);
  await edit((draft) => {
    draft.name = { family: "Lim", given: "Anna" };
    delete draft.telecom;
  });
  await ok(
    individuals.patch(ana, { name: { family: "Lim", given: "Anita" }, telecom: null }, { ifMatch: "*" }),
  );
  expect(await client.sync()).toMatchObject({ parked: 1 });
  const pathsNow = async () =>
    (await client.parked()).flatMap(({ conflicts }) => conflicts.map(({ path }) => path)).sort();
  expect(await pathsNow()).toEqual(["/name/given"]);
  await edit((draft) => {
    draft.name.family = "Cruz";
    draft.telecom = numbers(["1"]);
  });
  expect(await pathsNow()).toEqual(["/name/family", "/name/given", "/telecom/0"]);
  const [parked] = await client.parked();
  const { revision = "", conflicts = [] } = parked ?? {};
  const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "ours" as const]));
  await ok(client.resolve(reference, { kind: "choose", revision, choices }));
  await client.sync();
  const stored = await ok(individuals.read(ana));
  expect(stored).toMatchObject({ name: { family: "Cruz", given: "Anna" }, telecom: numbers(["1"]) });
});

it("two heads that are typed back one after the other stay a question", async () => {
  const world = await createWorld();
  const { individuals, groups } = world.view;
  const role = (code: string) => ({ coding: [{ system: "urn:service:vocab:relationship", code }] });
  const people = ["ANA", "BEN"].map((value) => ({ system, value }));
  for (const one of people) {
    await ok(individuals.create({ type: "Individual", identifier: [one], name: { family: one.value } }));
  }
  const members = (...codes: string[]) =>
    people.map(({ value }, i) => ({
      entity: { reference: `Individual/${system}|${value}` },
      role: role(codes[i] ?? ""),
    }));
  const house = { system, value: "H" };
  const home = `Group/${system}|H`;
  const household = { type: "Group", identifier: [house], groupType: "household", name: "H" };
  await ok(groups.create({ ...household, member: members("parent", "parent") }));
  const { client } = world.device("a");
  await ok(client.signIn(credentials));
  await client.sync();
  const type = (...codes: string[]) =>
    ok(
      client.groups.update(home, (draft) => {
        draft.member = members(...codes);
      }),
    );
  await type("head", "child");
  await ok(groups.patch(house, { member: members("parent", "head") }, { ifMatch: "*" }));
  expect(await client.sync()).toMatchObject({ parked: 1 });
  expect(await type("head", "parent")).toMatchObject({ state: "parked" });
  expect(await type("parent", "parent")).toMatchObject({ state: "parked" });
  await client.sync();
  expect((await ok(groups.read(house))).member).toMatchObject(members("parent", "head"));
  expect(await client.parked()).toMatchObject([{ reference: home, reason: "conflict" }]);
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
