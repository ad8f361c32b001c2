import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A server in a process of its own with a heap of 256 MB. */
export interface HostedServer {
  /** Root of the API. */
  readonly api: string;
  readonly origin: string;
  /** Resolves when the process ends, to why. */
  readonly ended: Promise<string>;
  /** Most memory that the process had, in MB; 0 where the system does not tell. */
  peakMemory(): Promise<number>;
  /** The longest stall of the event loop since it was last asked, in milliseconds. */
  longestStall(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the demonstration's server on a database, and waits until all of its records are there. */
export async function hostServer(database: string, clients: string): Promise<HostedServer> {
  const child = spawn(
    process.execPath,
    [
      "--max-old-space-size=256",
      "--import",
      "tsx",
      "--conditions=@fieldroll/source",
      "packages/server/src/cli/main.ts",
      ...["serve", "--port", "0", "--demo", "--database", database, "--clients", clients],
    ],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"] },
  );
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    errors.push(line);
    if (errors.length > 20) errors.shift();
  });
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(`exit ${code ?? signal}: ${errors.slice(-5).join("\n")}`));
  });
  const { url, authUrl } = await firstLine(child, ended);
  await untilReady(authUrl);
  return {
    api: url,
    origin: authUrl,
    ended,
    peakMemory: () => peakMemory(child),
    longestStall: () => longestStall(authUrl),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function firstLine(
  child: ChildProcess,
  ended: Promise<string>,
): Promise<{ url: string; authUrl: string }> {
  if (!child.stdout) throw new Error("The server has no standard output.");
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([
    new Promise<string>((resolve) => lines.once("line", resolve)),
    ended.then((why) => {
      throw new Error(`The server did not start: ${why}`);
    }),
  ]);
  return JSON.parse(line);
}

async function untilReady(origin: string): Promise<void> {
  while ((await fetch(`${origin}/readyz`)).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 250));
}

async function peakMemory({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
}

async function longestStall(origin: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1] ?? 0) * 1000;
}
