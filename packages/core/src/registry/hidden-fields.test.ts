import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Outcome, unwrap } from "../problem.ts";
import { createTestRegistry } from "../testing/test-registry.ts";
import type { RegistryView, SearchParameters } from "./types.ts";

const system = "urn:gov:id";
const any = { ifMatch: "*" } as const;

const values = {
  name: [{ family: "Reyes", given: "Ana" }, { family: "Cruz", given: "Bea" }, { family: "Santos" }],
  birthDate: ["1980-01-01", "1990-06-15", "2001-12-31"],
  gender: ["1", "2", "9"].map((code) => ({ coding: [{ system: "urn:iso:std:iso:5218", code }] })),
  telecom: ["111", "222", "333"].map((value) => [{ system: "phone", value }]),
  address: ["Cavite", "Laguna", "Rizal"].map((state) => [{ country: "PH", state }]),
  active: [true, true, false],
} as const;
type Field = keyof typeof values;
const fields = Object.keys(values) as readonly Field[];

/** For each field the value at first and after a change; the second registry has others where they are hidden. */
interface Person {
  readonly sees: "nothing" | "all" | readonly Field[];
  readonly meta: boolean;
  readonly ours: Readonly<Record<Field, readonly [number, number]>>;
  readonly theirs: Readonly<Record<Field, readonly [number, number]>>;
}

const choice = fc.tuple(fc.nat(2), fc.nat(2));
const choices = fc.record({
  name: choice,
  birthDate: choice,
  gender: choice,
  telecom: choice,
  address: choice,
  active: choice,
});
const persons: fc.Arbitrary<readonly Person[]> = fc.array(
  fc.record({
    sees: fc.oneof(
      fc.constant("nothing" as const),
      fc.constant("all" as const),
      fc.subarray([...fields], { minLength: 1 }),
    ),
    meta: fc.boolean(),
    ours: choices,
    theirs: choices,
  }),
  { minLength: 1, maxLength: 5 },
);

type Side = "ours" | "theirs";

function recordOf(person: Person, [i, side, time]: readonly [number, Side, 0 | 1]) {
  const chosen = fields.map((field) => {
    const seen = person.sees === "all" || (person.sees !== "nothing" && person.sees.includes(field));
    return [field, values[field][person[seen ? "ours" : side][field][time]]];
  });
  // Nothing of a hidden record is known, not even by which identifier it goes.
  const value = person.sees === "nothing" ? `${i}-${side}` : `${i}`;
  return { type: "Individual", identifier: [{ system, value }], ...Object.fromEntries(chosen) };
}

async function build(all: readonly Person[], side: Side): Promise<RegistryView> {
  const { view, as, advance } = createTestRegistry();
  const value = (i: number) => String(recordOf(all[i] as Person, [i, side, 0]).identifier[0]?.value);
  for (const [i, person] of all.entries()) {
    unwrap(await view.individuals.create(recordOf(person, [i, side, 0])));
    if (person.sees === "nothing") continue;
    const access =
      person.sees === "all"
        ? { fieldAccess: "all" }
        : { fieldAccess: "custom", fields: [...person.sees, ...(person.meta ? ["meta"] : [])] };
    await view.consents.grant({
      subject: { reference: `Individual/${system}|${i}` },
      grantee: { organization: "Relief" },
      scope: [{ resourceType: "Individual", ...access }],
    });
  }
  advance({ days: 1 });
  for (const [i, person] of all.entries()) {
    // Two changes whatever they hold, so that both registries count the same versions.
    const body = { ...recordOf(person, [i, side, 1]), birthDateEstimated: i % 2 === 0 };
    unwrap(await view.individuals.replace(`${system}|${value(i)}`, body, any));
  }
  return as({ organization: "Relief", legalBasis: "consent" });
}

const searches: readonly SearchParameters[] = [
  {},
  { active: "false", _total: "accurate" },
  { name: "reyes", _total: "accurate" },
  { birthdate: "ge1990-01-01" },
  { gender: "2" },
  { telecom: "222" },
  { address: "laguna", active: "false" },
  { _sort: "name", limit: "2" },
  { _sort: "-birthdate", active: "false", limit: "2" },
  { identifier: "1" },
  { _lastUpdated: "ge2026-01-02", active: "false" },
];

async function pages(view: RegistryView, parameters: SearchParameters): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = unwrap(
      await view.individuals.search({ ...parameters, ...(cursor !== undefined && { cursor }) }),
    );
    answers.push(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return answers;
}

