import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operator, unwrap } from "@fieldroll/core";
import { createTestRegistry, type TestRegistry } from "@fieldroll/core/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exportLines } from "./export.ts";
import { importFile } from "./import.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-consents-"));
});
afterAll(() => rm(folder, { recursive: true }));

const relief = { ...operator, clientId: "relief", organization: "Relief", legalBasis: "consent" };
const address = (value: string) => `urn:p|${value}`;
const persons = [
  "wide",
  "narrowed",
  "widened",
  "withdrawn",
  "expired",
  "coming",
  "renewed",
  "member",
  "former",
];
const household = (members: readonly string[]) => ({
  type: "Group",
  identifier: [{ system: "urn:g", value: "home" }],
  groupType: "household",
  name: "Home",
  member: members.map((value) => ({ entity: { reference: `Individual/${address(value)}` } })),
});

/** A register in which consents were given, narrowed, widened and withdrawn over a month. */
async function lived(): Promise<TestRegistry> {
  const test = createTestRegistry();
  const { view, advance } = test;
  for (const value of persons) {
    const identifier = [{ system: "urn:p", value }];
    const more = { birthDate: "1990-01-01", address: [{ country: "PH" }] };
    unwrap(
      await view.individuals.create({ type: "Individual", identifier, name: { family: value }, ...more }),
    );
  }
  unwrap(await view.groups.create(household(["member", "former"])));
  const grant = async (reference: string, fieldAccess: string, more: object = {}) => {
    const scope = [{ resourceType: "all", fieldAccess }];
    const grantee = { organization: "Relief" };
    return unwrap(await view.consents.grant({ subject: { reference }, grantee, scope, ...more })).id;
  };
  const of = (value: string) => `Individual/${address(value)}`;
  await grant(of("wide"), "all");
  const whole = await grant(of("narrowed"), "all");
  await grant(of("widened"), "basic");
  const gone = await grant(of("withdrawn"), "all");
  await grant(of("expired"), "all", { expiryDate: "2026-01-05" });
  const renewed = await grant(of("renewed"), "all", { expiryDate: "2026-01-05" });
  await grant(of("coming"), "all", { effectiveDate: "2026-02-15" });
  await grant("Group/urn:g|home", "all", { expiryDate: "2026-02-20" });
  advance({ days: 10 });
  await grant(of("narrowed"), "basic");
  unwrap(await view.consents.revoke(whole));
  await grant(of("widened"), "all");
  unwrap(await view.consents.revoke(gone, { reason: "moved" }));
  unwrap(await view.consents.move(renewed, "renewed", { expiryDate: "2026-02-10" }));
  unwrap(await view.groups.replace("urn:g|home", household(["member"]), { ifMatch: "*" }));
  advance({ days: 20 });
  return test;
}

async function moved({ registry, store }: TestRegistry): Promise<TestRegistry> {
  const copy = createTestRegistry({ startAt: "2026-01-31T08:00:00.000Z" });
  const path = join(folder, "lines.ndjson");
  const lines: string[] = [];
  for await (const line of exportLines({ registry, store })) lines.push(JSON.stringify(line));
  await writeFile(path, lines.join("\n"));
  const faults: unknown[] = [];
  await importFile(copy, path, { onFault: (...fault) => faults.push(fault), onProgress: () => {} });
  expect(faults).toEqual([]);
  return copy;
}

/** What one whom consents bind sees of each person, without what an import makes anew. */
async function seen({ registry }: TestRegistry): Promise<unknown> {
  const view = registry.as(relief);
  return Promise.all(
    persons.map(async (value) => {
      const read = await view.individuals.read(address(value));
      if (!read.ok) return [value, read.problem.kind];
      const { meta: _, ...record } = read.value;
      return [value, record];
    }),
  );
}

it("shows after an import what consents showed before it, and goes on as they would have", async () => {
  const first = await lived();
  const second = await moved(first);
  const both = [first, second];
  const cursors = new Map<TestRegistry, string>();
  const visit = async (test: TestRegistry) => {
    const cursor = cursors.get(test);
    const request = { feed: "all", ...(cursor !== undefined && { cursor }) };
    const { data, nextCursor } = unwrap(await test.registry.as(relief).changes(request));
    cursors.set(test, nextCursor);
    return data.map(({ reference, change, reason }) => `${reference} ${reason ?? change}`).toSorted();
  };
  const told: (readonly string[])[] = [];
  for (const days of [0, 10, 1, 4, 5, 1, 10]) {
    for (const test of both) test.advance({ days });
    expect(await seen(second), `after ${days} days`).toEqual(await seen(first));
    const [before, after] = [await visit(first), await visit(second)];
    expect(after, `after ${days} days`).toEqual(before);
    told.push(after.map((item) => item.replace(/^.*\|/, "")));
  }
  expect(told).toEqual([
    [
      "home upsert",
      "member upsert",
      "narrowed upsert",
      "renewed upsert",
      "wide upsert",
      "widened upsert",
    ].toSorted(),
    [],
    ["renewed consent"],
    ["coming upsert"],
    [],
    ["home consent", "member consent"],
    [],
  ]);
});
