import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const started: ChildProcess[] = [];

/** Runs the command the way operators do from a checkout: through npm. */
function fieldroll(...args: readonly string[]): ChildProcess {
  const child = spawn("npm", ["run", "--silent", "fieldroll", "--", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, npm_config_loglevel: "error" },
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
