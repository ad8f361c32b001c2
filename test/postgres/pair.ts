/**
 * Two server processes on the tests' PostgreSQL, behind a round-robin: a global setup of the test runner, to be named after
 * the one that starts PostgreSQL.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";
import { startRoundRobin } from "./round-robin.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The origin of the round-robin; absent where there is no PostgreSQL. */
    readonly pair: string | undefined;
  }
}

const root = fileURLToPath(new URL("../..", import.meta.url));
let stop: (() => Promise<void>) | undefined;

/** Called by the test runner before the first test. */
export async function setup(project: TestProject): Promise<void> {
  const postgres = project.getProvidedContext().postgres;
  if (!("url" in postgres)) return project.provide("pair", undefined);
  const program = await bundle();
  const servers = await Promise.all([1, 2].map(() => start(program, postgres.url)));
  const proxy = await startRoundRobin(servers.map(({ url }) => url));
  stop = async () => {
    await proxy.close();
    for (const { child } of servers) child.kill("SIGKILL");
  };
  project.provide("pair", proxy.url);
}

/** Called after the last test. */
export async function teardown(): Promise<void> {
  await stop?.();
}

async function start(program: string, connectionString: string) {
  const child: ChildProcess = spawn(process.execPath, [program, connectionString], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [url] = await Promise.race([
    once(lines, "line"),
    once(child, "close").then(([code]) => {
      throw new Error(`A server of the pair ended with ${code}.`);
    }),
  ]);
  return { child, url: String(url) };
}

/** One file, so that the processes start in no time. */
async function bundle(): Promise<string> {
  const outfile = `${root}.cache/pair/server.mjs`;
  await mkdir(`${root}.cache/pair`, { recursive: true });
  await build({
    entryPoints: [fileURLToPath(new URL("pair-server.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@fieldroll/source"],
    external: ["better-sqlite3", "pg"],
    logLevel: "error",
    // Packages of the other module system ask for Node's own modules as they run.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  return outfile;
}
