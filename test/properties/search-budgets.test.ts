import {
  type Budget,
  type Caller,
  createBudget,
  createMemoryStore,
  operator,
  type Page,
  type RegistryView,
  type Store,
  unwrap,
} from "@fieldroll/core";
import { createTestRegistry, type TestRegistry } from "@fieldroll/core/testing";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// A JPEG's beginning, one scan of so much data, and its end.
const photo = `data:image/jpeg;base64,${btoa(`\xff\xd8\xff\xda\0\x08\x01\x01\0\0\x3f\0${"x".repeat(15_000)}\xff\xd9`)}`;
const families = ["Reyes", "Cruz", "Santos", "Peña"];
const relationship = "urn:service:vocab:relationship";

function person(i: number) {
  return {
    type: "Individual",
    identifier: [{ system: "urn:id", value: `p${i}` }],
    name: { family: families[i % 4], given: `Given ${i % 5}` },
    ...(i % 5 > 0 && { birthDate: `199${i % 3}-01-01` }),
    ...(i % 3 > 0 && {
      gender: { coding: [{ system: "urn:iso:std:iso:5218", code: String(1 + (i % 2)) }] },
    }),
    ...(i % 4 === 0 && { photo }),
    telecom: [{ system: "phone", value: `+63${i % 6}` }],
    address: [{ city: ["Imus", "Kawit"][i % 2], country: "PH" }],
    active: i < 10 || i % 7 > 0,
  };
}

const member = (i: number, code: string) => ({
  entity: { reference: `Individual/urn:id|p${i}` },
  role: { coding: [{ system: relationship, code }] },
});

/** Households overlap, so that several consents show some of their members, and some members show themselves. */
async function fill({ view, advance }: TestRegistry): Promise<void> {
  for (let i = 0; i < 40; i++) unwrap(await view.individuals.create(person(i)));
  for (let i = 0; i < 8; i++) {
    const members = [member(i, "head"), member(i + 6, "child"), member(i + 12, "child")];
    const body = {
      type: "Group",
      identifier: [{ system: "urn:group", value: `h${i}` }],
      groupType: "household",
      name: `Household ${i}`,
      member: members,
    };
    unwrap(await view.groups.create(body));
  }
  const program = { type: "Program", identifier: [{ system: "urn:program", value: "cash" }], name: "Cash" };
  unwrap(await view.programs.create({ ...program, targetType: "individual" }));
  for (let i = 0; i < 10; i++) {
    const body = {
      type: "ProgramMembership",
      identifier: [{ system: "urn:m", value: `m${i}` }],
      program: { reference: "Program/urn:program|cash" },
      beneficiary: { reference: `Individual/urn:id|p${i}` },
      status: "enrolled",
      enrollmentDate: "2025-06-01",
    };
    unwrap(await view.memberships.create(body));
  }
  const subjects = [
    ...[0, 2, 3, 6, 20, 21, 22].map((i) => `Individual/urn:id|p${i}`),
    ...[0, 3, 6].map((i) => `Group/urn:group|h${i}`),
  ];
  for (const [i, reference] of subjects.entries()) {
    const grantee = i % 3 === 0 ? { organizationType: "ngo" } : { organization: "Relief" };
    const fields =
      i % 2 === 0 ? { fieldAccess: "all" } : { fieldAccess: "custom", fields: ["name", "birthDate"] };
    const terms = { subject: { reference }, grantee, scope: [{ resourceType: "all", ...fields }] };
    unwrap(await view.consents.grant(terms));
    advance({ milliseconds: 1 });
  }
  advance({ days: 1 });
}

const bound = { legalBasis: "consent" };
const callers: Readonly<Record<string, Partial<Caller>>> = {
  "who sees all": {},
  "with whole fields": { fields: ["name", "active", "groupMembership", "meta"] },
  "with parts of fields": { fields: ["name.family", "address.city", "groupMembership.group"] },
  "of one organization": { ...bound, organization: "Relief" },
  "of an organization and a type": { ...bound, organization: "Relief", organizationType: "ngo" },
  "with consents and fields": { ...bound, organizationType: "ngo", fields: ["name", "birthDate"] },
  "without consents": { ...bound, organization: "Nobody's" },
};

