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

/**
 * Loads, and prints a line before each slice, when the last one was taken, and when the store is made. Told so, it kills itself as the
 * file is closed: it says by then that it is a store, and has no name yet.
 */
const loader = `
import { writeSync } from "node:fs";
import { loadSqliteStore } from "@fieldroll/storage/sqlite";
import Database from "better-sqlite3";
const [path, ends] = process.argv.slice(1);
function open(name) {
  const client = new Database(name);
  if (name.endsWith(".partial")) client.close = () => process.kill(process.pid, "SIGKILL");
  return client;
}
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
const made = await loadSqliteStore({ path, documents: documents(), ...(ends && { open }) });
writeSync(1, made.ok ? "made\\n" : "refused\\n");
`;

/** A load that is killed so long after so many lines, or at its very end. */
type Killed = readonly [lines: number, milliseconds: number] | "unnamed";

/** Answers whether the load told that the store is made. */
async function loadUntilKilled(path: string, killed: Killed): Promise<boolean> {
  const node = ["--import", "tsx", "--conditions=@fieldroll/source", "--input-type=module", "-e", loader];
  const [lines, milliseconds] = killed === "unnamed" ? [] : killed;
  const child = spawn(process.execPath, [...node, path, ...(killed === "unnamed" ? [killed] : [])], {
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

/** Whole, as it is from the moment on that it says what it is. */
async function isUnnamed(path: string): Promise<boolean> {
  return !(await isRefused(path)) && isWhole(path);
}

describe("a bulk load killed in the middle", () => {
  it.each<[string, Killed]>([
    ["before its first slice is written", [1, 0]],
    ["among the slices", [20, 3]],
    ["while it builds", [slices + 1, 25]],
    ["while it builds, or ends", [slices + 1, 250]],
    ["when the store is whole and has no name yet", "unnamed"],
    ["once it has told", [slices + 2, 0]],
  ])("%s, leaves the whole store or none, and can be done again", { timeout: 60_000 }, async (_, killed) => {
    const path = join(folder, `${killed}.db`);
    const told = await loadUntilKilled(path, killed);
    const isThere = await fileExists(path);
    if (told) expect(isThere).toBe(true);
    if (isThere) {
      expect(await isWhole(path)).toBe(true);
      return;
    }
    const left = `${path}.partial`;
    if (killed === "unnamed") expect(await isUnnamed(left)).toBe(true);
    else expect((await isRefused(left)) || (await isWhole(left))).toBe(true);
    expect(await loadSqliteStore({ path, documents: [] })).toMatchObject({ ok: true, documents: 0 });
    expect(await fileExists(left)).toBe(false);
  });
});
