import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { StoreError } from "@fieldroll/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileExists } from "./files.ts";
import { loadSqliteStore, openSqliteStore } from "./index.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-load-crash-"));
});
afterAll(() => rm(folder, { recursive: true }));

const slices = 40;
const slice = 250;

/** Loads, and prints a line before each slice, when the last one was taken, and when the store is made. */
const loader = `
import { writeSync } from "node:fs";
import { loadSqliteStore } from "@fieldroll/storage/sqlite";
function* documents() {
  for (let nth = 0; nth < ${slices}; nth++) {
    writeSync(1, "slice\\n");
    yield Array.from({ length: ${slice} }, (_, i) => {
      const key = String((nth * ${slice} + i) * 7919 % 1000003);
      const entries = { name: ["person " + key, key + " person"], active: ["true"] };
      return { collection: "people", key, version: 1, body: "x".repeat(800), claims: ["id " + key], entries, feeds: ["all", "f" + i % 9] };
    });
  }
  writeSync(1, "taken\\n");
}
const made = await loadSqliteStore({ path: process.argv[1], documents: documents() });
writeSync(1, made.ok ? "made\\n" : "refused\\n");
`;

/** Kills a load so long after so many lines; answers whether it told that the store is made. */
async function loadUntilKilled(path: string, lines: number, milliseconds: number): Promise<boolean> {
  const node = ["--import", "tsx", "--conditions=@fieldroll/source", "--input-type=module", "-e", loader];
  const child = spawn(process.execPath, [...node, path], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let seen = 0;
  let last = "";
  for await (const line of createInterface({ input: child.stdout })) {
    last = line;
    seen += 1;
    if (seen === lines) setTimeout(() => child.kill("SIGKILL"), milliseconds);
  }
  return last === "made";
}

async function isWhole(path: string): Promise<boolean> {
  const store = await openSqliteStore({ path });
  let faults = 0;
  const kept = await store.verify?.(() => {
    faults += 1;
  });
  await store.close();
  const all = slices * slice;
  return faults === 0 && kept?.documents === all && kept.claims === all && kept.entries === 3 * all;
}

/** Nothing but the refusal of what is no store, or none yet. */
async function isRefused(path: string): Promise<boolean> {
  const error = await openSqliteStore({ path, afterCrash: "open" }).then(
    (store) => store.close(),
    (reason: unknown) => reason,
  );
  return error instanceof StoreError && error.code === "corrupt" && error.message.includes(path);
}

describe("a bulk load killed in the middle", () => {
  it.each([
    ["before its first slice is written", 1, 0],
    ["among the slices", 20, 3],
    ["while it builds", slices + 1, 25],
    ["while it builds, or ends", slices + 1, 250],
    ["once it has told", slices + 2, 0],
  ] as const)(
    "%s, leaves the whole store or none, and can be done again",
    { timeout: 60_000 },
    async (_, lines, milliseconds) => {
      const path = join(folder, `${lines} ${milliseconds}.db`);
      const told = await loadUntilKilled(path, lines, milliseconds);
      const isThere = await fileExists(path);
      if (told) expect(isThere).toBe(true);
      if (isThere) {
        expect(await isWhole(path)).toBe(true);
        return;
      }
      expect(await isRefused(`${path}.partial`)).toBe(true);
      expect(await loadSqliteStore({ path, documents: [] })).toMatchObject({ ok: true, documents: 0 });
      expect(await fileExists(`${path}.partial`)).toBe(false);
    },
  );
});
