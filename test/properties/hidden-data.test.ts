import { operator, unwrap } from "@fieldroll/core";
import { arbitraryGroup, arbitraryIndividual, arbitraryMembership, testId } from "@fieldroll/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { household, program } from "../contract/fixture.ts";
import { consentClients, startWorld, type World } from "../contract/world.ts";
import { check } from "./check.ts";
import { arbitraryRequest, type Pools, programs, systems } from "./requests.ts";
import { sendAll } from "./send.ts";

type Body = Record<string, unknown>;

/** What five consents show of five people; the rest of each person is hidden, and differs between the registries. */
const shown = [
  { access: "custom", fields: ["name", "gender"] },
  { access: "basic" },
  { access: "all" },
  { access: "custom", fields: ["name.given", "address.city"] },
] as const;

const hiddenMembers: readonly (readonly string[])[] = [
  ["active", "birthDate", "telecom", "address", "extension", "birthDateEstimated"],
  ["birthDate", "gender", "telecom", "address", "extension", "birthDateEstimated"],
  ["extension"],
  ["active", "birthDate", "gender", "telecom", "extension", "birthDateEstimated"],
];

interface Hidden {
  /** Per covered person: values for its hidden members. */
  readonly parts: readonly Body[];
  readonly people: readonly Body[];
  readonly groups: readonly Body[];
  readonly memberships: readonly Body[];
}

const coveredPeople = shown.map((_, i) => `c${i}`);
const hiddenPeople = ["h0", "h1", "h2"];
const hiddenGroups = ["hg0", "hg1"];
const start = Date.parse("2026-03-01T08:00:00Z");

const pools: Pools = {
  people: [...coveredPeople, ...hiddenPeople, "none", "new1"],
  groups: ["g", ...hiddenGroups, "none", "new1"],
  memberships: ["m", "hm0", "none"],
  fresh: ["new1", "new2", "c0"],
  keys: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 500_000, 500_001, 500_002, 500_005].map((number) =>
    testId(start, number),
  ),
  consents: [11, 12, 13, 14, 15, 500_006, 500_010].map((number) => testId(start, number)),
};

const identified = (type: keyof typeof systems, value: string) => ({
  identifier: [{ system: systems[type], value }],
});
const withFarmer = fc.nat(9).map((farmSize) => ({ farmer: { farmSize } }));

const person: fc.Arbitrary<Body> = fc
  .tuple(arbitraryIndividual, withFarmer)
  .map(([body, extension]) => ({ ...body, extension }));

/** Hidden groups hold hidden people, and covered ones whose consent doesn't show where they belong. */
const groupMembers = ["h0", "c0", "c1", "c3"].map((value) => `Individual/${systems.Individual}|${value}`);

const hidden: fc.Arbitrary<Hidden> = fc.record({
  parts: fc.tuple(person, person, person, person),
  people: fc.array(person, { minLength: 1, maxLength: 3 }),
  groups: fc.array(arbitraryGroup(groupMembers), { maxLength: 2 }),
  memberships: fc.array(
    arbitraryMembership({ program: programs[1], beneficiary: `Individual/${systems.Individual}|h0` }),
    { maxLength: 1 },
  ),
});

/** Ids in two runs of numbers, so that hidden records take none from the others. */
function numbering() {
  let number = 0;
  return {
    newId: () => testId(start, ++number),
    continueAt: (next: number) => {
      number = next;
    },
  };
}

async function registryWith(
  visible: readonly Body[],
  { parts, people, groups, memberships }: Hidden,
): Promise<World> {
  const ids = numbering();
  const world = await startWorld({ clients: consentClients, registry: { newId: ids.newId } });
  await world.registry.epoch();
  await world.registry.secret("cursors");
  const create = async (records: readonly Body[]) => {
    for (const body of records) {
      const entry = { verb: "create", type: body.type as "Individual", body } as const;
      unwrap(await world.registry.as(operator).transaction([entry], { trusted: true }));
    }
  };
  const forPeople = {
    ...program,
    identifier: [{ system: "urn:service:program", value: "people" }],
    targetType: "individual",
  };
  await create([program, forPeople]);
  await create(
    visible.map((body, i) => {
      const names = hiddenMembers[i] ?? [];
      const own = Object.entries(body).filter(([name]) => !names.includes(name));
      const other = Object.entries(parts[i] ?? {}).filter(([name]) => names.includes(name));
      const city = i === 3 ? { address: [{ type: "physical", city: "Imus" }] } : {};
      return { ...Object.fromEntries([...own, ...other]), ...city, ...identified("Individual", `c${i}`) };
    }),
  );
  await create([household("g", [`Individual/${systems.Individual}|c2`])]);
  const enrolled = {
    type: "ProgramMembership",
    ...identified("ProgramMembership", "m"),
    program: { reference: programs[1] },
  };
  await create([
    { ...enrolled, beneficiary: { reference: `Individual/${systems.Individual}|c2` }, status: "enrolled" },
  ]);
  for (const [i, terms] of shown.entries()) {
    await world.grant({
      subject: `Individual/${systems.Individual}|c${i}`,
      organization: "Helpers",
      ...terms,
    });
  }
  await world.grant({
    subject: `Group/${systems.Group}|g`,
    organizationType: "ngo",
    access: "basic",
    resourceType: "Group",
  });
  ids.continueAt(499_999);
  await create(people.map((body, i) => ({ ...body, ...identified("Individual", `h${i}`) })));
  await create(groups.map((body, i) => ({ ...body, ...identified("Group", `hg${i}`) })));
  await create(memberships.map((body, i) => ({ ...body, ...identified("ProgramMembership", `hm${i}`) })));
  await world.grant({ subject: `Individual/${systems.Individual}|h0`, organization: "Others" });
  ids.continueAt(900_000);
  return world;
}

const printed = ({ status, headers, body }: { status: number; headers: Headers; body: unknown }) =>
  JSON.stringify({ status, headers: [...headers], body }, null, 1);

describe("a caller bound by consent", () => {
  it("gets the same bytes from registries that differ in hidden data only", {
    timeout: 180_000,
  }, async () => {
    const sequences = fc.array(arbitraryRequest(pools), { minLength: 1, maxLength: 10 });
    const visiblePeople = fc.tuple(person, person, person, person);
    const property = fc.asyncProperty(
      visiblePeople,
      fc.tuple(hidden, hidden),
      sequences,
      async (visible, [one, other], sequence) => {
        const left = await registryWith(visible, one);
        const right = await registryWith(visible, other);
        for (const asked of sequence) {
          const [first, second] = [await sendAll(left, "ngo", asked), await sendAll(right, "ngo", asked)];
          expect(second.map(printed), JSON.stringify(asked)).toEqual(first.map(printed));
        }
      },
    );
    await check("hidden-data", property, { runs: 40 });
  });

  it("is not what a caller exempt from consent is", async () => {
    const samples = fc.sample(fc.tuple(fc.tuple(person, person, person, person), hidden, hidden), {
      numRuns: 1,
      seed: 1,
    });
    for (const [visible, one, other] of samples) {
      const [left, right] = [await registryWith(visible, one), await registryWith(visible, other)];
      const asked = { path: "/Individual?active=any&_total=accurate" };
      const answers = [await sendAll(left, "ministry", asked), await sendAll(right, "ministry", asked)];
      expect(answers[0]?.map(printed)).not.toEqual(answers[1]?.map(printed));
    }
  });
});
