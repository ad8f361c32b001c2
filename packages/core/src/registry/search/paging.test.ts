import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import type { TestRegistry } from "../../testing/test-registry.ts";
import type { RegistryView } from "../types.ts";
import { group, member, openWorld, parametersOf, person, searchBy, valuesOf, verbs } from "./test-world.ts";

const days = ["1985-05-05", "1990-01-01", "2001-12-31"];
const families = ["Reyes", "Cruz", "Santos"];

/** Thirty more people than the small register has, many alike; some in groups, half of these with a consent. */
async function openCrowd(): Promise<TestRegistry> {
  const world = await openWorld();
  for (let i = 0; i < 30; i++) {
    const body = person(`c${i}`, {
      name: { family: families[i % 3], given: `Given ${i % 4}` },
      ...(i % 5 > 0 && { birthDate: days[i % 3] }),
      active: i % 7 > 0,
    });
    unwrap(await world.view.individuals.create(body));
  }
  for (let i = 0; i < 6; i++) {
    const members = [member(`c${i}`, "head"), member(`c${i + 6}`, "child")];
    unwrap(await world.view.groups.create(group(`h${i}`, members)));
    const terms = {
      subject: { reference: `Group/urn:group|h${i}` },
      grantee: { organization: "Relief" },
      scope: [
        {
          resourceType: "all",
          fieldAccess: "custom",
          fields: i % 2 ? ["name"] : ["birthDate", "groupMembership"],
        },
      ],
    };
    unwrap(await world.view.consents.grant(terms));
  }
  return world;
}

const optional = (...values: string[]) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant("") }, { weight: 1, arbitrary: fc.constantFrom(...values) });

const query = fc
  .tuple(
    optional("name=re", "name=given 1", "name:exact=given 2 cruz"),
    optional("birthdate=ne1990-01-01", "birthdate=ge1990-01-01", "birthdate=1985-05-05"),
    optional(
      "group=none",
      "role=head",
      "group=urn:group|h1,urn:group|h2",
      "group=none,urn:group|h3&role=child",
    ),
    optional("active=any", "active=false"),
    optional(
      "_sort=name",
      "_sort=-name",
      "_sort=birthdate",
      "_sort=-birthdate",
      "_sort=identifier",
      "_sort=-_lastUpdated",
    ),
  )
  .map((parts) => parts.filter((part) => part !== "").join("&"));

describe("paging", () => {
  let world: TestRegistry;
  const callers: Record<string, () => RegistryView> = {
    "who sees all": () => world.view,
    "bound by consents": () => world.as({ organization: "Relief", legalBasis: "consent" }),
    "with a list of fields": () => world.as({ fields: ["name", "active", "groupMembership.role"] }),
  };
  beforeAll(async () => {
    world = await openCrowd();
  });

  it.each(Object.keys(callers))("shows a caller %s, page by page, what one large page shows", async (who) => {
    const view = callers[who]?.() ?? world.view;
    let met = 0;
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 9 }), async (asked, limit) => {
        const parameters = parametersOf(asked);
        const whole = unwrap(
          await view.individuals.search({ ...parameters, limit: "500", _total: "accurate" }),
        );
        const all = valuesOf(whole);
        expect(whole).toMatchObject({ total: all.length, hasMore: false });
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = unwrap(
            await view.individuals.search({
              ...parameters,
              limit: String(limit),
              _total: "accurate",
              cursor,
            }),
          );
          expect(page.total).toBe(all.length);
          expect(page.hasMore).toBe(page.nextCursor !== undefined);
          expect(page.data.length).toBe(Math.min(limit, all.length - seen.length));
          seen.push(...valuesOf(page));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        expect(seen).toEqual(all);
        expect(new Set(seen).size).toBe(seen.length);
        met += seen.length;
      }),
      { numRuns: 60 },
    );
    expect(met).toBeGreaterThan(50);
  });

  it("shows the same without counting as with it", async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom(...Object.keys(callers)), async (asked, who) => {
        const view = callers[who]?.() ?? world.view;
        const counted = parametersOf(`${asked}&_total=accurate&limit=3`.replace(/^&/, ""));
        const { _total, ...plain } = counted;
        const { total, ...page } = unwrap(await view.individuals.search(counted));
        expect(unwrap(await view.individuals.search(plain))).toEqual(page);
      }),
      { numRuns: 60 },
    );
  });

  it.each(Object.keys(verbs) as (keyof typeof verbs)[])(
    "pages through %s by default in order of their making",
    async (type) => {
      const whole = unwrap(await searchBy(world.view, type, { limit: "500" }));
      const first = unwrap(await searchBy(world.view, type, { limit: "1" }));
      const rest = unwrap(await searchBy(world.view, type, { limit: "500", cursor: first.nextCursor }));
      expect([...valuesOf(first), ...valuesOf(rest)]).toEqual(valuesOf(whole));
    },
  );
});
