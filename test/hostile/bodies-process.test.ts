import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledCommand } from "../../.scripts/bundle.ts";
import { authorization, client, clientsFile, useCommandLine } from "../contract/support/command-line.ts";
import { bundleOf, hugeBodies, hugeBundles } from "./huge.ts";

/** In megabytes: bodies are of 8 at most. */
const heap = 256;
/** Of the server's processor time, for one answer: a quarter of a second, on a machine that has nothing else to do. */
const promised = 250;
/** Processor time counts for more where others share the processor's caches. */
const allowed = 4 * promised;
const largestRefusal = 64 * 1024;

let server: ChildProcess;
let root: string;
let headers: Record<string, string>;

useCommandLine();

beforeAll(async () => {
  const open = ["--port", "0", "--database", "memory:", "--rate-limit", "off"];
  const options = [...open, "--clients", await clientsFile([client])];
  const command = [`--max-old-space-size=${heap}`, await bundledCommand(), "serve", ...options];
  server = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "ignore"] });
  const lines = createInterface({ input: server.stdout as NodeJS.ReadableStream });
  const [line] = await once(lines, "line");
  root = (JSON.parse(line) as { authUrl: string }).authUrl;
  headers = await authorization(root);
}, 120_000);

afterAll(() => {
  server.kill("SIGKILL");
});

/** The server's processor time so far, in milliseconds. */
async function processorTime(): Promise<number> {
  const figures = await (await fetch(`${root}/metrics`)).text();
  return Number(/^process_cpu_seconds_total ([\d.e+-]+)$/m.exec(figures)?.[1]) * 1000;
}

async function send(method: string, path: string, body: string, more: Record<string, string> = {}) {
  const before = await processorTime();
  const answer = await fetch(`${root}${path}`, { method, headers: { ...headers, ...more }, body });
  const text = await answer.text();
  const spent = (await processorTime()) - before;
  return { status: answer.status, text, spent };
}

const writes: readonly (readonly [string, string, string, string])[] = Object.entries(hugeBodies).flatMap(
  ([name, body]) => [
    [name, "POST", /"Group"/.test(body.slice(0, 20)) ? "/Group" : "/Individual", body] as const,
    ...(body.length < 80_000 ? [[`${name}, in a bundle`, "POST", "/$batch", bundleOf([body])] as const] : []),
  ],
);
const bundles = Object.entries(hugeBundles).map(([name, body]) => [name, "POST", "/$batch", body] as const);

describe(`a server with ${heap} MB of memory`, () => {
  it.each([...writes, ...bundles])("answers %s soon, and briefly", async (name, method, path, body) => {
    expect(body.length).toBeLessThanOrEqual(8 * 1024 * 1024);
    // The first of a kind also pays for the compiling of what answers it.
    await send(method, `/api/v2${path}`, body);
    const { status, text, spent } = await send(method, `/api/v2${path}`, body);
    process.stdout.write(`${name}: ${status}, ${Math.round(spent)} ms, ${text.length} bytes\n`);
    expect([200, 400, 413, 422]).toContain(status);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(largestRefusal);
    expect(spent).toBeLessThan(allowed);
  });
});
