import {
  createMemoryStore,
  createRegistry,
  disability,
  farmer,
  operator,
  type Registry,
  type RegistryConfig,
  type Store,
} from "@fieldroll/core";
import {
  type ClientDirectory,
  type ClientRegistration,
  createClientDirectory,
  createHandler,
  createIssuer,
  type Handler,
  type HandlerOptions,
} from "@fieldroll/server";
import { scryptSecrets } from "@fieldroll/server/node";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import { v7 } from "uuid";
import { documentedBy } from "./support/documented-by.ts";
import { askPair, connectionString, openOnPostgres } from "./support/on-postgres.ts";

/** The stores on which every case runs: in the project of PostgreSQL others than elsewhere. */
export const stores: readonly (readonly [string, () => Promise<Store>])[] =
  connectionString === undefined
    ? [
        ["memory", async () => createMemoryStore()],
        ["SQLite", () => openSqliteStore({ path: ":memory:" })],
      ]
    : [["two servers on PostgreSQL", () => openOnPostgres("pair")]];

/** The store of cases that name none. */
export const openUsual: () => Promise<Store> =
  connectionString === undefined ? async () => createMemoryStore() : () => openOnPostgres("pair");

/** The store of cases that look into the process that answers, or are about its memory alone. */
export const openHere: () => Promise<Store> =
  connectionString === undefined ? openUsual : () => openOnPostgres("here");

export const origin = "http://registry.test";
export const api = `${origin}/api/v2`;

const all = ["registry:read", "registry:write", "program:read", "program:write"];

/** Clients by what they are for in the cases. */
export const registrations: readonly ClientRegistration[] = [
  { id: "writer", secret: "writer-secret", scopes: all, organization: "Ministry", legalBasis: "public_task" },
  { id: "other", secret: "other-secret", scopes: all, legalBasis: "public_task" },
  {
    id: "reader",
    secret: "reader-secret",
    scopes: ["registry:read", "program:read"],
    legalBasis: "public_task",
  },
  {
    id: "ngo",
    secret: "ngo-secret",
    scopes: all,
    organization: "Aid",
    organizationType: "ngo",
    legalBasis: "consent",
  },
  {
    id: "bank",
    secret: "bank-secret",
    scopes: all,
    organization: "Bank",
    organizationType: "private",
    legalBasis: "contract",
    fields: ["name", "telecom"],
  },
  {
    id: "finance",
    secret: "finance-secret",
    scopes: [...all, "entitlement:read", "entitlement:write"],
    organization: "Ministry",
    legalBasis: "public_task",
  },
  { id: "former", secret: "former-secret", scopes: all, active: false },
];

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
  /** Client whose token is sent; `null` for none. Default: `writer`. */
  readonly as?: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks at is what it asserts
  readonly body: any;
}

/** A whole server without a port, and the hands of a clock. */
export interface Service {
  readonly store: Store;
  readonly registry: Registry;
  readonly handle: Handler;
  readonly clock: { now: Date };
  call(call: Call): Promise<Answer>;
  /** The token of a client, the same each time. */
  tokenOf(client: string): Promise<string>;
  /** A new token. */
  signIn(client: string): Promise<string>;
}

