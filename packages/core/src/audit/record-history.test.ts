import { describe, expect, it } from "vitest";
import { unwrap } from "../problem.ts";
import { createBudget } from "../registry/budget.ts";
import { createTestRegistry } from "../testing/test-registry.ts";
import type { HistoryEntry } from "./types.ts";

const address = "urn:gov:id|1";
const large = "x".repeat(250);

async function changed(versions: number) {
  const test = createTestRegistry();
  const identifier = [{ system: "urn:gov:id", value: "1" }];
  unwrap(await test.view.individuals.create({ type: "Individual", identifier, name: { given: "1" } }));
  for (let version = 2; version <= versions; version++) {
    const name = { given: String(version), ...(version % 10 === 0 && { family: large }) };
    unwrap(await test.view.individuals.patch(address, { name }, { ifMatch: "*" }));
  }
  return test;
}

type Test = Awaited<ReturnType<typeof changed>>;

/** Follows cursors to the end; a new budget for each page. */
async function walk({ as }: Test, limit: string, spent: Partial<Parameters<typeof createBudget>[0]> = {}) {
  const pages: (readonly HistoryEntry[])[] = [];
  for (let cursor: string | undefined; ; ) {
    const limits = { records: 10_000, bytes: 1e7, milliseconds: 1e6 };
    const budget = createBudget({ ...limits, elapsed: () => 0, ...spent });
    const request = { limit, ...(cursor !== undefined && { cursor }) };
    const page = unwrap(await as({}, { budget }).individuals.history(address, request));
    pages.push(page.data);
    expect(page.hasMore).toBe(page.nextCursor !== undefined);
    if (!page.hasMore) return { pages, complete: page.complete ?? true };
    cursor = page.nextCursor;
  }
}

const numbers = (pages: readonly (readonly HistoryEntry[])[]) =>
  pages.flat().map(({ versionId }) => Number(versionId));
const downFrom = (newest: number, count: number) => Array.from({ length: count }, (_, nth) => newest - nth);

describe("pages of a record's history", () => {
  it("tell each version of thousands once, newest first, with what changed", async () => {
    const test = await changed(1_203);
    const { pages, complete } = await walk(test, "500");
    expect(pages.map(({ length }) => length)).toEqual([500, 500, 203]);
    expect([numbers(pages), complete]).toEqual([downFrom(1_203, 1_203), true]);
    const given = pages.flat().map(({ changes }) => changes.find(({ field }) => field === "/name/given"));
    expect(given[500]).toEqual({ field: "/name/given", before: "702", after: "703" });
    expect(given.slice(0, 1_202).every((change) => change?.after !== undefined)).toBe(true);
  });

  it("have 20 versions where the caller says no limit, and do not repeat one that is made meanwhile", async () => {
    const { view } = await changed(30);
    const first = unwrap(await view.individuals.history(address));
    expect(numbers([first.data])).toEqual(downFrom(30, 20));
    unwrap(await view.individuals.patch(address, { name: { given: "31" } }, { ifMatch: "*" }));
    const cursor = first.nextCursor ?? "";
    const second = unwrap(await view.individuals.history(address, { cursor }));
    expect(numbers([second.data])).toEqual(downFrom(10, 10));
    expect(second.hasMore).toBe(false);
  });

  it("end by bytes", async () => {
    const { pages, complete } = await walk(await changed(45), "500", { bytes: 1_000 });
    expect(pages.length).toBeGreaterThan(4);
    expect([numbers(pages), complete]).toEqual([downFrom(45, 45), true]);
  });

  it("end where one request may read no further, and say that there is more", async () => {
    const { pages, complete } = await walk(await changed(45), "8", { records: 30 });
    expect([numbers(pages), complete]).toEqual([downFrom(45, 30), false]);
  });

  it.each([
    ["a limit above 500", { limit: "501" }, "limit"],
    ["a limit that is no number", { limit: "many" }, "limit"],
    ["a cursor of something else", { cursor: "eyJ" }, "cursor"],
  ])("are refused with %s", async (_what, request, field) => {
    const { view } = await changed(1);
    const outcome = await view.individuals.history(address, request);
    expect(outcome).toMatchObject({ ok: false, problem: { kind: "bad-request", errors: [{ field }] } });
  });

  it("go on for the same record and caller alone", async () => {
    const { view, as } = await changed(30);
    const cursor = unwrap(await view.individuals.history(address)).nextCursor ?? "";
    const other = await as({ legalBasis: "consent" }).individuals.history(address, { cursor });
    expect(other.ok).toBe(false);
    const identifier = [{ system: "urn:gov:id", value: "2" }];
    unwrap(await view.individuals.create({ type: "Individual", identifier, name: { given: "2" } }));
    const outcome = await view.individuals.history("urn:gov:id|2", { cursor });
    expect(outcome).toMatchObject({ ok: false, problem: { errors: [{ field: "cursor" }] } });
  });
});
