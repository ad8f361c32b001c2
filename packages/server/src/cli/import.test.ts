import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createMemoryStore,
  createRegistry,
  failure,
  operator,
  type Registry,
  type RegistryView,
  type Store,
  StoreError,
} from "@fieldroll/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importFile } from "./import.ts";
import { CommandRefusal } from "./refusal.ts";

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
let store: Store;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-import-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  store = createMemoryStore();
  registry = createRegistry({
    store,
    clock: () => new Date("2026-03-01T08:00:00Z"),
    newId: () => crypto.randomUUID(),
  });
});

function importLines(lines: readonly unknown[]) {
  return importText(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
}

async function importText(text: string | Uint8Array) {
  const path = join(folder, "records.ndjson");
  await writeFile(path, text);
  const faults: [number, string][] = [];
  const report = await importFile({ registry, store }, path, {
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

  it("gives an enrollment no date that its line does not name, whenever it is loaded", async () => {
    const { enrollmentDate: _, ...undated } = { ...enrollment, status: "enrolled" };
    for (const time of ["first", "second"]) {
      expect((await importLines([undated, home, ana, cash])).refused, time).toBe(0);
      const found = await registry.as(operator).memberships.search();
      const [record] = found.ok ? found.value.data : [];
      expect([record?.status, record?.enrollmentDate, record?.meta.versionId]).toEqual([
        "enrolled",
        undefined,
        "1",
      ]);
    }
  });

  it("brings records that are there up to the file", async () => {
    await importLines([ana]);
    await importLines([{ ...ana, birthDate: "1990-01-01" }]);
    expect(await versions()).toEqual(["2"]);
  });

  it("speaks of no device where somebody is missing", async () => {
    const { faults } = await importLines([home]);
    const told = "/member/0/entity/reference: Individual/urn:p|1 is not known here; create it first";
    expect(faults).toEqual([[1, told]]);
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
      { type: "Consent", id: "x" },
      { type: "Shoe" },
      '{"type":"Individual","type":"Group"}',
    ]);
    expect(imported).toBe(2);
    expect(faults.map(([line]) => line).sort()).toEqual([1, 3, 4, 6, 7, 8]);
    expect(Object.fromEntries(faults)).toMatchObject({
      1: expect.stringMatching(/^is not JSON; line 1, column \d+: /),
      3: expect.stringContaining("/birthDate"),
      4: expect.stringContaining("/member/0/entity"),
      6: expect.stringContaining("/id"),
    });
  });

  it("refuses lines that are not UTF-8, by their number, and takes the rest", async () => {
    const latin = Buffer.from(JSON.stringify({ ...ana, name: { given: "José" } }), "latin1");
    const second = { ...ana, identifier: [{ system: "urn:p", value: "2" }], name: { given: "José" } };
    const text = [latin, JSON.stringify(second), `  \t\r`, JSON.stringify(cash)].map((line) =>
      Buffer.from(line),
    );
    const { imported, faults } = await importText(
      Buffer.concat(text.flatMap((line) => [line, Buffer.from("\r\n")])),
    );
    expect([imported, faults]).toEqual([2, [[1, "is not UTF-8"]]]);
    const read = await registry.as(operator).individuals.read({ system: "urn:p", value: "2" });
    expect(read.ok && read.value.name).toMatchObject({ given: "José" });
  });

  it.each([
    ["a byte order mark at its beginning", `\uFEFF${JSON.stringify(ana)}\n`],
    ["a byte order mark alone on its first line", `\uFEFF\n${JSON.stringify(ana)}`],
    [
      "separators of lines and paragraphs within a text",
      JSON.stringify({ ...ana, name: { given: "A\u2028B\u2029" } }),
    ],
    [
      "a line longer than what is read at once",
      JSON.stringify({ ...ana, name: { given: "é" } }) + " ".repeat(200_000),
    ],
    [
      "characters across the borders of what is read at once",
      `${" ".repeat(65_535 - 76)}${JSON.stringify({ ...ana, name: { given: "é".repeat(40) } })}`,
    ],
  ])("takes a file with %s", async (_, text) => {
    expect(await importText(text)).toEqual({ imported: 1, refused: 0, faults: [] });
  });

  const withIdentifiers = (...values: string[]) => ({
    ...ana,
    identifier: values.map((value) => ({ system: "urn:p", value })),
  });

  it("takes the first of lines for the same record, and refuses the others by their number", async () => {
    const lines = [
      withIdentifiers("1"),
      withIdentifiers("2"),
      { ...withIdentifiers("1"), birthDate: "1990-01-01" },
      withIdentifiers("3", "2"),
    ];
    const faults = [
      [3, "is for the same record as line 1"],
      [4, "is for the same record as line 2"],
    ];
    expect(await importLines(lines)).toEqual({ imported: 2, refused: 2, faults });
    expect(await importLines(lines)).toEqual({ imported: 2, refused: 2, faults });
    expect(await versions()).toEqual(["1", "1"]);
  });

  it("does so however far the lines are from each other", async () => {
    const many = Array.from({ length: 250 }, (_, i) => withIdentifiers(String(i)));
    const { imported, faults } = await importLines([...many, withIdentifiers("0")]);
    expect([imported, faults]).toEqual([250, [[251, "is for the same record as line 1"]]]);
  });

  it("takes the first of two enrollments of one beneficiary in one program", async () => {
    const lines = [cash, home, ana, enrollment, { ...enrollment, status: "enrolled" }];
    const { imported, faults } = await importLines(lines);
    expect([imported, faults]).toEqual([4, [[5, "is for the same record as line 4"]]]);
  });

  it("knows a registered record by any of its identifiers", async () => {
    await importLines([withIdentifiers("1")]);
    const lines = [withIdentifiers("8"), withIdentifiers("9", "1"), withIdentifiers("10")];
    const whole = { imported: 3, refused: 0, faults: [] };
    expect(await importLines(lines)).toEqual(whole);
    const read = await registry.as(operator).individuals.read({ system: "urn:p", value: "9" });
    expect(read.ok && read.value).toMatchObject({ ...withIdentifiers("9", "1"), meta: { versionId: "2" } });
    expect(await importLines(lines)).toEqual(whole);
    expect((await versions()).toSorted()).toEqual(["1", "1", "2"]);
  });

  it("refuses a line with identifiers of two registered records, and takes the rest", async () => {
    await importLines([withIdentifiers("1"), withIdentifiers("2")]);
    const { imported, faults } = await importLines([withIdentifiers("1", "2"), withIdentifiers("3")]);
    expect(imported).toBe(1);
    expect(faults).toEqual([[1, expect.stringContaining("another record has one of its identifiers")]]);
  });

  it("takes the first of lines for one registered record under different identifiers", async () => {
    await importLines([withIdentifiers("1", "2")]);
    const { imported, faults } = await importLines([withIdentifiers("2"), withIdentifiers("1")]);
    expect([imported, faults]).toEqual([1, [[2, "is for the same record as line 1"]]]);
  });

  it("asks the store for many enrollments in few parts, and reads no other records", async () => {
    const people = Array.from({ length: 150 }, (_, i) => withIdentifiers(String(i)));
    const forPeople = { ...cash, targetType: "individual" };
    const enrolled = people.map((_, i) => ({
      ...enrollment,
      beneficiary: { reference: `Individual/urn:p|${i}` },
    }));
    await importLines([forPeople, ...people, ...enrolled]);
    const asked: string[] = [];
    const spied = new Proxy(store, {
      get: (target, name: keyof Store) => {
        const own = target[name];
        if (typeof own !== "function") return own;
        return (...given: unknown[]) => {
          asked.push(name);
          return (own as (...all: unknown[]) => unknown).apply(target, given);
        };
      },
    });
    registry = createRegistry({
      store: spied,
      clock: () => new Date("2026-03-01T08:00:00Z"),
      newId: () => crypto.randomUUID(),
    });
    const callsFor = async (count: number) => {
      asked.length = 0;
      const { imported } = await importLines(enrolled.slice(0, count));
      expect(imported).toBe(count);
      return asked.length;
    };
    const few = await callsFor(2);
    // Documents are read in parts, of ten at first and then of fifty at most.
    expect(await callsFor(150)).toBeLessThanOrEqual(few + 10);
    expect(asked).not.toContain("query");
  });

  it("refuses spellings of one enrollment that only the registry tells apart from two", async () => {
    const spelled = { ...enrollment, beneficiary: { reference: "Group/urn%3Ag%7C1" } };
    const { imported, faults } = await importLines([cash, home, ana, enrollment, spelled]);
    expect([imported, faults]).toEqual([4, [[5, expect.stringContaining("its place in the program")]]]);
  });

  const fund = { value: "5000.00", currency: "PHP" };
  const consent = {
    type: "Consent",
    id: "0190a000-0000-7000-8000-000000000001",
    status: "given",
    subject: { reference: "Individual/urn:p|1" },
    grantee: { organization: "Hope" },
    scope: [{ resourceType: "Individual", fieldAccess: "custom", fields: ["name"] }],
    effectiveDate: "2026-01-01",
  };
  const cycle = {
    type: "Cycle",
    ext_id: "0190a000-0000-7000-8000-000000000002",
    program: "Program/urn:r|1",
    name: "March",
    sequence: 1,
    start_date: "2026-03-01",
    end_date: "2026-03-31",
    state: "approved",
  };
  const entitlement = {
    type: "Entitlement",
    cycle: cycle.ext_id,
    beneficiary: "Individual/urn:p|1",
    amount: { value: "500.00", currency: "PHP" },
    valid_from: "2026-03-01",
    valid_until: "2026-03-31",
    state: "pending_validation",
  };
  const everything = [entitlement, consent, cycle, enrollment, home, ana, { ...cash, fund }];

  it("takes consents, cycles, entitlements and funds, in any order, and changes nothing the second time", async () => {
    expect(await importLines(everything)).toEqual({ imported: 7, refused: 0, faults: [] });
    const size = async () =>
      Promise.all(
        ["Consent", "cycle", "entitlement", "fund", "audit"].map(async (collection) =>
          (await store.query({ collection, limit: 500 })).documents.map(({ key, version }) => [key, version]),
        ),
      );
    const before = await size();
    expect(await importLines(everything)).toEqual({ imported: 7, refused: 0, faults: [] });
    expect(await size()).toEqual(before);
    const view = registry.as(operator);
    const read = await view.consents.read(consent.id);
    expect(read.ok && read.value.status).toBe("given");
    const entitlements = await view.entitlements.list();
    expect(entitlements.ok && entitlements.value.data).toMatchObject([
      { cycle_ext_id: cycle.ext_id, state: "pending_validation", amount: { value: "500.00" } },
    ]);
    const [program] = await store.resolve(["Program/urn:r|1"]);
    const kept = await view.programDesk.fund(program?.key ?? "");
    expect(kept.ok && kept.value?.total).toEqual(fund);
  });

  it("tells what is wrong with each of them by its line", async () => {
    const { faults } = await importLines([
      { ...cash, fund: { value: 5000, currency: "PHP" } },
      ana,
      { ...consent, subject: { reference: "Individual/urn:p|9" } },
      { ...consent, id: undefined },
      { ...cycle, program: "Program/urn:r|9" },
      { ...cycle, ext_id: undefined },
      { ...entitlement, beneficiary: "Individual/urn:p|9" },
      { ...consent, id: "0190a000-0000-7000-8000-000000000003", status: "sold" },
    ]);
    expect(Object.fromEntries(faults)).toMatchObject({
      1: expect.stringContaining("/fund/value"),
      3: expect.stringContaining("/subject/reference"),
      4: expect.stringContaining("id is missing"),
      5: expect.stringContaining("/program"),
      6: expect.stringContaining("ext_id is missing"),
      7: expect.stringContaining("/beneficiary"),
      8: expect.stringContaining("/status"),
    });
    expect(faults).toHaveLength(7);
  });

  describe("when the registry", () => {
    const importWith = async (transaction: RegistryView["transaction"]) => {
      const inner = registry;
      registry = { ...inner, as: (caller) => ({ ...inner.as(caller), transaction }) };
      return importLines([withIdentifiers("1"), withIdentifiers("2"), withIdentifiers("3")]);
    };

    it("does not say which line it refuses, tries each alone", async () => {
      const { transaction } = registry.as(operator);
      const report = await importWith(async (entries, options) => {
        const second = entries.some((entry) => JSON.stringify(entry).includes('"value":"2"'));
        if (second) throw new StoreError("bad-request", "the claim Individual/urn:p|2 is given twice");
        return transaction(entries, options);
      });
      expect(report).toMatchObject({ imported: 2, faults: [[2, expect.not.stringContaining("urn:p")]] });
    });

    it("is overloaded, breaks off instead of refusing lines", async () => {
      const overloaded = async () => failure({ kind: "unavailable", detail: "Try again." });
      await expect(importWith(overloaded)).rejects.toThrow(CommandRefusal);
    });

    it("has no room, tells what the store says", async () => {
      const full = async () => {
        throw new StoreError("quota", "a.db: there is no room left");
      };
      await expect(importWith(full)).rejects.toThrow("no room left");
    });
  });
});
