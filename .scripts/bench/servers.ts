import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const fromSource = ["--import", "tsx", "--conditions=@fieldroll/source"];
const client = {
  id: "bench",
  secret: "bench-secret",
  scopes: ["registry:read", "registry:write"],
  legalBasis: "public_task",
};

export interface Running {
  readonly port: number;
  stop(): Promise<void>;
}

/** The service as it is deployed: `fieldroll serve` on the file, its logs thrown away. */
export async function startService(
  folder: string,
  profile: string | undefined,
): Promise<Running & { readonly token: string }> {
  const clients = join(folder, "clients.json");
  writeFileSync(clients, JSON.stringify([client]));
  const main = join(root, "packages/server/src/cli/main.ts");
  const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const database = `sqlite:${join(folder, "registry.db")}`;
  const child = spawn(
    process.execPath,
    [...profiling, ...fromSource, main, "serve", "--port", "0", "--database", database, "--clients", clients],
    { cwd: root, stdio: ["ignore", "pipe", process.env.BENCH_LOGS ? "inherit" : "ignore"] },
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
  return { port: Number(new URL(url).port), token: answer.access_token, stop: () => stop(child) };
}

export async function startBare(folder: string): Promise<Running> {
  const child = spawn(process.execPath, [...fromSource, bareScript, join(folder, "registry.db")], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { port } = JSON.parse(await firstLine(child));
  return { port, stop: () => stop(child) };
}

/** Raw upserts committed a second, in a process of their own, on a file beside the registry's. */
export function rawCommits(folder: string, seconds: number): number {
  const args = [...fromSource, bareScript, join(folder, "raw.db"), "commits", String(seconds)];
  return Number(spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" }).stdout);
}

const bareScript = join(root, ".scripts/bench/bare.ts");

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
