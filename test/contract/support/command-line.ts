import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll } from "vitest";
import { bundledCommand } from "../../../.scripts/bundle.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const main = await bundledCommand();
const running = new Set<ChildProcess>();
let folder: string;

/** Gives the tests of a file a folder of their own, and ends what they started. Answers the path of a file in it. */
export function useCommandLine(): (name: string) => string {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fieldroll-cli-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  afterEach(() => {
    for (const child of running) child.kill("SIGKILL");
    running.clear();
  });
  return (name) => join(folder, name);
}

/** Starts a command. */
export function start(...options: string[]) {
  const child = spawn(process.execPath, [main, ...options], { cwd: root, stdio: ["pipe", "pipe", "pipe"] });
  running.add(child);
  let errors = "";
  let output = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const exit = once(child, "close").then(([code]) => code as number | null);
  return { child, exit, errors: () => errors, output: () => output };
}

/** Runs a command that is to end by itself. */
export function run(...options: string[]) {
  return runWith("", ...options);
}

/** Runs a command that is to end by itself, with a text on its standard input. */
export async function runWith(input: string, ...options: string[]) {
  const { child, exit, errors, output } = start(...options);
  // A command that reads nothing may have ended already.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return { code: await exit, errors: await exit.then(errors), output: await exit.then(output) };
}

/** Runs a command that is to end by itself, with its standard output going to a file. */
export async function runInto(path: string, ...options: string[]) {
  const file = await open(path, "w");
  try {
    const child = spawn(process.execPath, [main, ...options], {
      cwd: root,
      stdio: ["ignore", file.fd, "pipe"],
    });
    running.add(child);
    let errors = "";
    child.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    const [code] = await once(child, "close");
    return { code: code as number | null, errors };
  } finally {
    await file.close();
  }
}

/** Starts a server and reads its first line. */
export async function serve(...options: string[]) {
  const started = start("serve", "--port", "0", ...options);
  const lines = createInterface({ input: started.child.stdout as NodeJS.ReadableStream });
  const [line] = await Promise.race([
    once(lines, "line"),
    started.exit.then((code) => {
      throw new Error(`ended with ${code} before it listened:\n${started.errors()}`);
    }),
  ]);
  const addresses = JSON.parse(line) as { url: string; authUrl: string; appUrl: string | null };
  const stop = async () => {
    started.child.kill("SIGTERM");
    return started.exit;
  };
  return { ...started, ...addresses, stop };
}

/** Writes a file for `--clients`. */
export async function clientsFile(content: unknown): Promise<string> {
  const path = join(folder, `clients-${crypto.randomUUID()}.json`);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** A client that no consent binds. */
export const client = {
  id: "field",
  secret: "field-secret-of-tests",
  scopes: ["registry:read", "registry:write"],
  legalBasis: "public_task",
};

/** The headers of a request with a new token. */
export async function authorization(
  authUrl: string,
  { id, secret }: { readonly id: string; readonly secret: string } = client,
): Promise<Record<string, string>> {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: id,
    client_secret: secret,
  });
  const answer = await fetch(`${authUrl}/oauth2/token`, { method: "POST", body });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
}
