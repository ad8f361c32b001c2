/**
 * One of a pair of server processes on one PostgreSQL. It serves any number of services, each made when a request first names
 * it; what it remembers between two requests it remembers alone. Its argument is the server's address; its first line tells
 * its own.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createRegistry, disability, farmer, type RegistryConfig, type Store } from "@fieldroll/core";
import {
  type ClientRegistration,
  createClientDirectory,
  createHandler,
  createIssuer,
  type Handler,
  keySetResponse,
} from "@fieldroll/server";
import { listen, scryptSecrets } from "@fieldroll/server/node";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { v7 } from "uuid";
import { counted } from "../contract/support/counted.ts";
import { headers, type PairService, packed, unpacked } from "./told.ts";

const connectionString = process.argv[2] ?? "";
/** Stores are kept: connecting costs more than most requests. */
const stores = new Map<string, Promise<Store>>();
const services = new Map<string, Promise<Handler>>();
const mostServices = 40;

interface Noted {
  readonly reads: unknown[];
  readonly storeCalls: string[];
}

const noting = new AsyncLocalStorage<Noted>();
const now = new AsyncLocalStorage<Date>();

async function serviceOf(described: string): Promise<Handler> {
  const known = services.get(described);
  if (known) return known;
  const made = makeService(unpacked<PairService>(described));
  services.set(described, made);
  const [oldest] = services.keys();
  if (services.size > mostServices && oldest !== undefined) services.delete(oldest);
  return made;
}

async function makeService(service: PairService): Promise<Handler> {
  const { schema } = service;
  const opening =
    stores.get(schema) ?? openPostgresStore({ connectionString, schema, create: false, connections: 4 });
  stores.set(schema, opening);
  const store = counted(await opening, (call) => noting.getStore()?.storeCalls.push(call));
  const clock = () => now.getStore() ?? new Date();
  const registry = createRegistry({
    store,
    clock,
    newId: () => v7(),
    extensions: [farmer, disability],
    onRead: (entry) => noting.getStore()?.reads.push(entry),
    ...(service.registry as Partial<RegistryConfig>),
  });
  const secrets = scryptSecrets({ cost: 2 });
  const known = service.registrations as readonly ClientRegistration[];
  const clients = await createClientDirectory(known, secrets);
  const issuer = createIssuer({ store, clients, secrets, clock });
  const handle = createHandler({ registry, issuer, clock, rateLimit: "off", ...service.handler });
  // Who signs tokens is read once: no request is to be seen doing it.
  await keySetResponse(issuer);
  return handle;
}

const handler: Handler = async (request, connection) => {
  const time = new Date(request.headers.get(headers.now) ?? "");
  const handle = await now.run(time, () => serviceOf(request.headers.get(headers.service) ?? ""));
  const noted: Noted = { reads: [], storeCalls: [] };
  const response = await now.run(time, () => noting.run(noted, () => handle(request, connection)));
  const answer = new Response(response.body, response);
  answer.headers.set(headers.told, packed(noted));
  return answer;
};

const listening = await listen({ handler, port: 0 });
process.stdout.write(`${listening.url}\n`);
// Whoever started it is gone when this ends.
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
