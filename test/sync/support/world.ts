import {
  allScopes,
  createMemoryMedium,
  createMemoryStore,
  createRegistry,
  type ExtensionDeclaration,
  forgetEpoch,
  type MemoryMedium,
  operator,
  type RegistryView,
  type Store,
} from "@fieldroll/core";
import {
  createClientDirectory,
  createHandler,
  createIssuer,
  type Handler,
  type SecretHashing,
} from "@fieldroll/server";
import {
  createFieldClient,
  type Fetch,
  type FetchResponse,
  type FieldClient,
  processLock,
  type Timers,
} from "@fieldroll/sync";
import { v7 } from "uuid";

/** A server and any number of devices in one process, on one clock. */
export interface World {
  readonly view: RegistryView;
  readonly serverStore: Store;
  /** What is on the server's disk. */
  readonly medium: MemoryMedium;
  device(name: string, options?: DeviceOptions): Device;
  /** Another world's server answers from now on. */
  moveTo(other: World): void;
  readonly send: Fetch;
  /** Whether the server works on a request. */
  readonly busy: () => boolean;
  /** Moves the clock on, in milliseconds. */
  pass(milliseconds: number): void;
  readonly now: () => Date;
  /** What each device asked of the server, as `METHOD /path` with the status. */
  readonly requests: string[];
  /** Idempotency keys of the writes that had an effect, alone or in a bundle, in their order. */
  readonly effects: string[];
}

export interface WorldOptions {
  /** Declared on the server and on every device. */
  readonly extensions?: readonly ExtensionDeclaration[];
  /** What the server has already; nothing, unless given. */
  readonly medium?: MemoryMedium;
  /** What every client may do now. */
  readonly scopes?: () => readonly string[];
  readonly policies?: Parameters<typeof createRegistry>[0]["policies"];
}

export interface DeviceOptions {
  readonly feeds?: readonly string[];
  /** Stands between the device and the server. */
  readonly network?: (send: Fetch) => Fetch;
  readonly random?: () => number;
  /** How far its clock is ahead of the others', in milliseconds. */
  readonly ahead?: () => number;
  readonly photos?: "always" | "unmetered";
}

export interface Device {
  /** The running client; another one after a kill. */
  readonly client: FieldClient;
  readonly medium: MemoryMedium;
  online: boolean;
  /** Whether its network is metered. */
  metered: boolean;
  /** Drops the engine without a goodbye and starts a new one on the same medium. */
  kill(): FieldClient;
}

export const credentials = { clientId: "tablet", clientSecret: "correct horse" };
/** Sees what people consent to. */
export const partner = { ...credentials, clientId: "partner" };
export const root = "http://registry.test/api/v2";

/** A cheap stand-in for scrypt: what it protects is gone with the test. */
const plainSecrets: SecretHashing = {
  hash: async (secret) => `plain:${secret}`,
  verify: async (secret, hash) => hash === `plain:${secret}`,
};

/** Another server, on a backup of this one's data. */
export async function restoredFrom(backup: MemoryMedium): Promise<World> {
  const medium = structuredClone(backup);
  const store = createMemoryStore({ medium });
  await store.renew?.();
  await forgetEpoch(store);
  return createWorld({ medium });
}

const noTimers: Timers = { set: (_delay, _run) => () => undefined };

export async function createWorld({
  extensions = [],
  medium = createMemoryMedium(),
  scopes = () => allScopes,
  ...options
}: WorldOptions = {}): Promise<World> {
  let instant = Date.UTC(2026, 0, 15, 8);
  const now = () => new Date(instant++);
  const serverStore = createMemoryStore({ medium });
  // A partner may correct numbers here, so that it is tried what a tablet does with that.
  const policies = { restrictedWrites: ["identifier", "active"], ...options.policies } as const;
  const registry = createRegistry({ store: serverStore, clock: now, newId: v7, extensions, policies });
  const client = { secret: credentials.clientSecret, scopes: allScopes, legalBasis: "public_task" };
  const directory = await createClientDirectory(
    [
      { ...client, id: credentials.clientId },
      { ...client, id: "other" },
      { ...client, id: partner.clientId, organization: "Aid", legalBasis: "consent" },
    ],
    plainSecrets,
  );
  const find = async (id: string) => {
    const found = await directory.find(id);
    return found && { ...found, scopes: scopes() };
  };
  const clients = { find };
  const issuer = createIssuer({ store: serverStore, clients, secrets: plainSecrets });
  const handle = createHandler({ registry, issuer, clock: now, rateLimit: "off" });
  const requests: string[] = [];
  const effects: string[] = [];
  let send = sendTo(handle, { requests, effects });
  let open = 0;
  return {
    effects,
    busy: () => open > 0,
    send: async (url, init) => {
      open++;
      try {
        return await received(await send(url, init));
      } finally {
        open--;
      }
    },
    moveTo: (other) => {
      send = other.send;
    },
    view: registry.as(operator),
    serverStore,
    medium,
    requests,
    now,
    pass: (milliseconds) => {
      instant += milliseconds;
    },
    device: (name, options = {}) =>
      createDevice({ name, options, extensions, now, send: (url, init) => send(url, init) }),
  };
}

