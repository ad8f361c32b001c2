import type { Group, Individual, ProgramMembership, RegistryView } from "@fieldroll/core";
import type { FieldClient } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { ok, system } from "./support/people.ts";
import { createWorld, credentials, restoredFrom } from "./support/world.ts";

const [A, H, M] = ["A", "H", "M"].map((value) => ({ system, value })) as [Id, Id, Id];
type Id = { readonly system: string; readonly value: string };
const person = `Individual/${system}|A`;
const household = `Group/${system}|H`;
const enrollment = `ProgramMembership/${system}|M`;

const member = (value: string, code: string) => ({
  entity: { reference: `Individual/${system}|${value}` },
  role: { coding: [{ system: "urn:service:vocab:relationship", code }] },
});
const members = ({ member: all = [] }: Group) =>
  all.map(({ entity, role }) => `${entity.reference.slice(-1)}:${role?.coding?.[0]?.code}`);

/** Two people, their household and an enrollment, on a server and on a tablet that has signed in. */
async function createNeighbours() {
  const world = await createWorld();
  const { individuals, groups, programs, memberships } = world.view;
  const address = [{ type: "physical" as const, city: "C0", line: ["L0"], postalCode: "0" }];
  for (const value of ["A", "B", "D"]) {
    const name = { family: `Cruz ${value}` };
    const born = { birthDate: "1980-01-01", birthDateEstimated: true };
    await ok(
      individuals.create({ type: "Individual", identifier: [{ system, value }], name, ...born, address }),
    );
  }
  const group = { type: "Group", identifier: [H], groupType: "household", name: "N0" };
  await ok(groups.create({ ...group, member: [member("A", "head"), member("B", "spouse")] }));
  const program = { type: "Program", identifier: [{ system, value: "P" }], name: "P" };
  await ok(programs.create({ ...program, targetType: "individual", period: { start: "2020-01-01" } }));
  await ok(
    memberships.create({
      ...{ type: "ProgramMembership", identifier: [M], status: "enrolled", enrollmentDate: "2025-01-01" },
      ...{ program: { reference: `Program/${system}|P` }, beneficiary: { reference: person } },
    }),
  );
  const { client } = world.device("a");
  await ok(client.signIn(credentials));
  await client.sync();
  /** The server is another one now, from this backup, and the tablet has read it. */
  const restore = async (backup: typeof world.medium) => {
    const now = await restoredFrom(backup);
    world.moveTo(now);
    await ok(client.signIn(credentials));
    await client.sync();
    await client.sync();
    return now.view;
  };
  const asked = async () =>
    (await client.parked()).flatMap(({ conflicts }) => conflicts.map(({ path }) => path)).sort();
  return { world, view: world.view, client, restore, asked, backup: () => structuredClone(world.medium) };
}

const people = (client: FieldClient, change: (draft: Individual) => void) =>
  ok(client.individuals.update(person, change));
const house = (client: FieldClient, change: (draft: Group) => void) =>
  ok(client.groups.update(household, change));

