import {
  allScopes,
  type Caller,
  type Commit,
  createMemoryMedium,
  createMemoryStore,
  createRegistry,
  forgetEpoch,
  type JsonObject,
  type MemoryMedium,
  operator,
  type Registry,
  type RegistryView,
  rawReference,
  resourceTypes,
  type Store,
} from "@fieldroll/core";
import type { SeededRandom, VirtualTime } from "@fieldroll/core/testing";
import {
  createClientDirectory,
  createHandler,
  createIssuer,
  type Handler,
  type Issuer,
  type SecretHashing,
} from "@fieldroll/server";

import { partner } from "./consents.ts";

export const root = "http://registry.test/api/v2";
export const secret = "correct horse";

/** One version of a record that the server has committed: a line of the ledger, which nothing takes away. */
export interface LedgerLine {
  readonly at: number;
  readonly type: string;
  readonly key: string;
  readonly version: number;
  readonly record: JsonObject;
  /** The feeds that tell of it. */
  readonly feeds: readonly string[];
  /** Who wrote it, by the client's id. */
  readonly by: string;
}

/** A server of the simulation: the real registry behind the real handler, over a memory store that outlives it. */
export interface SimulatedServer {
  /** Answers a request, in no time. @param body what it carries, to look for what it refers to */
  answer(request: Request, body?: string): Promise<Response>;
  /** The registry as its operator sees it. */
  readonly view: RegistryView;
  /** The registry as somebody else sees it. */
  viewOf(caller: Caller): RegistryView;
  /** Who sends a request with this `Authorization`; nobody, where the server does not let it in. */
  callerOf(authorization: string): Promise<Caller | undefined>;
  /** Every version of a record that was ever committed, in order. */
  readonly ledger: readonly LedgerLine[];
  /** Idempotency keys, each with the versions that it made of the data that are there: of a request alone or in a bundle. */
  readonly effects: ReadonlyMap<string, ReadonlySet<string>>;
  /** References, raw, that were sent before anything was ever there that they lead to: it may have lost it to a backup, or a number was taken away. */
  readonly unknown: ReadonlySet<string>;
  /** Whose consents were withdrawn, by the key of each, and how long the ledger was then. */
  readonly withdrawals: readonly { readonly key: string; readonly line: number }[];
  readonly medium: MemoryMedium;
  /** Every record that there is. */
  records(): readonly Pick<LedgerLine, "type" | "key" | "version" | "record">[];
  /** Loses what is in memory, and starts again on the store. */
  restart(): Promise<void>;
  /** Keeps what there is, in place of the backup before. */
  backUp(): void;
  /** Goes back to the last backup. @returns whether there is one */
  restore(): Promise<boolean>;
}

/** The writes that succeeded, alone or in a bundle, where one that is repeated tells of the same version. */
async function done(
  request: Request,
  body: string,
  response: Response,
): Promise<readonly { readonly key: string; readonly tag: string }[]> {
  if (!response.ok) return [];
  const own = request.headers.get("idempotency-key");
  if (own !== null && response.headers.get("idempotent-replayed") === null) {
    return [{ key: own, tag: response.headers.get("etag") ?? "" }];
  }
  if (!request.url.includes("/$batch")) return [];
  const sent = JSON.parse(body) as { readonly entry: readonly { request: { idempotencyKey?: string } }[] };
  const { entry } = (await response.clone().json()) as {
    readonly entry: readonly { response: { status: number; etag?: string } }[];
  };
  return entry.flatMap(({ response: { status, etag = "" } }, place) => {
    const key = sent.entry[place]?.request.idempotencyKey;
    return key !== undefined && status < 300 ? [{ key, tag: etag }] : [];
  });
}

/** A cheap stand-in for scrypt: what it protects is gone with the simulation. */
const plainSecrets: SecretHashing = {
  hash: async (text) => `plain:${text}`,
  verify: async (text, hash) => hash === `plain:${text}`,
};

