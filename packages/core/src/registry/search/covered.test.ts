import { describe, expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import { createTestRegistry, type TestRegistry } from "../../testing/test-registry.ts";
import { group, member, person, valuesOf } from "./test-world.ts";

const relief = { organization: "Relief", legalBasis: "consent" };

/** People a, b and c, and two households, each with a consent, in this order: of h, of g, of b, of c. */
async function open(members: {
  readonly h: readonly string[];
  readonly g: readonly string[];
}): Promise<TestRegistry> {
  const world = createTestRegistry();
  const { view } = world;
  for (const value of ["a", "b", "c"]) unwrap(await view.individuals.create(person(value)));
  for (const value of ["h", "g"] as const) {
    unwrap(
      await view.groups.create(
        group(
          value,
          members[value].map((each) => member(each)),
        ),
      ),
    );
  }
  const subjects = ["Group/urn:group|h", "Group/urn:group|g", "Individual/urn:id|b", "Individual/urn:id|c"];
  for (const reference of subjects) {
    const scope = [{ resourceType: "all", fieldAccess: "all" }];
    unwrap(await view.consents.grant({ subject: { reference }, grantee: { organization: "Relief" }, scope }));
  }
  world.advance({ milliseconds: 1 });
  return world;
}

/** Pages of one record each; after some of them something happens. */
async function pages(
  { as, advance }: TestRegistry,
  meanwhile: () => Promise<unknown> = async () => {},
  after = 1,
) {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = unwrap(await as(relief).individuals.search({ limit: "1", cursor }));
    seen.push(...valuesOf(page as never));
    cursor = page.nextCursor;
    advance({ milliseconds: 1 });
    if (seen.length === after) await meanwhile();
  } while (cursor !== undefined && seen.length < 9);
  return seen.join(" ");
}

const change = ({ view }: TestRegistry, value: string, members: readonly string[]) =>
  view.groups.patch(`urn:group|${value}`, { member: members.map((each) => member(each)) }, { ifMatch: "*" });

describe("a search by consents", () => {
  it("shows each person once, with the first of the consents that show it", async () => {
    expect(await pages(await open({ h: ["c"], g: ["a", "c", "b"] }))).toBe("c a b");
  });

  it("shows a person whom an earlier consent comes to show as well", async () => {
    const world = await open({ h: ["a"], g: ["b", "c"] });
    expect(await pages(world, () => change(world, "h", ["a", "b", "c"]), 2)).toBe("a b c");
  });

  it("shows a person again whom the earlier consent shows no more", async () => {
    const world = await open({ h: ["c"], g: ["a", "b", "c"] });
    expect(await pages(world, () => change(world, "h", ["a"]))).toBe("c a b c");
  });

  it("shows nobody again for a consent that is given meanwhile", async () => {
    const world = await open({ h: ["a"], g: ["b", "c"] });
    const terms = {
      subject: { reference: "Individual/urn:id|a" },
      grantee: { organization: "Relief" },
      scope: [{ resourceType: "Individual", fieldAccess: "basic" }],
    };
    expect(await pages(world, () => world.view.consents.grant(terms))).toBe("a b c");
  });
});
