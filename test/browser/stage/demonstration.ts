/**
 * What every story stands on is made once for all of them: the field app as it is shipped, and a register with the records of
 * the demonstration, of which each story takes a copy.
 */
import { constants, copyFileSync, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { findChromium } from "../chromium.ts";
import { buildFieldApp } from "./app.ts";
import { type ServerProcess, startServer } from "./server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The database of a server that was ended in good order. */
    readonly demonstration: string;
  }
}

let folder: string | undefined;

/** Called by the test runner before the first story. */
export async function setup(project: TestProject): Promise<void> {
  if (!findChromium()) return;
  await buildFieldApp();
  folder = await mkdtemp(join(tmpdir(), "fieldroll-demonstration-"));
  const database = join(folder, "registry.db");
  const server = await startServer(database, ["--demo"]);
  await server.stop();
  project.provide("demonstration", database);
}

/** Called after the last one. */
export async function teardown(): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

/** Starts the real command with the field app and the demonstration's records, or with what a former start made of them. */
export async function startDemonstration(
  database: string,
  args: readonly string[] = [],
): Promise<ServerProcess> {
  if (!existsSync(database)) copyFileSync(inject("demonstration"), database, constants.COPYFILE_EXCL);
  return startServer(database, ["--demo", ...args]);
}