const optional = (...values: string[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant("") }, { weight: 1, arbitrary: fc.constantFrom(...values) });

const sorts = ["name", "-name", "birthdate", "-birthdate", "identifier", "_lastUpdated", "-_lastUpdated"];

const query = fc
  .tuple(
    optional("identifier=urn:id|p3,urn:id|p4", "identifier=p5"),
    optional("name=re", "name=g", "name=given 1", "name:exact=given 2 cruz"),
    optional(
      "birthdate=ne1990-01-01",
      "birthdate=ge1990-01-01",
      "birthdate=ge1991-01-01&birthdate=lt1992-01-01",
    ),
    optional("gender=1", "gender=9"),
    optional("address=imus", "address=nowhere"),
    optional("telecom=+631", "_lastUpdated=ge2020-01-01"),
    optional(
      "group=none",
      "group=urn:group|h1,urn:group|h2",
      "group=none,urn:group|h3&role=child",
      "role=head",
    ),
    optional("active=any", "active=false"),
    optional(...sorts.map((sort) => `_sort=${sort}`)),
    optional("_elements=photo", "_elements=name,photo"),
    optional("_total=accurate"),
  )
  .map((parts) => parts.filter((part) => part !== "").join("&"));

const others = fc.constantFrom(
  ["groups", ""],
  ["groups", "member=Individual/urn:id|p6"],
  ["groups", "name=household&_sort=-name"],
  ["memberships", "status=enrolled"],
  ["memberships", "program=Program/urn:program|cash&_sort=enrollmentDate"],
  ["programs", "status=active"],
) satisfies fc.Arbitrary<readonly string[]>;

const asked = fc.oneof(
  { weight: 3, arbitrary: query.map((text) => ["individuals", text]) },
  { weight: 1, arbitrary: others },
);

type Verb = "individuals" | "groups" | "memberships" | "programs";
type Found = Page<{ readonly identifier: readonly { readonly value: string }[] }>;

function parametersOf(text: string) {
  const parameters = new Map<string, string[]>();
  for (const part of text === "" ? [] : text.split("&")) {
    const [name = "", ...value] = part.split("=");
    parameters.set(name, [...(parameters.get(name) ?? []), value.join("=")]);
  }
  return Object.fromEntries(parameters);
}

/** All records of a search, page by page, each page with a budget of its own; `undefined` where the search is refused for its size. */
async function walk(viewOf: () => RegistryView, [verb, text]: readonly string[], limit: number) {
  const records: unknown[] = [];
  const pages: { readonly bytes: number; readonly count: number }[] = [];
  let cursor: string | undefined;
  let total: number | undefined;
  do {
    const parameters = { ...parametersOf(text ?? ""), limit: String(limit), cursor };
    const outcome = await viewOf()[verb as Verb].search(parameters);
    if (!outcome.ok) {
      expect(outcome.problem.errors?.map(({ code }) => code)).toContain("too_many_records");
      return undefined;
    }
    const page = outcome.value as unknown as Found;
    expect(page.hasMore).toBe(page.nextCursor !== undefined);
    records.push(...page.data);
    pages.push({ bytes: JSON.stringify(page.data).length, count: page.data.length });
    cursor = page.nextCursor;
    total = page.total;
    expect(pages.length).toBeLessThan(2000);
  } while (cursor !== undefined);
  return { records, pages, total };
}

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  memory: async () => createMemoryStore(),
  SQLite: () => openSqliteStore({ path: ":memory:" }),
};

