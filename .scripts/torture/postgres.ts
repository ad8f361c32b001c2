import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { startPostgres } from "../postgres.ts";
import type { Subject } from "./subjects.ts";

/** A schema of its own on a server that somebody else runs; only writers are killed. */
export async function namedServer(url: string): Promise<Subject> {
  const schema = `torture_${randomBytes(6).toString("hex")}`;
  return {
    target: { kind: "postgres", url, schema },
    settled: () => connectionsGone(url, schema),
    drop: () => dropSchema(url, schema),
  };
}

/** A server of its own, which is killed as well. */
export async function ownServer(): Promise<Subject> {
  const { url, kill, startAgain, stop } = await startPostgres();
  return {
    target: { kind: "postgres", url, schema: "torture" },
    settled: () => connectionsGone(url, "torture"),
    server: { kill, start: startAgain },
    drop: stop,
  };
}

/** A server goes on with what a client asked for before it was killed, and then notices that nobody is there any more. */
async function connectionsGone(url: string, schema: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const others = "SELECT 1 FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND strpos(query, $1) > 0";
    while ((await client.query(others, [schema])).rows.length > 0)
      await client.query("SELECT pg_sleep(0.002)");
  } finally {
    await client.end();
  }
}

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
