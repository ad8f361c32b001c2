/**
 * Two server processes on the tests' PostgreSQL, behind a round-robin: a global setup of the test runner, to be named after
 * the one that starts PostgreSQL.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";
import { bundleProgram } from "../../.scripts/bundle.ts";
import { startRoundRobin } from "./round-robin.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The origin of the round-robin; absent where there is no PostgreSQL. */
    readonly pair: string | undefined;
  }
}

let stop: (() => Promise<void>) | undefined;

/** Called by the test runner before the first test. */
export async function setup(project: TestProject): Promise<void> {
  const postgres = project.getProvidedContext().postgres;
  if (!("url" in postgres)) return project.provide("pair", undefined);
  const program = await bundleProgram(new URL("pair-server.ts", import.meta.url));
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