/** Once, where somebody had changed a part beside it, all of it counted as theirs, and nobody was told that it was lost. */
describe("what a restored server has lost", () => {
  interface Loss {
    readonly what: string;
    readonly ours: (client: FieldClient) => Promise<unknown>;
    readonly office: (view: RegistryView) => Promise<unknown>;
    readonly asked: readonly string[];
  }
  it.each<Loss>([
    {
      what: "an exit, of which the office corrected the reason",
      ours: (client) =>
        ok(
          client.memberships.update(enrollment, (draft: ProgramMembership) => {
            Object.assign(draft, { status: "exited", exitReason: "moved", exitDate: "2026-01-12" });
          }),
        ),
      office: ({ memberships }) => ok(memberships.patch(M, { exitReason: "moved away" }, { ifMatch: "*" })),
      asked: ["/exitDate", "/exitReason", "/status"],
    },
    {
      what: "a move, whose postal code the office added",
      ours: (client) =>
        people(client, ({ address }) => {
          if (address?.[0]) address[0].city = "C2";
        }),
      office: async ({ individuals }) => {
        const { address = [] } = await ok(individuals.read(A));
        const corrected = address.map((each) => ({ ...each, postalCode: "9" }));
        return ok(individuals.patch(A, { address: corrected }, { ifMatch: "*" }));
      },
      asked: ["/address/0"],
    },
    {
      what: "a birth date, which the office calls no estimate",
      ours: (client) =>
        people(client, (draft) => {
          Object.assign(draft, { birthDate: "1990-05-05", birthDateEstimated: false });
        }),
      office: ({ individuals }) => ok(individuals.patch(A, { birthDateEstimated: null }, { ifMatch: "*" })),
      asked: ["/birthDate", "/birthDateEstimated"],
    },
    {
      what: "a member in another one's place, whom the office made the head",
      ours: (client) =>
        house(client, (draft) => {
          draft.member = [member("B", "spouse"), member("D", "parent")];
        }),
      office: ({ groups }) =>
        ok(groups.patch(H, { member: [member("B", "spouse"), member("D", "head")] }, { ifMatch: "*" })),
      asked: ["/member/1"],
    },
  ])("is asked about: $what", async ({ ours, office, asked: expected }) => {
    const { view, client, restore, asked, backup } = await createNeighbours();
    const before = backup();
    await ours(client);
    expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
    await office(view);
    await client.sync();
    await restore(before);
    expect(await asked()).toEqual(expected);
  });

  /** Once, the tablet took it that the office's removal was its own change of heads undone, and added her again. */
  it("adds nobody whom an office had taken out before the backup", async () => {
    const { view, client, restore, asked, backup } = await createNeighbours();
    await house(client, (draft) => {
      draft.member = [member("A", "parent"), member("B", "head")];
    });
    await client.sync();
    const without = [member("B", "head"), member("D", "parent")];
    await ok(view.groups.patch(H, { member: without }, { ifMatch: "*" }));
    const before = backup();
    await house(client, (draft) => {
      draft.name = "Mine";
    });
    const now = await restore(before);
    expect(members(await ok(now.groups.read(H)))).toEqual(["B:head", "D:parent"]);
    expect(await asked()).toEqual(["/member/2"]);
  });

  /** Once, it went without a word, for it was what had been there before. */
  it("asks about unsent work that took back what is lost, where the server says a third thing", async () => {
    const { view, client, restore, asked, backup } = await createNeighbours();
    const before = backup();
    await ok(view.individuals.patch(A, { name: { family: "Office" } }, { ifMatch: "*" }));
    await client.sync();
    const rename = (family: string) =>
      people(client, (draft) => {
        draft.name.family = family;
      });
    await rename("Reyes");
    await client.sync();
    await rename("Office");
    await restore(before);
    expect(await asked()).toEqual(["/name/family"]);
    expect((await ok(client.individuals.read(person))).record.name.family).toBe("Office");
  });
});

/** Once, an edit of one member went to another of the same name and birth date, whom the office had put in her place. */
it.each(["head", "sibling"])(
  "two people of one name are two where the server tells their keys: %s",
  async (code) => {
    const { view, client, asked } = await createNeighbours();
    for (const value of ["B", "D"])
      await ok(view.individuals.patch({ system, value }, { name: { family: "Same" } }, { ifMatch: "*" }));
    await ok(
      view.groups.patch(H, { member: [member("A", "parent"), member("B", "child")] }, { ifMatch: "*" }),
    );
    await client.sync();
    await house(client, (draft) => {
      draft.member = [member("A", "parent"), member("B", code)];
    });
    await ok(
      view.groups.patch(H, { member: [member("A", "parent"), member("D", "child")] }, { ifMatch: "*" }),
    );
    await client.sync();
    expect(members(await ok(view.groups.read(H)))).toEqual(["A:parent", "D:child"]);
    expect(await asked()).toEqual(["/member/2"]);
  },
);
