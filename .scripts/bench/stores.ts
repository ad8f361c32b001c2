import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchIndexedDb } from "./indexeddb.ts";
import { buildPrograms } from "./programs.ts";
import { slowFlush } from "./slow-flush.ts";

export interface StoresOptions {
  /** In the register that the comparisons with the raw limits work on. */
  readonly records: number;
  readonly rounds: number;
  /** Of one measurement. */
  readonly seconds: number;
  /** `sqlite`, of that `bulk` alone, `postgres` or `indexeddb`. Default: all stores. */
  readonly only?: string;
  /** Whether to measure at a million records too. */
  readonly large: boolean;
  /** How much longer each flush of the disk takes, in milliseconds; not with IndexedDB. */
  readonly flush: number;
}

/** What a program that measures a store is told: the folder for its files, and what to measure there. */
export interface StoresTask {
  readonly folder: string;
  readonly records: number;
  readonly rounds: number;
  readonly seconds: number;
  /** Which documents to fill new files with. Without: none. */
  readonly bulk?: "records" | "with audit";
  /** Sizes of the register for the table of growth. Without this and `bulk`: the comparison with the raw limits. */
  readonly sizes?: readonly number[];
}

/** Measures the stores, each in processes of its own, and prints each figure beside its raw limit and its goal. */
export async function benchStores(options: StoresOptions): Promise<void> {
  const { records, rounds, only } = options;
  if (only !== undefined && !["sqlite", "bulk", "postgres", "indexeddb"].includes(only)) {
    process.stderr.write(
      `There is no store ${only} to measure. There are: sqlite (of that bulk alone), postgres, indexeddb.\n`,
    );
    process.exit(1);
  }
  if (only !== "indexeddb") await benchServers(options);
  if (only === undefined || only === "indexeddb") await benchIndexedDb({ records, rounds });
}

async function benchServers({ records, rounds, seconds, only, large, flush }: StoresOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-stores-"));
  const programs = await buildPrograms();
  const sizes = [10_000, 100_000, ...(large ? [1_000_000] : [])];
  try {
    const env = await slowFlush(flush, folder);
    const run = (program: string, task: StoresTask) => runProgram(program, task, env);
    const isSqlite = only === undefined || only === "sqlite";
    if (isSqlite) await run(programs.stores, { folder, records, rounds, seconds });
    if (isSqlite || only === "bulk") {
      for (const bulk of ["records", "with audit"] as const)
        await run(programs.stores, { folder, records, rounds, seconds, bulk });
    }
    if (isSqlite) await run(programs.stores, { folder, records, rounds, seconds, sizes });
    if (only === undefined || only === "postgres")
      await run(programs.postgres, { folder, records, rounds, seconds });
  } finally {
    await rm(folder, { recursive: true });
    await programs.remove();
  }
}

async function runProgram(program: string, task: StoresTask, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: "inherit", env });
  const [status] = (await once(child, "exit")) as [number | null];
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
}
