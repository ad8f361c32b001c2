import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { allScopes, type Caller, createRegistry, type Store } from "@fieldroll/core";
import { createHandler, createV1, type Handler, type Issuer } from "@fieldroll/server";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import { v7 } from "uuid";
import { worstRequests } from "./worst-routes.ts";
import type { WorstRequest } from "./worst-searches.ts";
import { organizations, seedWorst } from "./worst-seed.ts";

const base = { scopes: allScopes, legalBasis: "public_task" };
const bound = { ...base, legalBasis: "consent" };

/** The kinds of client, by the name that is also their token: of no consent, of 100 and of one from everybody among them. */
const clients: Readonly<Record<string, Caller>> = {
  unrestricted: { clientId: "unrestricted", ...base },
  fields: { clientId: "fields", ...base, fields: ["name", "birthDate", "address", "groupMembership"] },
  hidden: { clientId: "hidden", ...base, fields: ["gender"] },
  parts: { clientId: "parts", ...base, fields: ["name.family", "address.city", "meta"] },
  unconsented: { clientId: "none", ...bound, organization: organizations.none },
  few: { clientId: "few", ...bound, organization: organizations.few },
  many: { clientId: "all", ...bound, organization: organizations.all },
};

interface Row {
  readonly client: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Time on a processor, in milliseconds: what counts on a machine that has other work. */
  readonly processor: number;
  /** The longest time for which the event loop did nothing else, in milliseconds. */
  readonly stall: number;
  readonly bytes: number;
  /** Documents that the store gave. */
  readonly looked: number;
}

/** Prints what each kind of request costs each kind of client, the worst first. */
export async function benchWorst({
  records,
  only,
  database,
}: {
  readonly records: number;
  readonly only?: string;
  readonly database?: string;
}): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-worst-"));
  const path = database ?? join(folder, "registry.db");
  if (!existsSync(path)) await seedWorst(path, records);
  const inner = await openSqliteStore({ path });
  const { store, looked } = counted(inner);
  const handler = createHandler({
    registry: createRegistry({ store, clock: () => new Date(), newId: () => v7() }),
    issuer,
    rateLimit: "off",
    v1: "warn",
    formerVersion: createV1(store),
  });
  const rows: Row[] = [];
  const wanted = Object.entries(worstRequests).flatMap(([name, all]) =>
    (only ?? name) === name ? all : all.filter(({ path }) => path.includes(only ?? "")),
  );
  for (const request of wanted) {
    for (const client of Object.keys(clients))
      rows.push(await measured(handler, looked, { request, client }));
  }
  print(rows);
  await inner.close();
  await rm(folder, { recursive: true });
}

const issuer: Issuer = {
  grant: async () => ({ ok: false, error: "invalid_client", description: "no tokens here" }),
  identify: async (token) => clients[token],
  publicKeys: async () => [],
};

/** Counts the documents that a store gives. */
function counted(store: Store): { readonly store: Store; readonly looked: () => number } {
  let count = 0;
  const add = (more: number) => {
    count += more;
  };
  return {
    looked: () => count,
    store: {
      ...store,
      async get(keys) {
        const found = await store.get(keys);
        add(found.length);
        return found;
      },
      async query(query) {
        const page = await store.query(query);
        add(page.documents.length);
        return page;
      },
      async changes(request) {
        const page = await store.changes(request);
        add(page.changes.length);
        return page;
      },
    },
  };
}

async function measured(
  handler: Handler,
  looked: () => number,
  {
    request: { path, body, name = path, root = "/api/v2" },
    client,
  }: { readonly request: WorstRequest; readonly client: string },
): Promise<Row> {
  const init = {
    headers: {
      "Content-Type": "application/json",
      // Version 1 takes the token as its session.
      ...(root.startsWith("/api/v1")
        ? { Cookie: `fieldroll_v1_session=${client}` }
        : { Authorization: `Bearer ${client}` }),
    },
  };
  const request = new Request(
    `http://localhost${root}${path}`,
    body === undefined ? init : { ...init, method: "POST", body },
  );
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const before = looked();
  await wait(2);
  delay.enable();
  const begin = performance.now();
  const used = process.cpuUsage();
  const answer = await handler(request);
  const bytes = (await answer.arrayBuffer()).byteLength;
  const milliseconds = performance.now() - begin;
  const { user, system } = process.cpuUsage(used);
  await wait(2);
  delay.disable();
  return {
    client,
    path: root === "/api/v2" ? name : `${root}${name}`,
    status: answer.status,
    milliseconds,
    processor: (user + system) / 1000,
    stall: delay.max / 1e6,
    bytes,
    looked: looked() - before,
  };
}

function print(rows: readonly Row[]): void {
  const lines = rows
    .toSorted((a, b) => b.processor - a.processor)
    .map(({ client, path, status, milliseconds, processor, stall, bytes, looked }) =>
      [
        processor.toFixed(0).padStart(9),
        milliseconds.toFixed(0).padStart(6),
        stall.toFixed(0).padStart(6),
        String(looked).padStart(7),
        String(bytes).padStart(9),
        String(status).padStart(6),
        `  ${client}: ${path}`,
      ].join(" "),
    );
  process.stdout.write(`processor     ms  stall  looked     bytes status   request\n${lines.join("\n")}\n`);
}
