import { describe, expect, it } from "vitest";
import { createTestRegistry } from "../../testing/test-registry.ts";

describe("a feed", () => {
  it.each([
    "all",
    "programs",
    "area:PH",
    "area:PH/Cavite",
    "area:KE/Unknown",
    "area:PH/La Union/A%2FB 100%25",
  ])("may be called %s, and is empty when nothing is in it", async (feed) => {
    const { view } = createTestRegistry();
    expect(await view.changes({ feed })).toMatchObject({ ok: true, value: { data: [] } });
  });

  it.each([
    "aera:KE",
    "ALL",
    "all ",
    "area",
    "area:",
    "area:ke",
    "area:Kenya",
    "area:KE/",
    "area:KE//Nairobi",
    "area:KE/Nairobi/Westlands/Parklands",
    "area:KE/Nairobi%20City",
    "Individual",
  ])("can't be called %s: told with the names there are", async (feed) => {
    const { view } = createTestRegistry();
    const answer = await view.changes({ feed });
    expect(answer).toMatchObject({
      ok: false,
      problem: { kind: "bad-request", errors: [{ field: "feed" }] },
    });
    expect(answer.ok ? "" : answer.problem.detail).toContain("all, programs or area:<country>");
  });

  it("is not of programs where there are none", async () => {
    const { view } = createTestRegistry({ capabilities: { programs: false } });
    const answer = await view.changes({ feed: "programs" });
    expect(answer.ok ? "" : answer.problem.detail).toMatch(/must be all or area:/);
  });

  it("may be called anything where a deployment names its own", async () => {
    const { view } = createTestRegistry({ policies: { feeds: () => ["district-7"] } });
    expect((await view.changes({ feed: "district-8" })).ok).toBe(true);
  });

  it("is refused for want of a scope before its name is looked at", async () => {
    const { as } = createTestRegistry();
    const answer = await as({ scopes: [] }).changes({ feed: "aera:KE" });
    expect(answer).toMatchObject({ ok: false, problem: { kind: "authorization" } });
  });
});
