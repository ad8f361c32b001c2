import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, identifiersOf, type Store, storedRecord } from "@fieldroll/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importFile } from "./import.ts";
import { openRegistry } from "./registry.ts";

const first = "0190a000-0000-7000-8000-00000000000a";
const second = "0190a000-0000-7000-8000-00000000000b";
const person = (value: string, more: object = {}) => ({
  type: "Individual",
  identifier: [{ system: "urn:p", value }],
  name: { given: "Ana" },
  ...more,
});

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-ext-ids-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  store = createMemoryStore();
});

async function load(...lines: readonly object[]) {
  const path = join(folder, "lines.ndjson");
  await writeFile(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  const faults: string[] = [];
  await importFile({ registry: openRegistry(store), store }, path, {
    onFault: (line, fault) => faults.push(`${line}: ${fault}`),
    onProgress: () => {},
  });
  return faults;
}

/** Of each person the key and the values of its identifiers. */
async function people() {
  const { documents } = await store.query({ collection: "Individual", limit: 10 });
  return documents.map((found) => [
    found.key,
    identifiersOf(storedRecord(found).record).map(({ value }) => value),
  ]);
}

describe("a line with an ext_id", () => {
  it("makes the record under it, in lower case, and finds it there the next time", async () => {
    expect(await load(person("1", { ext_id: first.toUpperCase() }))).toEqual([]);
    expect(await load(person("1", { ext_id: first, birthDate: "1990-01-01" }))).toEqual([]);
    expect(await people()).toEqual([[first, ["1"]]]);
  });

  it("is for the record that has it, whatever its identifiers have become", async () => {
    await load(person("1", { ext_id: first }));
    expect(await load(person("2", { ext_id: first }))).toEqual([]);
    expect(await people()).toEqual([[first, ["2"]]]);
  });

  it("is refused where its record is there with another one", async () => {
    await load(person("1", { ext_id: first }), person("2", { ext_id: second }));
    const told = "is there already with another ext_id. To change it all the same, leave ext_id out";
    expect(await load(person("1", { ext_id: second }))).toEqual([`1: ${told}`]);
    expect(await load(person("1", { birthDate: "1990-01-01" }))).toEqual([]);
    expect(await people()).toEqual([
      [first, ["1"]],
      [second, ["2"]],
    ]);
  });

  it("is refused when an earlier line has the same, or when it is no UUID", async () => {
    expect(await load(person("1", { ext_id: first }), person("2", { ext_id: first }))).toEqual([
      "2: is for the same record as line 1",
    ]);
    for (const ext_id of ["7", 7, null]) {
      expect(await load(person("3", { ext_id }))).toEqual(["1: /ext_id: must be a UUID"]);
    }
  });
});
