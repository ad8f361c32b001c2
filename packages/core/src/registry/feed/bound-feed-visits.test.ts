import { describe, expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import { individual, open, system, told } from "./test-world.ts";

describe("a caller bound by consents that follows a feed from visit to visit", () => {
  interface Step {
    readonly days?: number;
    readonly grant?: object;
    readonly revoke?: true;
    readonly renew?: object;
    readonly patch?: true;
    /** What is told at the visit that ends the step, and at another one right after. */
    readonly told: readonly string[];
  }
  const cases: readonly (readonly [string, readonly Step[]])[] = [
    [
      "given with a first day in the past",
      [{ days: 1, grant: { effectiveDate: "2025-12-20" }, told: ["1 upsert"] }],
    ],
    [
      "given with a first day between two visits",
      [
        { told: [] },
        { days: 9, grant: { effectiveDate: "2026-01-05" }, told: ["1 upsert"] },
        { days: 9, told: [] },
      ],
    ],
    [
      "given with a first day to come",
      [
        { grant: { effectiveDate: "2026-01-04" }, told: [] },
        { days: 2, told: [] },
        { days: 1, told: ["1 upsert"] },
        { days: 1, told: [] },
        { revoke: true, told: ["1 consent"] },
        { days: 1, patch: true, told: [] },
      ],
    ],
    [
      "given with a first day to come, when the next visit is after it",
      [
        { grant: { effectiveDate: "2026-01-04" }, told: [] },
        { days: 9, told: ["1 upsert"] },
        { days: 1, told: [] },
      ],
    ],
    [
      "withdrawn before its first day and given anew",
      [
        { grant: { effectiveDate: "2026-01-04" }, told: [] },
        { days: 1, revoke: true, told: [] },
        { days: 5, told: [] },
        { grant: {}, told: ["1 upsert"] },
      ],
    ],
    [
      "withdrawn and given anew, with visits in between",
      [
        { grant: {}, told: ["1 upsert"] },
        { days: 1, revoke: true, told: ["1 consent"] },
        { days: 1, grant: { effectiveDate: "2025-12-01" }, told: ["1 upsert"] },
        { days: 1, revoke: true, told: ["1 consent"] },
        { days: 1, patch: true, told: [] },
      ],
    ],
    [
      "withdrawn and given anew between two visits",
      [
        { grant: {}, told: ["1 upsert"] },
        { days: 1, revoke: true, grant: { effectiveDate: "2025-12-01" }, told: ["1 upsert"] },
        { days: 1, revoke: true, told: ["1 consent"] },
      ],
    ],
    [
      "begun, ended by the calendar and renewed between two visits",
      [
        { grant: { effectiveDate: "2026-01-03", expiryDate: "2026-01-05" }, told: [] },
        { days: 10, renew: { expiryDate: "2026-01-20" }, told: ["1 upsert"] },
        { days: 10, told: ["1 consent"] },
        { days: 1, patch: true, told: [] },
      ],
    ],
    [
      "ended by the calendar, the record changed after it",
      [
        { grant: { expiryDate: "2026-01-05" }, told: ["1 upsert"] },
        { days: 8, patch: true, told: ["1 consent"] },
        { days: 1, patch: true, told: [] },
      ],
    ],
  ];

  async function start() {
    const test = await open();
    const { person, grant, view, advance } = test;
    await person("1");
    let id = "";
    const decide = async ({ grant: terms, revoke, renew }: Step) => {
      if (revoke) unwrap(await view.consents.revoke(id));
      if (terms) ({ id } = await grant(individual("1"), terms));
      if (renew) unwrap(await view.consents.move(id, "renewed", renew));
    };
    const take = async (step: Step) => {
      advance({ days: step.days ?? 0, milliseconds: 120_000 });
      await decide(step);
      const change = { telecom: [{ system: "phone", value: `${step.days}` }] };
      if (step.patch) unwrap(await view.individuals.patch(`${system}|1`, change, { ifMatch: "*" }));
      advance({ milliseconds: 120_000 });
    };
    return { ...test, take };
  }

  it.each(cases)("is told of a consent %s: each gain and each loss once", async (_, steps) => {
    const { read, take } = await start();
    let { nextCursor } = await read();
    for (const [nth, step] of steps.entries()) {
      await take(step);
      for (const expected of [step.told, []]) {
        const page = await read(nextCursor);
        expect([nth, told(page)]).toEqual([nth, expected]);
        ({ nextCursor } = page);
      }
    }
  });

  it.each([1, 2, 3, 10])("is told once of many whom the calendar shows, in pages of %i", async (limit) => {
    const { person, grant, read, advance } = await open();
    const all = ["1", "2", "3", "4"];
    for (const value of all) {
      await person(value);
      await grant(individual(value), { effectiveDate: value === "1" ? "2026-01-01" : "2026-01-04" });
    }
    let page = await read();
    expect(told(page)).toEqual(["1 upsert"]);
    advance({ days: 5 });
    await person("5");
    await grant(individual("5"));
    const items: string[] = [];
    do {
      page = await read(page.nextCursor, { limit });
      items.push(...told(page));
    } while (page.hasMore);
    expect(items.sort()).toEqual(["2 upsert", "3 upsert", "4 upsert", "5 upsert"]);
    expect(told(await read(page.nextCursor))).toEqual([]);
  });
});