/** Everything that a caller can find out. */
async function answersTo(view: RegistryView, count: number): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  const ask = async (answer: Promise<Outcome<unknown>>) => answers.push(await answer);
  for (const parameters of searches) answers.push(await pages(view, parameters));
  for (const feed of ["all", "area:PH/Cavite", "area:PH"]) {
    const first = unwrap(await view.changes({ feed, limit: 2 }));
    const second = unwrap(await view.changes({ feed, cursor: first.nextCursor }));
    // A server seals cursors, for the place in the store counts hidden changes as well.
    for (const { nextCursor: _, ...told } of [first, second]) answers.push(told);
  }
  for (let i = 0; i < count; i++) {
    for (const value of [`${i}`, `${i}-ours`, `${i}-theirs`]) {
      const at = `${system}|${value}`;
      await ask(view.individuals.disclose(at));
      await ask(view.individuals.history(at));
      await ask(view.individuals.patch(at, { birthDate: "1985-05-05" }, any));
      await ask(view.individuals.patch(at, { name: { suffix: "Jr." } }, { ifMatch: ["1"] }));
      await ask(
        view.groups.create({
          type: "Group",
          identifier: [{ system: "urn:g", value }],
          groupType: "household",
          name: "H",
          member: [{ entity: { reference: `Individual/${at}` } }],
        }),
      );
    }
  }
  return answers;
}

describe("what a caller bound by consents is answered", () => {
  it("is the same in two registries that differ only in what is hidden from it", async () => {
    await fc.assert(
      fc.asyncProperty(persons, async (all) => {
        const [ours, theirs] = [await build(all, "ours"), await build(all, "theirs")];
        const [mine, others] = [await answersTo(ours, all.length), await answersTo(theirs, all.length)];
        expect(others).toEqual(mine);
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it("is the same where households differ in members, kind and enrollments that are hidden from it", async () => {
    const members = fc.subarray([0, 1, 2]);
    const hidden = fc.record({
      members,
      kind: fc.constantFrom("household", "family"),
      enrolled: fc.boolean(),
    });
    const seesName = fc.boolean();
    await fc.assert(
      fc.asyncProperty(hidden, hidden, seesName, async (ours, theirs, named) => {
        const [mine, others] = [await buildHousehold(ours, named), await buildHousehold(theirs, named)];
        expect(await householdAnswers(others)).toEqual(await householdAnswers(mine));
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});

interface Household {
  readonly members: readonly number[];
  readonly kind: string;
  readonly enrolled: boolean;
}

/** Persons whose names are seen, in a household of which nothing is seen but, perhaps, its name. */
async function buildHousehold({ members, kind, enrolled }: Household, named: boolean) {
  const { view, as } = createTestRegistry();
  const custom = (reference: string, resourceType: string) =>
    view.consents.grant({
      subject: { reference },
      grantee: { organization: "Relief" },
      scope: [{ resourceType, fieldAccess: "custom", fields: ["name"] }],
    });
  for (const i of [0, 1, 2]) {
    const body = { type: "Individual", identifier: [{ system, value: `${i}` }], name: { family: "Reyes" } };
    unwrap(await view.individuals.create(body));
    unwrap(await custom(`Individual/${system}|${i}`, "Individual"));
  }
  const group = {
    type: "Group",
    identifier: [{ system, value: "h" }],
    groupType: kind,
    name: "H",
    member: members.map((i) => ({ entity: { reference: `Individual/${system}|${i}` } })),
  };
  unwrap(await view.groups.create(group));
  if (named) unwrap(await custom(`Group/${system}|h`, "Group"));
  const program = { type: "Program", identifier: [{ system, value: "p" }], name: "P", targetType: "group" };
  unwrap(await view.programs.create(program));
  const enrollment = {
    type: "ProgramMembership",
    identifier: [{ system, value: "m" }],
    program: { reference: `Program/${system}|p` },
    beneficiary: { reference: `Group/${system}|h` },
    status: enrolled ? "enrolled" : "draft",
  };
  unwrap(await view.memberships.create(enrollment));
  return as({ organization: "Relief", legalBasis: "consent" });
}

async function householdAnswers(view: RegistryView): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  const member = `Individual/${system}|0`;
  for (const parameters of [{}, { group: "none" }, { group: `${system}|h` }, { _total: "accurate" }]) {
    answers.push(await view.individuals.search(parameters));
  }
  for (const parameters of [{}, { groupType: "family" }, { member }, { name: "h", _total: "accurate" }]) {
    answers.push(await view.groups.search(parameters));
  }
  for (const parameters of [{}, { status: "enrolled" }, { beneficiary: `Group/${system}|h` }]) {
    answers.push(await view.memberships.search(parameters));
  }
  for (const verbs of [view.individuals, view.groups, view.memberships]) {
    for (const value of ["0", "h", "m", "9"]) answers.push(await verbs.disclose(`${system}|${value}`));
  }
  answers.push(
    await view.groups.history(`${system}|h`),
    await view.groups.removeMember(`${system}|h`, { entity: { reference: member } }),
    await view.groups.addMember(`${system}|h`, { entity: { reference: member } }),
    await view.groups.patch(`${system}|h`, { groupType: "family" }, any),
    await view.memberships.patch(`${system}|m`, { status: "enrolled" }, any),
    await view.changes({ feed: "all" }),
  );
  return answers;
}
