import {
  operator,
  type Registry,
  type RegistryConfig,
  type RegistryView,
  type Store,
  unwrap,
} from "@fieldroll/core";
import type { ClientRegistration, HandlerOptions } from "@fieldroll/server";
import { type Answer, type Call, openUsual, type Service, startService } from "./fixture.ts";
import { counted } from "./support/counted.ts";
import { standsFor } from "./support/on-postgres.ts";

/** One thing read, as the registry tells its audit trail. */
export type ReadEntry = Parameters<NonNullable<RegistryConfig["onRead"]>>[0];

/** A server with clients of any kind, whose store tells what was asked of it and whose reads are gathered. */
export interface World extends Omit<Service, "call" | "tokenOf" | "signIn"> {
  /** The registry as its operator sees it. */
  readonly view: RegistryView;
  /** Entries of reads, as the registry tells them. */
  readonly reads: ReadEntry[];
  /** Names of the store's calls with how many things each named, since the last `forget`. */
  readonly storeCalls: { list: string[] };
  /** Sends a request as a client; a number stands for a status that must come back. */
  send(as: string | null, call: Omit<Call, "as">, expected?: number): Promise<Answer>;
  get(as: string | null, path: string, headers?: Call["headers"]): Promise<Answer>;
  post(as: string | null, path: string, body: unknown, headers?: Call["headers"]): Promise<Answer>;
  /** PUT or PATCH of whatever version there is. */
  change(as: string | null, method: "PUT" | "PATCH", path: string, body: unknown): Promise<Answer>;
  /** Records a consent and answers its id. */
  grant(terms: Terms): Promise<string>;
}

export interface Terms {
  readonly subject: string;
  readonly organization?: string;
  readonly organizationType?: string;
  readonly access?: "all" | "basic" | "custom";
  readonly resourceType?: string;
  readonly fields?: readonly string[];
  readonly extensions?: readonly string[];
  readonly scope?: unknown;
  readonly more?: Readonly<Record<string, unknown>>;
}

export interface WorldOptions {
  readonly open?: () => Promise<Store>;
  readonly clients: readonly Omit<ClientRegistration, "secret">[];
  readonly registry?: Partial<RegistryConfig>;
  readonly handler?: Partial<HandlerOptions>;
}

export const everything = [
  "registry:read",
  "registry:write",
  "program:read",
  "program:write",
  "entitlement:read",
  "entitlement:write",
];

/** Clients that the cases of consent are about. */
export const consentClients: readonly Omit<ClientRegistration, "secret">[] = [
  { id: "ministry", scopes: everything, organization: "Ministry", legalBasis: "public_task" },
  { id: "ngo", scopes: everything, organization: "Helpers", organizationType: "ngo", legalBasis: "consent" },
  { id: "ngo2", scopes: everything, organization: "Others", organizationType: "ngo" },
  { id: "un", scopes: everything, organization: "UNX", organizationType: "un" },
];

export async function startWorld(options: WorldOptions): Promise<World> {
  const storeCalls = { list: [] as string[] };
  const own = await (options.open ?? openUsual)();
  const store = standsFor(
    counted(own, (call) => storeCalls.list.push(call)),
    own,
  );
  const reads: ReadEntry[] = [];
  const service = await startService({
    open: async () => store,
    onStoreCalls: (calls) => storeCalls.list.push(...calls),
    registrations: options.clients.map((client) => ({ ...client, secret: `${client.id}-secret` })),
    registry: { onRead: (entry) => reads.push(entry), ...options.registry },
    ...(options.handler && { handler: options.handler }),
  });
  const { registry, clock } = service;
  const tokens = new Map<string, Promise<string>>();
  const tokenOf = (client: string): Promise<string> => {
    // A token is good for an hour; tests that move the clock by less need no other.
    const place = `${client} ${clock.now.toISOString().slice(0, "2026-03-01T08".length)}`;
    const token = tokens.get(place) ?? service.signIn(client);
    tokens.set(place, token);
    return token;
  };
  const send: World["send"] = async (as, call, expected) => {
    const headers = as === null ? {} : { Authorization: `Bearer ${await tokenOf(as)}` };
    storeCalls.list.length = 0;
    const answer = await service.call({ ...call, as: null, headers: { ...headers, ...call.headers } });
    if (expected !== undefined && answer.status !== expected) {
      throw new Error(
        `${call.method ?? "GET"} ${call.path}: ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    }
    return answer;
  };
  return {
    store,
    registry,
    handle: service.handle,
    clock,
    view: registry.as(operator),
    reads,
    storeCalls,
    send,
    get: (as, path, headers = {}) => send(as, { path, headers }),
    post: (as, path, body, headers = {}) => send(as, { method: "POST", path, body, headers }),
    change: (as, method, path, body) => send(as, { method, path, body, headers: { "If-Match": "*" } }),
    grant: (terms) => grant(registry, terms),
  };
}

/** Makes records as the operator, all at once, so that they may refer to each other. */
export async function seed(world: World, records: readonly { readonly type: string }[]): Promise<void> {
  const types = { Individual: 0, Group: 1, Program: 2, ProgramMembership: 3 };
  const entries = records.map((body) => {
    return { verb: "create", type: body.type as keyof typeof types, body } as const;
  });
  unwrap(await world.view.transaction(entries));
}

async function grant(registry: Registry, terms: Terms): Promise<string> {
  const { organization, organizationType, access = "all", resourceType = "all" } = terms;
  const { fields, extensions } = terms;
  const consent = await registry.as(operator).consents.grant({
    subject: { reference: terms.subject },
    grantee: { ...(organization ? { organization } : {}), ...(organizationType ? { organizationType } : {}) },
    scope: terms.scope ?? [
      { resourceType, fieldAccess: access, ...(fields && { fields }), ...(extensions && { extensions }) },
    ],
    ...terms.more,
  });
  return unwrap(consent).id;
}
