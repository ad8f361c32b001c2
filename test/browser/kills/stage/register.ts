import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Individual } from "@fieldroll/core";
import { type Office, openOffice, runCommand, type ServerProcess, startServer } from "../../stage/server.ts";
import { bundleApp } from "./bundle-app.ts";
import { type Gate, openGate } from "./gate.ts";

/** Who is signed in on the tablets. */
export const enumerator = { id: "enumerator", secret: "walk-house-to-house" } as const;
const clerk = { id: "office", secret: "at-the-desk" } as const;

/** A server with people in it, the app beside its API, a gate before it, and somebody in the office. */
export interface Register {
  readonly folder: string;
  readonly gate: Gate;
  readonly office: Office;
  /** References of the people there were at the beginning. */
  readonly people: readonly string[];
  /** Where the server keeps everything. */
  readonly database: string;
  /** Every person on the server, as JSON. */
  everyone(): Promise<readonly Individual[]>;
  /** Ends the server as an operator does, does something with what it left, and starts it again. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  /** Copies the database while the server runs on it, as an operator does. */
  backup(to: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a register of so many people on the loopback. */
export async function openRegister(size: number): Promise<Register> {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-kills-"));
  const database = join(folder, "registry.db");
  const app = join(folder, "app");
  const people = Array.from({ length: size }, (_, i) => `Individual/urn:person|${i}`);
  await bundleApp(app);
  const [clients, load] = [join(folder, "clients.json"), join(folder, "people.ndjson")];
  await writeFile(clients, JSON.stringify([enumerator, clerk].map(registered)));
  await writeFile(load, people.map((_, i) => JSON.stringify(personOf(i))).join("\n"));
  const start = (args: readonly string[] = []) =>
    startServer(database, ["--app", app, "--clients", clients, ...args]);
  let server: ServerProcess = await start(["--load", load]);
  const gate = await openGate(server.port);
  let office = await openOffice(server.url, clerk);
  return {
    folder,
    gate,
    people,
    database,
    get office() {
      return office;
    },
    everyone: () => everyoneIn(office),
    async restart(meanwhile = async () => undefined) {
      await server.stop();
      await meanwhile();
      server = await start();
      gate.leadTo(server.port);
      office = await openOffice(server.url, clerk);
    },
    backup: (to) => runCommand(["backup", to, "--database", `sqlite:${database}`]),
    async close() {
      await gate.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function registered(client: { readonly id: string; readonly secret: string }) {
  const scopes = ["registry:read", "registry:write", "program:read", "program:write"];
  return {
    ...client,
    scopes,
    organization: "Ministry",
    organizationType: "government",
    legalBasis: "public_task",
  };
}

function personOf(i: number) {
  return {
    type: "Individual",
    identifier: [{ system: "urn:person", value: String(i) }],
    name: { given: `Given ${i}`, family: `Family ${i % 97}` },
    birthDate: `19${50 + (i % 50)}-0${1 + (i % 9)}-1${i % 9}`,
  };
}

async function everyoneIn(office: Office): Promise<readonly Individual[]> {
  const found: Individual[] = [];
  for (let cursor = "", more = true; more; ) {
    const page = await office.get<{
      data: Individual[];
      pagination: { next_cursor?: string; has_more: boolean };
    }>(`/Individual?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    found.push(...page.data);
    cursor = page.pagination.next_cursor ?? "";
    more = page.pagination.has_more;
  }
  return found;
}
