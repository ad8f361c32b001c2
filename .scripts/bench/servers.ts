import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { client } from "./client.ts";
import type { Programs } from "./programs.ts";

export interface Running {
  readonly port: number;
  /** Time on a processor so far, in milliseconds; `undefined` where the system does not tell. */
  processorTime(): number | undefined;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** Folder for CPU profiles of the server. */
  readonly profile?: string | undefined;
  /** Folder of pages to serve beside the API. */
  readonly app?: string;
}

/** The service as it is deployed: `fieldroll serve` on the file, its logs thrown away. */
export async function startService(
  { fieldroll }: Programs,
  folder: string,
  { profile, app }: ServiceOptions = {},
): Promise<Running & { readonly token: string }> {
  const clients = join(folder, "clients.json");
  writeFileSync(clients, JSON.stringify([client]));
  const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const pages = app === undefined ? [] : ["--app", app];
  const database = `sqlite:${join(folder, "registry.db")}`;
  const child = spawn(
    process.execPath,
    [
      ...profiling,
      fieldroll,
      "serve",
      "--port",
      "0",
      "--rate-limit",
      "off",
      ...["--database", database, "--clients", clients],
      ...pages,
    ],
    { stdio: ["ignore", "pipe", process.env.BENCH_LOGS ? "inherit" : "ignore"] },
  );
  const { url, authUrl } = JSON.parse(await firstLine(child));
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client.id,
    client_secret: client.secret,
  });
  const answer = (await (await fetch(`${authUrl}/oauth2/token`, { method: "POST", body })).json()) as {
    access_token: string;
  };
  return { ...running(child, Number(new URL(url).port)), token: answer.access_token };
}

export async function startBare({ bare }: Programs, folder: string): Promise<Running> {
  const child = spawn(process.execPath, [bare, join(folder, "registry.db")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { port } = JSON.parse(await firstLine(child));
  return running(child, port);
}

function running(child: ChildProcess, port: number): Running {
  return { port, processorTime: () => processorTime(child.pid), stop: () => stop(child) };
}

/** Of user and system, in the hundredths of a second that Linux counts (proc(5), `stat`). */
function processorTime(pid: number | undefined): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}

/** Raw upserts committed a second, in a process of their own, on a file beside the registry's. */
export function rawCommits({ bare }: Programs, folder: string, seconds: number): number {
  const args = [bare, join(folder, "raw.db"), "commits", String(seconds)];
  return Number(spawnSync(process.execPath, args, { encoding: "utf8" }).stdout);
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("the process has no output");
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, "line"), once(child, "exit").then(() => [""])])) as [
    string,
  ];
  if (line === "") throw new Error("the server did not start; BENCH_LOGS=1 shows its logs");
  return line;
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  await once(child, "exit");
}