/** An answer that has arrived as a whole: nothing of it is still under way when the server is not busy any more. */
async function received(response: FetchResponse): Promise<FetchResponse> {
  const { status, headers } = response;
  const whole = await response.text();
  return { status, headers, text: async () => whole };
}

function sendTo(handle: Handler, { requests, effects }: Pick<World, "requests" | "effects">): Fetch {
  const made = new Set<string>();
  // An answer that is repeated tells of the same version.
  const note = (key: string, tag: string | null | undefined) => {
    if (!made.has(`${key} ${tag}`)) effects.push(key);
    made.add(`${key} ${tag}`);
  };
  return async (url, { method, headers, body }) => {
    const response = await handle(new Request(url, { method, headers, ...(body !== undefined && { body }) }));
    requests.push(`${method} ${new URL(url).pathname} ${response.status}`);
    if (url.includes("/$batch") && response.ok) {
      for (const { key, tag } of await effectsOf(body ?? "", response.clone())) note(key, tag);
    } else if (method !== "GET" && response.ok && response.headers.get("idempotent-replayed") === null) {
      note(headers["idempotency-key"] ?? "", response.headers.get("etag"));
    }
    return response;
  };
}

/** The writes of a bundle that succeeded, each with the version that it made. */
async function effectsOf(
  body: string,
  response: Response,
): Promise<readonly { readonly key: string; readonly tag: string | undefined }[]> {
  const sent = JSON.parse(body) as { entry: { request: { idempotencyKey?: string } }[] };
  const { entry } = (await response.json()) as {
    entry: { response: { status: number; etag?: string } }[];
  };
  return entry.flatMap(({ response: { status, etag: tag } }, place) => {
    const key = sent.entry[place]?.request.idempotencyKey;
    return key !== undefined && status < 300 ? [{ key, tag }] : [];
  });
}

function createDevice(parts: {
  readonly name: string;
  readonly options: DeviceOptions;
  readonly extensions: readonly ExtensionDeclaration[];
  readonly now: () => Date;
  readonly send: Fetch;
}): Device {
  const { options, extensions, now, send } = parts;
  const medium = createMemoryMedium();
  const network = options.network ?? ((fetch: Fetch) => fetch);
  const device = { online: true, metered: false, medium, client: start(), kill };
  return device;

  function start(): FieldClient {
    const alive = { yes: true };
    const reach = network(send);
    const fetch: Fetch = (url, init) => {
      if (!alive.yes) return new Promise(() => undefined);
      return device.online ? reach(url, init) : Promise.reject(new TypeError("offline"));
    };
    const client = createFieldClient({
      server: root,
      store: createMemoryStore({ medium }),
      fetch,
      clock: () => new Date(now().getTime() + (options.ahead?.() ?? 0)),
      random: options.random ?? (() => 0.5),
      newId: v7,
      timers: noTimers,
      lock: processLock(),
      automatic: false,
      rules: { extensions },
      connectivity: {
        online: true,
        get metered() {
          return device.metered;
        },
        subscribe: () => () => undefined,
      },
      ...(options.feeds && { feeds: options.feeds }),
      ...(options.photos && { photos: options.photos }),
    });
    dead.set(client, alive);
    return client;
  }

  function kill(): FieldClient {
    const alive = dead.get(device.client);
    if (alive) alive.yes = false;
    device.client = start();
    return device.client;
  }
}

const dead = new WeakMap<FieldClient, { yes: boolean }>();
