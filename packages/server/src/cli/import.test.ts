import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, createRegistry, operator, type Registry } from "@fieldroll/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importFile } from "./import.ts";

const ana = { type: "Individual", identifier: [{ system: "urn:p", value: "1" }], name: { given: "Ana" } };
const home = {
  type: "Group",
  identifier: [{ system: "urn:g", value: "1" }],
  groupType: "household",
  name: "Reyes",
  member: [{ entity: { reference: "Individual/urn:p|1" } }],
};
const cash = {
  type: "Program",
  identifier: [{ system: "urn:r", value: "1" }],
  name: "Cash",
  targetType: "group",
};
const enrollment = {
  type: "ProgramMembership",
  program: { reference: "Program/urn:r|1" },
  beneficiary: { reference: "Group/urn:g|1" },
  status: "paused",
  enrollmentDate: "2025-01-01",
};

let folder: string;
let registry: Registry;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-import-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  registry = createRegistry({
    store: createMemoryStore(),
    clock: () => new Date("2026-03-01T08:00:00Z"),
    newId: () => crypto.randomUUID(),
  });
});

async function importLines(lines: readonly unknown[]) {
  const path = join(folder, "records.ndjson");
  await writeFile(
    path,
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
  );
  const faults: [number, string][] = [];
  const report = await importFile(registry, path, {
    onFault: (line, fault) => faults.push([line, fault]),
    onProgress: () => {},
  });
  return { ...report, faults };
}

async function versions(): Promise<readonly (string | undefined)[]> {
  const view = registry.as(operator);
  const pages = await Promise.all(
    [view.programs, view.individuals, view.groups, view.memberships].map((verbs) =>
      verbs.search({ limit: "500" }),
    ),
  );
  return pages.flatMap((page) =>
    page.ok ? page.value.data.map(({ meta }) => meta?.versionId) : ["refused"],
  );
}

describe("importFile", () => {
  it("takes lines in any order, and memberships in any state", async () => {
    const report = await importLines([enrollment, home, "", ana, cash]);
    expect(report).toEqual({ imported: 4, refused: 0, faults: [] });
    expect(await versions()).toEqual(["1", "1", "1", "1"]);
  });

  it("changes nothing the second time", async () => {
    await importLines([enrollment, home, ana, cash]);
    expect(await importLines([enrollment, home, ana, cash])).toEqual({ imported: 4, refused: 0, faults: [] });
    expect(await versions()).toEqual(["1", "1", "1", "1"]);
  });

  it("brings records that are there up to the file", async () => {
    await importLines([ana]);
    await importLines([{ ...ana, birthDate: "1990-01-01" }]);
    expect(await versions()).toEqual(["2"]);
  });

  it("tells bad lines by their number and takes the rest", async () => {
    const lonely = {
      ...home,
      identifier: [{ system: "urn:g", value: "2" }],
      member: [{ entity: { reference: "Individual/urn:p|9" } }],
    };
    const { imported, faults } = await importLines([
      "{",
      ana,
      { ...ana, identifier: [{ system: "urn:p", value: "2" }], birthDate: "soon" },
      lonely,
      home,
      { type: "Consent" },
      { type: "Shoe" },
      '{"type":"Individual","type":"Group"}',
    ]);
    expect(imported).toBe(2);
    expect(faults.map(([line]) => line).sort()).toEqual([1, 3, 4, 6, 7, 8]);
    expect(Object.fromEntries(faults)).toMatchObject({
      1: "is not JSON",
      3: expect.stringContaining("/birthDate"),
      4: expect.stringContaining("/member/0/entity"),
      6: expect.stringContaining("this version"),
    });
  });
});
