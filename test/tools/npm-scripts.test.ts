import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const started: ChildProcess[] = [];

/** Runs the command the way operators do from a checkout: through npm. */
function fieldroll(...args: readonly string[]): ChildProcess {
  return npm(["run", "--silent", "fieldroll", "--", ...args]);
}

function npm(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn("npm", args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, npm_config_loglevel: "error", ...env },
  });
  started.push(child);
  return child;
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("close", resolve));
}

async function firstLineOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("standard output is not piped");
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error("standard output ended without a line");
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = "";
  for await (const chunk of stream ?? []) text += chunk.toString();
  return text;
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

describe("npm run fieldroll", () => {
  it("passes standard output and SIGTERM through, and ends with 0", { timeout: 60_000 }, async () => {
    const server = fieldroll("serve", "--port", "0", "--database", "memory:");
    const exit = exitOf(server);
    const { url } = JSON.parse(await firstLineOf(server)) as { url: string };
    expect((await fetch(`${url}/metadata`)).status).toBe(200);
    server.kill("SIGTERM");
    expect(await exit).toBe(0);
    await expect(fetch(`${url}/metadata`)).rejects.toThrow();
  });

  it("passes arguments and a failing exit status through", { timeout: 60_000 }, async () => {
    const refused = fieldroll("serve", "--no-such-option");
    const [exit, said] = await Promise.all([exitOf(refused), textOf(refused.stderr)]);
    expect(said).toContain("--no-such-option");
    expect(exit).toBe(1);
  });
});

describe("npm start", () => {
  it("ends with 1 and says what to do where the port is taken, and makes no database", {
    timeout: 60_000,
  }, async () => {
    const data = new URL("../../.data/fieldroll.db", import.meta.url);
    const before = existsSync(data);
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const child = npm(["start", "--silent"], { PORT: String(port) });
    const [exit, said] = await Promise.all([exitOf(child), textOf(child.stderr)]);
    taken.close();
    expect(exit).toBe(1);
    expect(said).toMatch(new RegExp(`^fieldroll: Port ${port} of 127.0.0.1 .*PORT=.*\\n$`));
    expect(existsSync(data)).toBe(before);
  });
});