export interface ServiceOptions {
  readonly open?: () => Promise<Store>;
  /** Who may call. Default: {@link registrations}. */
  readonly registrations?: readonly ClientRegistration[];
  /** Where clients are looked up, instead of those. */
  readonly clients?: ClientDirectory;
  /** What the registry is to have besides the extensions `farmer` and `disability`. */
  readonly registry?: Partial<RegistryConfig>;
  readonly handler?: Partial<HandlerOptions>;
  /** Told what a server in another process asked of the store, with each answer. */
  readonly onStoreCalls?: (calls: readonly string[]) => void;
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const store = await (options.open ?? openUsual)();
  const time = { now: new Date("2026-03-01T08:00:00Z") };
  const clock = () => time.now;
  const registry = createRegistry({
    store,
    clock,
    newId: () => v7(),
    extensions: [farmer, disability],
    ...options.registry,
  });
  const secrets = scryptSecrets({ cost: 2 });
  const known = options.registrations ?? registrations;
  const clients = options.clients ?? (await createClientDirectory(known, secrets));
  const issuer = createIssuer({ store, clients, secrets, clock });
  // The clock stands still, so a bucket would never fill again.
  const rateLimit = "off";
  const handle =
    pairFor(store, options, clock) ??
    createHandler({ registry, issuer, clock, rateLimit, ...options.handler });
  const isUsual =
    hasOnly(options.registry, ["onRead"]) &&
    hasOnly(options.handler, ["onAnswer", "onFailure", "newRequestId"]);
  // A handler of its own, so that what a case watches is the case's requests.
  const { onAnswer: _, onFailure: __, newRequestId: ___, ...described } = options.handler ?? {};
  const expectDocumented = documentedBy(createHandler({ registry, issuer, clock, rateLimit, ...described }), {
    isUsual,
  });
  const signIn = (client: string) => requestToken(handle, client, known);
  const tokens = new Map<string, Promise<string>>();
  const tokenOf = (client: string): Promise<string> => {
    const token = tokens.get(client) ?? signIn(client);
    tokens.set(client, token);
    return token;
  };
  const call = async ({
    method = "GET",
    path,
    body,
    raw,
    headers = {},
    as = "writer",
  }: Call): Promise<Answer> => {
    const sent: Record<string, string> = { ...headers };
    if (as !== null) sent.Authorization ??= `Bearer ${await tokenOf(as)}`;
    if (body !== undefined) sent["Content-Type"] ??= "application/json";
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const url = path.startsWith("/") ? `${api}${path}` : path;
    const request = new Request(url, {
      method,
      headers: sent,
      ...(payload === undefined ? {} : { body: payload, duplex: "half" }),
    });
    const response = await handle(request);
    await expectDocumented(request, response);
    return answerOf(response);
  };
  return { store, registry, handle, clock: time, call, tokenOf, signIn };
}

/** Two servers in other processes, where the store is theirs and they can be told everything that the service has. */
function pairFor(store: Store, options: ServiceOptions, now: () => Date): Handler | undefined {
  const { onRead, ...registry } = options.registry ?? {};
  const { handler = {}, clients } = options;
  if (clients) return undefined;
  return askPair(store, {
    registrations: options.registrations ?? registrations,
    registry,
    handler,
    now,
    tell: ({ reads, storeCalls }) => {
      for (const read of reads) onRead?.(read as Parameters<NonNullable<RegistryConfig["onRead"]>>[0]);
      options.onStoreCalls?.(storeCalls);
    },
  });
}

/** Whether options are given of those alone that the OpenAPI document knows nothing of. */
function hasOnly(given: object | undefined, silent: readonly string[]): boolean {
  return Object.keys(given ?? {}).every((name) => silent.includes(name));
}

/** An answer with its body read: JSON as a value, anything else as text. */
export async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = /json/.test(headers.get("Content-Type") ?? "");
  return { status, headers, body: text === "" ? undefined : isJson ? JSON.parse(text) : text };
}

async function requestToken(
  handle: Handler,
  client: string,
  known: readonly ClientRegistration[],
): Promise<string> {
  const secret = known.find(({ id }) => id === client)?.secret ?? "";
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client,
    client_secret: secret,
  });
  const { body } = await answerOf(
    await handle(new Request(`${origin}/oauth2/token`, { method: "POST", body: form })),
  );
  return body.access_token;
}

export const personSystem = "urn:gov:ph:nid";

export function person(value: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    type: "Individual",
    identifier: [{ system: personSystem, value }],
    name: { family: "Reyes", given: "Ana" },
    ...more,
  };
}

export function household(
  value: string,
  members: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
) {
  return {
    type: "Group",
    identifier: [{ system: "urn:service:group", value }],
    groupType: "household",
    name: "Reyes",
    member: members.map((entity) => ({ entity: { reference: entity } })),
    ...more,
  };
}

export const program = {
  type: "Program",
  identifier: [{ system: "urn:service:program", value: "cash" }],
  name: "Cash for families",
  targetType: "group",
};

/** Puts a program into the registry, as the embedding program does. */
export async function addProgram(registry: Registry): Promise<void> {
  const created = await registry.as(operator).programs.create(program);
  if (!created.ok) throw new Error(created.problem.detail);
}

/** A server that knows a program, three people (1, 2 and 3) and a household of the first. */
export async function startWithRecords(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService(options);
  await addProgram(service.registry);
  for (const value of ["1", "2", "3"]) {
    await service.call({ method: "POST", path: "/Individual", body: person(value) });
  }
  const body = household("1", ["Individual/urn:gov:ph:nid|1"]);
  await service.call({ method: "POST", path: "/Group", body });
  return service;
}
