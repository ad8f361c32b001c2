import { randomBytes } from "node:crypto";
import { Agent, type IncomingMessage, request as send } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import type { Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Pool } from "pg";
import { afterAll, inject, onTestFinished } from "vitest";
import { headers, type PairService, packed, type Told, unpacked } from "../../postgres/told.ts";

type Handler = (request: Request) => Promise<Response>;

/** Absent in projects that do without. */
const postgres = inject("postgres") as ReturnType<typeof inject<"postgres">> | undefined;
const pair = inject("pair") as string | undefined;

/** Where PostgreSQL is, in the project that has one. */
export const connectionString = postgres && "url" in postgres ? postgres.url : undefined;

/** A store and its schema. Emptied and used again: to make tables, or only to connect, costs more than most cases. */
interface Place {
  readonly schema: string;
  store: Store;
  closed: boolean;
}

const free: Place[] = [];
const made: Place[] = [];
const clearings: (() => Promise<void>)[] = [];
let pool: Pool | undefined;

/** Where a store is, and whether the pair serves it. */
const places = new WeakMap<
  Store,
  { readonly schema: string; readonly name: string; readonly pair: boolean }
>();

if (connectionString !== undefined) {
  afterAll(async () => {
    for (const clear of clearings.splice(0)) await clear();
    for (const place of made.splice(0)) {
      await place.store.close();
      await admin(`DROP SCHEMA IF EXISTS ${place.schema} CASCADE`);
    }
    free.length = 0;
    await pool?.end();
    pool = undefined;
  });
}

/** Opens an empty store; one that the pair is to serve, or one for a handler in this process. */
export async function openOnPostgres(by: "pair" | "here"): Promise<Store> {
  // Said at once: a store that is opened for a whole file may be there only once its first test runs.
  let clear = async () => {};
  clearAtTheEnd(() => clear());
  const place = free.pop() ?? (await newPlace());
  if (place.closed) place.store = await openSchema(place.schema);
  place.closed = false;
  const close = async () => {
    place.closed = true;
    await place.store.close();
  };
  const store = { ...place.store, close };
  places.set(store, { schema: place.schema, name: randomBytes(6).toString("hex"), pair: by === "pair" });
  clear = async () => {
    await empty(place.schema);
    free.push(place);
  };
  return store;
}

async function newPlace(): Promise<Place> {
  const schema = `contract_${randomBytes(6).toString("hex")}`;
  const place = { schema, store: await openSchema(schema), closed: false };
  made.push(place);
  return place;
}

function openSchema(schema: string): Promise<Store> {
  return openPostgresStore({ connectionString: connectionString ?? "", schema, connections: 4 });
}

/** Says that what wraps a store is that store. */
export function standsFor(wrapper: Store, store: Store): Store {
  const place = places.get(store);
  if (place) places.set(wrapper, place);
  return wrapper;
}

/** After the test, or after the last of the file where the store is not one test's. */
function clearAtTheEnd(clear: () => Promise<void>): void {
  try {
    onTestFinished(clear, 30_000);
  } catch {
    clearings.push(clear);
  }
}

async function empty(schema: string): Promise<void> {
  const tables = ["documents", "claims", "entries", "feeds"];
  await admin(
    `${tables.map((table) => `DELETE FROM ${schema}.${table}`).join(";")};
    UPDATE ${schema}.store SET id = replace(gen_random_uuid()::text, '-', '')`,
  );
}

async function admin(sql: string): Promise<void> {
  pool ??= new Pool({ ...(connectionString !== undefined && { connectionString }), max: 1 });
  await pool.query(`SET client_min_messages = warning; ${sql}`);
}

/** What of a service's options another process can be told, and the hands of its clock. */
export interface Described extends Pick<PairService, "registrations" | "registry" | "handler"> {
  readonly now: () => Date;
  /** Told what a server noted while it answered. */
  readonly tell: (told: Told) => void;
}

/** A handler that asks the pair, for a store that is meant for it; `undefined` for any other. */
export function askPair(store: Store, described: Described): Handler | undefined {
  const place = places.get(store);
  const { registrations, registry, handler, now, tell } = described;
  if (!place?.pair || pair === undefined || ![registry, handler].every(isPlain)) return undefined;
  const service: PairService = { ...place, registrations, registry, handler };
  return async (request) => {
    const response = await ask(pair, request, {
      [headers.service]: packed(service),
      [headers.now]: now().toISOString(),
    });
    const told = response.headers.get(headers.told);
    response.headers.delete(headers.told);
    if (told !== null) tell(unpacked<Told>(told));
    return response;
  };
}

/** Whether another process can be given it. */
function isPlain(value: unknown): boolean {
  if (typeof value === "function") return false;
  return typeof value !== "object" || value === null || Object.values(value).every(isPlain);
}

const agent = new Agent({ keepAlive: true });

/** Sends a request to the address it names, by way of another one: `fetch` would change its Host. */
function ask(by: string, request: Request, more: Readonly<Record<string, string>>): Promise<Response> {
  const { host, pathname, search } = new URL(request.url);
  const { hostname, port } = new URL(by);
  const sent = { ...Object.fromEntries(request.headers), host, ...more };
  const options = { hostname, port, method: request.method, path: pathname + search, headers: sent, agent };
  return new Promise((resolve, reject) => {
    const outgoing = send(options, (incoming) => resolve(responseOf(incoming)));
    outgoing.on("error", reject);
    if (request.body) Readable.fromWeb(request.body as NodeStream).pipe(outgoing);
    else outgoing.end();
  });
}

/** What the connection adds is not the handler's. */
const ofConnection = new Set(["connection", "keep-alive", "transfer-encoding"]);

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = incoming;
  const kept = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    if (!ofConnection.has(name.toLowerCase())) kept.append(name, rawHeaders[i + 1] ?? "");
  }
  const isEmpty = [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream), {
    status,
    headers: kept,
  });
}
