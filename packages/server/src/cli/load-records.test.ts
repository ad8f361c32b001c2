import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "@fieldroll/core";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importRecords } from "./load-records.ts";
import { CommandRefusal } from "./refusal.ts";
import { openRegistry } from "./registry.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-load-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("importRecords refuses in a sentence", () => {
  it.each([
    ["a folder", () => folder, "is not a file. Name a file of NDJSON, one record a line, or -"],
    ["a device", () => "/dev/null", "is not a file."],
    [
      "a file that is not there",
      () => join(folder, "none.ndjson"),
      "can't be read (ENOENT): there is no such file, so nothing was imported. Check the path, or name another file.",
    ],
  ])("%s", async (_, path, sentence) => {
    const store = createMemoryStore();
    const destination = { registry: openRegistry(store), store };
    const refused = await importRecords(destination, path(), pino({ enabled: false })).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(CommandRefusal);
    expect(String(refused)).toContain(`${path()} ${sentence}`);
  });
});