describe.each(Object.entries(stores))("searches on a budget, on %s", (_name, open) => {
  let world: TestRegistry;
  beforeAll(async () => {
    world = createTestRegistry({ store: await open() });
    await fill(world);
  });
  afterAll(() => world.store.close());

  const viewOf = (caller: Partial<Caller>, budget?: Budget) =>
    world.registry.as({ ...operator, clientId: "test", ...caller }, budget && { budget });

  it("come to the same records as without, each once, on pages that keep to it", async () => {
    let refused = 0;
    let short = 0;
    const property = fc.asyncProperty(
      asked,
      fc.constantFrom(...Object.keys(callers)),
      fc.record({ records: fc.integer({ min: 1, max: 60 }), bytes: fc.integer({ min: 100, max: 60_000 }) }),
      fc.integer({ min: 1, max: 12 }),
      async (search, who, limits, limit) => {
        const caller = callers[who] ?? {};
        const whole = await walk(() => viewOf(caller), search, 500);
        const elapsed = () => 0;
        const budgeted = () => viewOf(caller, createBudget({ ...limits, elapsed, milliseconds: 1 }));
        const paged = await walk(budgeted, search, limit);
        if (!paged) {
          refused += 1;
          return;
        }
        expect(paged.records).toEqual(whole?.records);
        expect(paged.total).toEqual(whole?.total);
        for (const { bytes, count } of paged.pages) {
          expect(count).toBeLessThanOrEqual(limit);
          if (count > 1) expect(bytes).toBeLessThanOrEqual(limits.bytes + 2 + count);
        }
        short += paged.pages.slice(0, -1).filter(({ count }) => count < limit).length;
      },
    );
    await fc.assert(property, { numRuns: 120 });
    expect(refused).toBeGreaterThan(0);
    expect(short).toBeGreaterThan(20);
  }, 60_000);

  it("read nothing once others have spent the budget, and begin there on the next one", async () => {
    const spent = createBudget({ records: 10, bytes: 10, milliseconds: 1, elapsed: () => 0 });
    spent.spendRecords(10);
    for (const sort of [undefined, "name", "-birthdate"]) {
      for (const caller of [callers["who sees all"], callers["with whole fields"]]) {
        const search = { _sort: sort, limit: "50" };
        const empty = unwrap(await viewOf(caller ?? {}, spent).individuals.search(search));
        expect(empty).toMatchObject({ data: [], hasMore: true });
        const { nextCursor: cursor } = empty;
        const rest = unwrap(await viewOf(caller ?? {}).individuals.search({ ...search, cursor }));
        expect(rest.data).toEqual(unwrap(await viewOf(caller ?? {}).individuals.search(search)).data);
      }
    }
  });

  it("stop soon after the caller is gone", async () => {
    const signal = { aborted: false };
    let looked = 0;
    const budget = createBudget({ records: 1000, bytes: 1e9, milliseconds: 1, elapsed: () => 0, signal });
    const watched: Budget = {
      ...budget,
      spendRecords(count) {
        looked += count;
        signal.aborted = true;
        budget.spendRecords(count);
      },
    };
    const search = { name: "nobody", address: "imus", limit: "2", active: "any", birthdate: "ne1990-01-01" };
    const page = unwrap(
      await viewOf({ fields: ["name.family", "address.city", "birthDate"] }, watched).individuals.search(
        search,
      ),
    );
    expect(page).toMatchObject({ data: [], hasMore: true });
    expect(looked).toBeLessThan(10);
  });

  it.each(["_total", "_sort"])(
    "are refused for %s where they would look at more than the budget has",
    async (name) => {
      const budget = createBudget({ records: 5, bytes: 1e9, milliseconds: 1, elapsed: () => 0 });
      const caller = callers["of an organization and a type"] ?? {};
      const value = name === "_sort" ? "name" : "accurate";
      const refusal = await viewOf(caller, budget).individuals.search({ [name]: value });
      expect(refusal).toMatchObject({
        ok: false,
        problem: { kind: "bad-request", errors: [{ field: name, code: "too_many_records" }] },
      });
    },
  );

  it("look at nothing where a condition is on a field that the caller never sees", async () => {
    const budget = createBudget({ records: 1, bytes: 1e9, milliseconds: 1, elapsed: () => 0 });
    const fields = ["address"];
    for (const legalBasis of ["consent", "public_task"]) {
      const view = viewOf({ legalBasis, organization: "Relief", fields }, budget);
      for (const search of [
        { name: "re" },
        { gender: "1" },
        { group: "none" },
        { role: "head" },
        { active: "false" },
      ]) {
        const page = unwrap(await view.individuals.search({ ...search, _total: "accurate" }));
        expect(page).toMatchObject({ data: [], hasMore: false, total: 0 });
      }
    }
    expect(budget.recordsLeft()).toBe(1);
  });
});
