import { describe, expect, it } from "vitest";
import { unwrap } from "../problem.ts";
import { createBudget } from "../registry/budget.ts";
import { createRegistry } from "../registry/create-registry.ts";
import { operator } from "../registry/scopes.ts";
import type { Caller } from "../registry/types.ts";
import { createMemoryStore } from "../store/memory.ts";

const aid: Caller = {
  clientId: "aid",
  organization: "Aid",
  scopes: ["program:read", "entitlement:read"],
  legalBasis: "consent",
};
const scope = [{ resourceType: "ProgramMembership", fieldAccess: "all" }];

/** 40 people in 8 households, an entitlement or two of each; half of the people and a few households let the aid organization see. */
async function openVillage() {
  let ids = 0;
  const registry = createRegistry({
    store: createMemoryStore(),
    // Later ids are larger, but for the last digits.
    newId: () =>
      `01930000-0000-7000-8000-${String(++ids).padStart(6, "0")}${String((ids * 7919) % 1_000_000).padStart(6, "0")}`,
    clock: () => new Date("2026-11-21T08:00:00.000Z"),
  });
  const view = registry.as(operator);
  const program = { type: "Program", name: "Cash", targetType: "individual" };
  const { reference } = unwrap(
    await view.programs.create({ ...program, identifier: [{ system: "urn:p", value: "cash" }] }),
  );
  const dates = { start_date: "2026-11-01", end_date: "2026-11-30" };
  const cycle = unwrap(
    await view.cycles.create({ program: reference, name: "First", sequence: 1, ...dates }),
  );
  const people: string[] = [];
  const entitled = new Map<string, string[]>();
  for (let i = 0; i < 40; i++) {
    const { ext_id } = unwrap(await view.registrants.create({ name: `Person ${i}` })).record;
    const own: string[] = [];
    for (let n = 0; n <= i % 2; n++) {
      const body = { cycle: cycle.ext_id, registrant_ext_id: ext_id, ern: `${i}/${n}` };
      const amount = { value: "1.00", currency: "PHP" };
      own.push(unwrap(await view.entitlements.create({ ...body, amount, state: "draft" })).ext_id);
    }
    people.push(`Individual/urn:service:registrant|${ext_id}`);
    entitled.set(people[i] ?? "", own);
  }
  const group = (nth: number) => ({
    type: "Group",
    groupType: "household",
    name: `Household ${nth}`,
    identifier: [{ system: "urn:g", value: String(nth) }],
    member: people.slice(5 * nth, 5 * nth + 5).map((person) => ({ entity: { reference: person } })),
  });
  for (let nth = 0; nth < 8; nth++) unwrap(await view.groups.create(group(nth)));
  const consent = async (subject: string) =>
    unwrap(
      await view.consents.grant({ subject: { reference: subject }, grantee: { organization: "Aid" }, scope }),
    );
  for (const nth of [6, 0, 3]) await consent(`Group/urn:g|${nth}`);
  for (let i = 39; i >= 0; i -= 2) await consent(people[i] ?? "");
  const seen = people.filter((_, i) => i % 2 === 1 || [0, 3, 6].includes(Math.floor(i / 5)));
  return {
    registry,
    view,
    people,
    consent,
    expected: seen.flatMap((person) => entitled.get(person) ?? []),
    entitled,
  };
}

type Village = Awaited<ReturnType<typeof openVillage>>;

async function everyEntitlement(
  { registry }: Village,
  {
    limit,
    records,
    between,
  }: { limit: string; records?: number; between?: (page: number) => Promise<unknown> },
) {
  const found: string[] = [];
  let cursor: string | undefined;
  for (let page = 1; page < 500; page++) {
    const limits = { records: records ?? 1e9, bytes: 1e9, milliseconds: 1e9, elapsed: () => 0 };
    const view = registry.as(aid, { budget: createBudget(limits) });
    const { data, hasMore, nextCursor } = unwrap(
      await view.entitlements.list({ limit, ...(cursor !== undefined && { cursor }) }),
    );
    expect(data.length).toBeLessThanOrEqual(Number(limit));
    found.push(...data.map(({ ext_id }) => ext_id));
    if (!hasMore) return found;
    cursor = nextCursor;
    await between?.(page);
  }
  return expect.unreachable("the list has no end");
}

describe("the entitlements that consents show", () => {
  it.each(["1", "7", "100"])("come once each, in pages of %s", async (limit) => {
    const village = await openVillage();
    const found = await everyEntitlement(village, { limit });
    expect(found.toSorted()).toEqual(village.expected.toSorted());
  });

  it.each([1, 4, 25])("come once each where a request may read %i records", async (records) => {
    const village = await openVillage();
    const found = await everyEntitlement(village, { limit: "5", records });
    expect(found.toSorted()).toEqual(village.expected.toSorted());
  });

  it("are not left out where a consent that was passed begins to show them", async () => {
    const village = await openVillage();
    const { people, view, entitled, expected } = village;
    // The last to come joins a household whose consent came first.
    const late = people[1] ?? "";
    const found = await everyEntitlement(village, {
      limit: "5",
      between: async (page) => {
        if (page !== 2) return;
        const body = { entity: { reference: late } };
        unwrap(await view.groups.addMember("urn:g|6", body));
      },
    });
    expect(found).toEqual(expect.arrayContaining(entitled.get(late) ?? []));
    expect([...new Set(found)].toSorted()).toEqual(expected.toSorted());
  });

  it("of one registrant are looked up by it, without the consents of others", async () => {
    const { registry, people, entitled } = await openVillage();
    const [person = "", stranger = ""] = [people[39], people[36]];
    const listed = async (reference: string) =>
      unwrap(await registry.as(aid).entitlements.list({ registrant_ext_id: reference.split("|")[1] ?? "" }))
        .data;
    expect((await listed(person)).map(({ ext_id }) => ext_id)).toEqual(entitled.get(person));
    expect(await listed(stranger)).toEqual([]);
  });
});