/** Starts a server on which two people of each device may sign in: `d0` and `d0b`, `d1` and `d1b`, and so on. */
export async function startServer(options: {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly devices: number;
  /** What it has already; nothing, unless given. */
  readonly medium?: MemoryMedium;
  /** Records that it gives in one page of a feed at most, whatever is asked for; default: as many as any server. */
  readonly page?: number;
  /** Devices whose people see others as far as consents show; default: none. */
  readonly bound?: readonly string[];
}): Promise<SimulatedServer> {
  const { time, random, devices, bound = [] } = options;
  const uuids = random.fork();
  const client = { secret, scopes: allScopes, legalBasis: "public_task" };
  const names = Array.from({ length: devices }, (_, i) => `d${i}`).flatMap((device) =>
    [device, `${device}b`].map((id) => ({ ...client, ...(bound.includes(device) && partner(id)), id })),
  );
  const clients = await createClientDirectory(names, plainSecrets);
  const ledger: LedgerLine[] = [];
  const effects = new Map<string, Set<string>>();
  const unknown = new Set<string>();
  const held = new Set<string>();
  let medium = options.medium ?? createMemoryMedium({ name: "server" });
  let backup: { readonly medium: MemoryMedium; readonly effects: typeof effects } | undefined;
  const withdrawals: { key: string; line: number }[] = [];
  let running: { readonly handle: Handler; readonly registry: Registry; readonly issuer: Issuer };
  const clock = () => new Date(time.now);

  const start = async (renewed: boolean) => {
    const store = noting(createMemoryStore({ medium }), (commit) => {
      note(commit, time.now, ledger);
      for (const raw of commit.put?.flatMap(({ claims = [] }) => claims) ?? []) held.add(raw);
      for (const key of withdrawnIn(commit)) withdrawals.push({ key, line: ledger.length });
    });
    if (renewed) {
      await store.renew?.();
      await forgetEpoch(store);
    }
    const registry = createRegistry({ store, clock, newId: () => uuids.uuid(time.now) });
    const issuer = createIssuer({
      store,
      clients,
      secrets: plainSecrets,
      clock,
      lifetimeSeconds: 90 * 86_400,
    });
    running = { handle: createHandler({ registry, issuer, clock, rateLimit: "off" }), registry, issuer };
  };
  await start(false);
  return {
    async answer(request, body = "") {
      const response = await running.handle(options.page ? paged(request, options.page) : request);
      if (response.status >= 400 && (await response.clone().text()).includes("unknown_reference")) {
        const strange = referencesIn(body).filter((raw) => !medium.claims.has(raw) && !held.has(raw));
        for (const raw of strange) unknown.add(raw);
      }
      for (const { key, tag } of await done(request, body, response)) {
        const tags = effects.get(key) ?? new Set();
        effects.set(key, tags.add(tag));
      }
      return response;
    },
    get view() {
      return running.registry.as(operator);
    },
    viewOf: (caller) => running.registry.as(caller),
    callerOf: (authorization) => running.issuer.identify(authorization.replace(/^Bearer /, "")),
    get medium() {
      return medium;
    },
    ledger,
    effects,
    unknown,
    withdrawals,
    records: () =>
      resourceTypes.flatMap((type) =>
        [...(medium.collections.get(type)?.values() ?? [])].map(({ key, version, body }) => ({
          type,
          key,
          version,
          record: (body as { record: JsonObject }).record,
        })),
      ),
    restart: () => start(false),
    backUp() {
      backup = { medium: structuredClone(medium), effects: structuredClone(effects) };
    },
    async restore() {
      if (!backup) return false;
      const identity = medium.identity;
      medium = Object.assign(structuredClone(backup.medium), { identity });
      effects.clear();
      for (const [key, tags] of backup.effects) effects.set(key, new Set(tags));
      await start(true);
      return true;
    },
  };
}

/** A request for a page of a feed, as a server reads it that gives no more than so many records at once. */
function paged(request: Request, most: number): Request {
  const url = new URL(request.url);
  if (!url.pathname.endsWith("/$changes")) return request;
  url.searchParams.set("limit", String(Math.min(most, Number(url.searchParams.get("limit") ?? most))));
  return new Request(url, request);
}

/** What a request's body refers to. */
function referencesIn(body: string): readonly string[] {
  return [...body.matchAll(/"reference":"([^"]+)"/g)].map(([, reference = ""]) => rawReference(reference));
}

/** A store that tells of each commit it has made. */
function noting(store: Store, told: (commit: Commit) => void): Store {
  return {
    ...store,
    async commit(commit) {
      const result = await store.commit(commit);
      if (result.ok) told(commit);
      return result;
    },
  };
}

function note(commit: Commit, at: number, ledger: LedgerLine[]): void {
  const trail = commit.put?.find(({ collection }) => collection === "audit");
  const by = trail?.entries?.clientId?.[0] ?? "";
  for (const { collection: type, key, version, body, feeds = [] } of commit.put ?? []) {
    if (!resourceTypes.some((name) => name === type)) continue;
    const { record } = body as { record: JsonObject };
    ledger.push({ at, type, key, version, record, feeds, by });
  }
}

/** The subjects of the consents that a commit withdraws, by the key of each. */
function withdrawnIn({ put = [] }: Commit): readonly string[] {
  return put.flatMap(({ collection, body }) => {
    if (collection !== "Consent") return [];
    const { record, links } = body as unknown as {
      readonly record: { readonly status: string };
      readonly links: Readonly<Record<string, string>>;
    };
    return record.status === "withdrawn" ? Object.values(links) : [];
  });
}
