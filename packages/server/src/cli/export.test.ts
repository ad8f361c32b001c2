import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, type Json, type JsonObject, operator } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exportLines, type Source } from "./export.ts";
import { importFile } from "./import.ts";
import { openRegistry } from "./registry.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-export-"));
});
afterAll(() => rm(folder, { recursive: true }));

const newSource = (): Source => {
  const store = createMemoryStore();
  return { store, registry: openRegistry(store) };
};

async function load(source: Source, lines: readonly unknown[]) {
  const path = join(folder, "lines.ndjson");
  await writeFile(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  const faults: [number, string][] = [];
  const listener = { onFault: (...fault: [number, string]) => faults.push(fault), onProgress: () => {} };
  return { ...(await importFile(source, path, listener)), faults };
}

async function linesOf(source: Source): Promise<JsonObject[]> {
  const lines: JsonObject[] = [];
  for await (const line of exportLines(source)) lines.push(line);
  return lines;
}

const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const person = (value: string, more: object = {}) => ({
  type: "Individual",
  identifier: [{ system: "urn:p#x", value }],
  name: { family: "Reyes", given: "Ana" },
  ...more,
});
const program = {
  type: "Program",
  identifier: [{ system: "urn:r", value: "1" }],
  name: "Cash",
  targetType: "individual",
  period: { start: "2020-01-01", end: "2021-01-01" },
  fund: { value: "5000.00", currency: "PHP" },
};
const membership = {
  type: "ProgramMembership",
  identifier: [{ system: "urn:m", value: "1" }],
  program: { reference: "Program/urn:r|1" },
  beneficiary: { reference: "Individual/urn:p%23x|2" },
  status: "exited",
  enrollmentDate: "2020-02-01",
  exitDate: "2020-12-01",
  exitReason: "moved",
};
const group = {
  type: "Group",
  identifier: [{ system: "urn:g", value: "1" }],
  groupType: "household",
  name: "Reyes",
  member: [
    { entity: { reference: "Individual/urn:p%23x|1" } },
    { entity: { reference: "Individual/urn:p%23x|2" }, inactive: true },
  ],
};
const consent = {
  type: "Consent",
  id: "0190a000-0000-7000-8000-000000000001",
  status: "withdrawn",
  subject: { reference: "Individual/urn:p%23x|1" },
  grantee: { organizationType: "ngo" },
  scope: [{ resourceType: "all", fieldAccess: "all", extensions: ["farmer"] }],
  purpose: "research",
  effectiveDate: "2026-01-01",
  evidence: "form 7",
  revocation: { date: "2026-02-01", by: "Ana" },
};
const cycle = {
  type: "Cycle",
  ext_id: "0190a000-0000-7000-8000-000000000002",
  program: "Program/urn:r|1",
  name: "March",
  sequence: 1,
  start_date: "2026-03-01",
  end_date: "2026-03-31",
  state: "distributed",
};
const entitlement = {
  type: "Entitlement",
  ext_id: "0190a000-0000-7000-8000-000000000003",
  ern: "ERN-1",
  cycle: cycle.ext_id,
  beneficiary: "Individual/urn:p%23x|1",
  amount: { value: "500.00", currency: "PHP" },
  valid_from: "2026-03-01",
  valid_until: null,
  state: "redeemed",
  approved_at: "2026-03-02T08:00:00.000Z",
};
const request = {
  type: "ChangeRequest",
  ext_id: "0190a000-0000-7000-8000-000000000004",
  request: "add_farmer",
  status: "rejected",
  submitted_at: "2026-03-02T08:00:00.000Z",
  submitted_by: "office",
  registrant_ext_id: "0190a000-0000-7000-8000-000000000005",
  reviewed_at: "2026-03-03T08:00:00.000Z",
  reviewed_by: "desk",
  reason: "a duplicate",
  data: { name: "Ana", farmer: { farmSize: 2 } },
};
const farmer = { farmer: { farmSize: 2.5, livestockCount: 3 } };
const everything = [
  program,
  person("1", { photo: pixel, extension: farmer, birthDate: "1990-01-01" }),
  person("2", { active: false }),
  group,
  membership,
  consent,
  cycle,
  entitlement,
  request,
];

it("writes every kind of line as it was read, archived, ended and revoked ones too", async () => {
  const source = newSource();
  expect((await load(source, everything)).faults).toEqual([]);
  const lines = await linesOf(source);
  expect(lines.map(({ type }) => type)).toEqual(everything.map(({ type }) => type));
  for (const [i, line] of lines.entries()) expect(line).toMatchObject(everything[i] ?? {});
});

it("writes what an import reads, and what comes of that is the same", async () => {
  const [first, second] = [newSource(), newSource()];
  await load(first, everything);
  const lines = await linesOf(first);
  expect(await load(second, lines)).toEqual({ imported: lines.length, refused: 0, faults: [] });
  expect(await linesOf(second)).toEqual(lines);
});

it("carries the ext_id of every record, which an import keeps", async () => {
  const [first, second] = [newSource(), newSource()];
  await load(first, everything);
  expect((await load(second, await linesOf(first))).faults).toEqual([]);
  for (const type of ["Program", "Individual", "Group", "ProgramMembership"] as const) {
    const keys = async ({ store }: Source) =>
      (await store.query({ collection: type, limit: 10 })).documents.map(({ key }) => key);
    expect((await keys(first)).length, type).toBeGreaterThan(0);
    expect(await keys(second), type).toEqual(await keys(first));
  }
});

it("goes on past a page, in the order in which records came", async () => {
  const source = newSource();
  const many = Array.from({ length: 620 }, (_, i) => person(String(i)));
  await load(source, many);
  const written = (await linesOf(source)).map(({ identifier }) => identifier);
  expect(written).toEqual(many.map(({ identifier }) => identifier));
});

it("writes a record as it is now, and references by the identifier that their target has now", async () => {
  const source = newSource();
  await load(source, everything);
  const view = source.registry.as(operator);
  const renamed = await view.individuals.patch(
    { system: "urn:p#x", value: "1" },
    { identifier: [{ system: "urn:p", value: "new" }] },
    { ifMatch: "*" },
  );
  expect(renamed.ok).toBe(true);
  const text = JSON.stringify(await linesOf(source));
  expect(text).toContain("Individual/urn:p|new");
  expect(text).not.toContain("urn:p%23x|1");
});

it("is the same to the byte after an import, however its records came to be", async () => {
  const [first, second] = [newSource(), newSource()];
  const turned = everything.map((line) => reversed(line as never));
  expect((await load(first, turned)).faults).toEqual([]);
  const view = first.registry.as(operator);
  const address = { system: "urn:p#x", value: "2" };
  const patch = {
    extension: { disability: { assistanceNeeded: true }, farmer: { livestockCount: 1, farmSize: 2 } },
  };
  for (const change of [{ birthDate: "1991-01-01" }, { name: { middle: "Cruz" } }, patch]) {
    expect((await view.individuals.patch(address, change, { ifMatch: "*" })).ok).toBe(true);
  }
  const lines = await linesOf(first);
  expect((await load(second, lines.map(reversed))).faults).toEqual([]);
  const text = (all: readonly JsonObject[]) => all.map((line) => JSON.stringify(line)).join("\n");
  expect(text(await linesOf(second))).toBe(text(lines));
});

it("writes members in the order of the schemas, and no meta", async () => {
  const source = newSource();
  await load(source, everything);
  const lines = await linesOf(source);
  const [, individual] = lines;
  expect(Object.keys(individual ?? {}).slice(0, 4)).toEqual(["type", "ext_id", "identifier", "active"]);
  const written = lines.find(({ type }) => type === "Consent");
  expect(Object.keys(written ?? {})).toEqual(Object.keys(consent));
  expect(lines.filter((line) => "meta" in line)).toEqual([]);
});

function reversed(value: Json): never {
  if (Array.isArray(value)) return value.map(reversed) as never;
  if (value === null || typeof value !== "object") return value as never;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner as Json)]),
  ) as never;
}
