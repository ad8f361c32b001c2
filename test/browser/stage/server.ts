import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bundledCommand } from "../../../.scripts/bundle.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A `fieldroll serve` in a process of its own. */
export interface ServerProcess {
  /** Root of the API. */
  readonly url: string;
  readonly port: number;
  /** What it wrote on standard error so far. */
  log(): string;
  /** Ends it as an operator does, by SIGTERM, and gives its exit code. */
  stop(): Promise<number | null>;
}

/** Starts the real command on a database file, with the demonstration's records and the built field app. */
export async function startServer(database: string, args: readonly string[] = []): Promise<ServerProcess> {
  const app = args.includes("--app") ? [] : ["--app", "examples/field-app/dist"];
  const options = ["--port", "0", "--database", `sqlite:${database}`, ...app];
  const child = await startCommand(["serve", ...options, ...args]);
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  const line = await firstLine(child, () => log);
  const { url } = JSON.parse(line) as { url: string };
  return { url, port: Number(new URL(url).port), log: () => log, stop: () => stop(child) };
}

/** Runs a command of `fieldroll` to its end; throws what it said when it failed. */
export async function runCommand(args: readonly string[]): Promise<void> {
  const child = await startCommand(args);
  let said = "";
  child.stdout.resume();
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`fieldroll ${args.join(" ")} ended with ${code}:\n${said}`);
}

async function startCommand(args: readonly string[]) {
  const program = await bundledCommand();
  return spawn(process.execPath, [program, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
}

async function firstLine(child: ChildProcess, log: () => string): Promise<string> {
  if (!child.stdout) throw new Error("The server has no standard output.");
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The server ended with ${code} before it listened:\n${log()}`);
  });
  const [line] = (await Promise.race([once(lines, "line"), ended])) as [string];
  ended.catch(() => undefined);
  return line;
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  child.kill("SIGTERM");
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

/** The API as an office program uses it. */
export interface Office {
  get<T>(path: string): Promise<T>;
  patch<T>(path: string, body: object): Promise<T>;
  /** The record with other members, where it can only be put as a whole. */
  put<T>(path: string, change: object): Promise<T>;
  post<T>(path: string, body: object): Promise<T>;
  /** Every record of a search, page by page: a page may be short on a machine that has other work. */
  all<T>(path: string): Promise<readonly T[]>;
}

/** Signs in over HTTP; a refusal is an error with the server's words. */
export async function openOffice(url: string, client: { id: string; secret: string }): Promise<Office> {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client.id,
    client_secret: client.secret,
    scope: "registry:read registry:write program:read program:write",
  });
  const answer = await fetch(new URL("/oauth2/token", url), { method: "POST", body });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...init.headers };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    if (!response.ok)
      throw new Error(`${init.method ?? "GET"} ${path}: ${response.status} ${await response.text()}`);
    return { body: await response.json(), etag: response.headers.get("ETag") ?? "" };
  };
  return {
    get: async (path) => (await call(path)).body,
    all: async (path) => {
      const found = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const { body } = await call(`${path}?limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
        found.push(...body.data);
        cursor = body.pagination.has_more ? body.pagination.next_cursor : null;
      }
      return found;
    },
    post: async (path, record) => (await call(path, { method: "POST", body: JSON.stringify(record) })).body,
    put: async (path, change) => {
      const { body, etag } = await call(path);
      const record = JSON.stringify({ ...body, ...change });
      return (await call(path, { method: "PUT", headers: { "If-Match": etag }, body: record })).body;
    },
    patch: async (path, patch) => {
      const { etag } = await call(path);
      const headers = { "If-Match": etag, "Content-Type": "application/merge-patch+json" };
      return (await call(path, { method: "PATCH", headers, body: JSON.stringify(patch) })).body;
    },
  };
}
