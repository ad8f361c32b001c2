import fc from "fast-check";
import { expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import type { FeedItem } from "../types.ts";
import { household, individual, open } from "./test-world.ts";

const persons = ["1", "2", "3"];
const feeds = ["all", "area:PH/Cavite"];
const group = "urn:g|h";
const any = { ifMatch: "*" } as const;

type World = Awaited<ReturnType<typeof start>>;
type Act = (world: World) => Promise<unknown>;

async function start(withoutConsent: "hide" | "identifiers") {
  const test = await open({ policies: { withoutConsent } });
  const { view, person } = test;
  for (const value of persons) await person(value);
  await view.groups.create(household(["1"]));
  const identifier = [{ system: "urn:p", value: "cash" }];
  await view.programs.create({ type: "Program", identifier, name: "Cash", targetType: "individual" });
  for (const value of ["1", "2"]) {
    await view.memberships.create({
      type: "ProgramMembership",
      identifier: [{ system: "urn:m", value }],
      program: { reference: "Program/urn:p|cash" },
      beneficiary: { reference: individual(value) },
      status: "enrolled",
    });
  }
  let now = Date.parse("2026-01-01T08:00:00.000Z");
  const advance = (milliseconds: number) => {
    now += milliseconds;
    test.advance({ milliseconds });
  };
  const dayIn = (days: number) => new Date(now + days * 86_400_000).toISOString().slice(0, 10);
  const followers = feeds.map((feed) => ({
    feed,
    cursor: undefined as string | undefined,
    held: new Map<string, string>(),
  }));
  return { ...test, advance, dayIn, followers, consents: [] as string[] };
}

/** What a follower holds of a record: all but what the calendar changes of groups without any news. */
function content({ record = {} }: FeedItem): string {
  const { quantity: _, groupMembership: __, ...rest } = record;
  return JSON.stringify(rest);
}

interface Walk {
  readonly feed: string;
  readonly cursor: string | undefined;
  readonly limit: number;
  readonly held: Map<string, string>;
}

/** Reads a feed to its end. */
async function follow({ relief }: World, { feed, cursor, limit, held }: Walk) {
  const told: string[] = [];
  let at = cursor;
  for (let more = true; more; ) {
    const page = unwrap(await relief.changes({ feed, limit, ...(at !== undefined && { cursor: at }) }));
    for (const item of page.data) {
      told.push(`${item.reference} ${item.change}`);
      if (item.change === "upsert") held.set(item.key, content(item));
      else held.delete(item.key);
    }
    at = page.nextCursor;
    more = page.hasMore;
  }
  return { told, cursor: at };
}

/** Visits every feed: its follower then holds what somebody gets who begins today, and is told one state of each record. */
function visit(limit: number): Act {
  return async (world) => {
    // What just happened may be told of twice: see the decision on consent.
    world.advance(120_000);
    for (const follower of world.followers) {
      const { told, cursor } = await follow(world, { ...follower, limit });
      follower.cursor = cursor;
      const held = new Map<string, string>();
      await follow(world, { feed: follower.feed, cursor: undefined, limit: 500, held });
      expect(new Map([...follower.held].sort())).toEqual(new Map([...held].sort()));
      const distinct = [...new Set(told)];
      expect(new Set(distinct.map((item) => item.split(" ")[0])).size).toBe(distinct.length);
      expect((await follow(world, { ...follower, limit })).told).toEqual([]);
    }
  };
}

const days = (...offsets: readonly (number | undefined)[]) => fc.constantFrom(...offsets);

const grants = fc
  .record({
    reference: fc.constantFrom(...persons.map(individual), `Group/${group}`, `Group/${group}`),
    from: days(undefined, -7, -1, 0, 1, 3),
    to: days(undefined, undefined, 0, 1, 4),
    fieldAccess: fc.constantFrom("all", "basic", "custom"),
    resourceType: fc.constantFrom("all", "Individual", "Group", "ProgramMembership"),
  })
  .map(({ reference, from, to, fieldAccess, resourceType }): Act => {
    const fields = fieldAccess === "custom" ? { fields: ["name", "address"] } : {};
    return async ({ view, dayIn, consents }) => {
      const made = await view.consents.grant({
        subject: { reference },
        grantee: { organization: "Relief" },
        scope: [{ resourceType, fieldAccess, ...fields }],
        ...(from !== undefined && { effectiveDate: dayIn(from) }),
        ...(to !== undefined && { expiryDate: dayIn(to) }),
      });
      if (made.ok) consents.push(made.value.id);
    };
  });

const one = (consents: readonly string[], nth: number) => consents[nth % Math.max(consents.length, 1)] ?? "";

const acts = fc.oneof(
  { weight: 4, arbitrary: grants },
  {
    weight: 2,
    arbitrary: fc.nat(9).map(
      (nth): Act =>
        ({ view, consents }) =>
          view.consents.revoke(one(consents, nth)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(9), fc.constantFrom(1, 4, 9)).map(
      ([nth, to]): Act =>
        ({ view, consents, dayIn }) =>
          view.consents.move(one(consents, nth), "renewed", { expiryDate: dayIn(to) }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.subarray(persons), days(undefined, undefined, 0, 2)).map(
      ([who, end]): Act =>
        async ({ view, dayIn }) => {
          const period = end === undefined ? {} : { period: { end: dayIn(end) } };
          const member = household(who).member.map((item) => ({ ...item, ...period }));
          unwrap(await view.groups.replace(group, { ...household([]), member }, any));
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...persons),
        fc.constantFrom(
          { address: [{ country: "PH", state: "Cavite" }] },
          { address: [{ country: "PH", state: "Laguna" }] },
          { active: false },
          { active: true },
        ),
      )
      .map(
        ([value, patch]): Act =>
          async ({ view }) =>
            unwrap(await view.individuals.patch(`urn:gov:id|${value}`, patch, any)),
      ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(0, 0, 1, 1, 2, 6), fc.constantFrom(0, 1000, 3_600_000)).map(
      ([full, rest]): Act =>
        async ({ advance }) =>
          advance(full * 86_400_000 + rest),
    ),
  },
  { weight: 4, arbitrary: fc.constantFrom(1, 2, 500).map(visit) },
);

it("a follower bound by consents is always in step with somebody who begins today", {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(acts, { minLength: 3, maxLength: 16 }),
      fc.constantFrom("hide", "identifiers"),
      async (steps, withoutConsent) => {
        const world = await start(withoutConsent);
        for (const act of [...steps, visit(500)]) await act(world);
      },
    ),
    { numRuns: 60 },
  );
});
