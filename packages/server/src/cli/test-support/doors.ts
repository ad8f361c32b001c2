import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createMemoryStore,
  createRegistry,
  diffMergePatch,
  disability,
  farmer,
  type JsonObject,
  type Outcome,
  operator,
  type Problem,
  type Registry,
  type RegistryConfig,
  type RegistryView,
  type ResourceType,
  type Store,
  unwrap,
} from "@fieldroll/core";
import { v7 } from "uuid";
import { createHandler } from "../../http/handler.ts";
import { scryptSecrets } from "../../node/scrypt.ts";
import { createClientDirectory } from "../../oauth/clients.ts";
import { createIssuer } from "../../oauth/issuer.ts";
import { createV1 } from "../../v1/create-v1.ts";
import { verbsOf } from "../../verbs.ts";
import { exportLines } from "../export.ts";
import { importFile } from "../import.ts";

export const today = "2026-03-01";

/** What a door said: nothing where it took what it was given, else each fault as `<field> <code>`, sorted, and in words. */
export interface Verdict {
  readonly faults: readonly string[];
  readonly words: string;
}

export const taken: Verdict = { faults: [], words: "" };

/** A registry with all of its doors. */
export interface Doors {
  readonly registry: Registry;
  readonly store: Store;
  readonly view: RegistryView;
  /** Everything that is there, as text. */
  everything(): Promise<string>;
  importLines(...lines: readonly object[]): Promise<Verdict>;
  request(method: string, path: string, body: unknown, headers?: Record<string, string>): Promise<Verdict>;
  /** One entry in a bundle. */
  bundle(type: "batch" | "transaction", request: JsonObject, resource: unknown): Promise<Verdict>;
}

const scopes = ["registry", "program", "entitlement"].flatMap((part) => [`${part}:read`, `${part}:write`]);

export async function openDoors(policies: RegistryConfig["policies"] = {}): Promise<Doors> {
  const store = createMemoryStore();
  const clock = () => new Date(`${today}T08:00:00Z`);
  const registry = createRegistry({
    store,
    clock,
    newId: () => v7(),
    extensions: [farmer, disability],
    policies,
  });
  const secrets = scryptSecrets({ cost: 2 });
  const client = { id: "office", secret: "office-secret-1234", scopes, legalBasis: "public_task" };
  const clients = await createClientDirectory([client], secrets);
  const issuer = createIssuer({ store, clients, secrets, clock });
  const formerVersion = createV1(store);
  const handle = createHandler({ registry, issuer, clock, v1: "warn", formerVersion });
  const basic = { Authorization: `Basic ${btoa(`${client.id}:${client.secret}`)}` };
  const signIn = new Request("http://r.test/oauth2/token", {
    method: "POST",
    headers: basic,
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  const { access_token } = (await (await handle(signIn)).json()) as { readonly access_token: string };
  const send = async (method: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
    const former = path.startsWith("/api/v1/");
    const authorization = former ? basic : { Authorization: `Bearer ${access_token}` };
    const answer = await handle(
      new Request(`http://r.test${former ? path : `/api/v2${path}`}`, {
        method,
        headers: { ...authorization, "Content-Type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    );
    return { status: answer.status, body: (await answer.json()) as JsonObject };
  };
  const request: Doors["request"] = async (...asked) => {
    const { status, body } = await send(...asked);
    return status < 300 ? taken : verdictOf(body);
  };
  const view = registry.as(operator);
  return {
    registry,
    store,
    view,
    request,
    everything: async () => {
      const lines: string[] = [];
      for await (const line of exportLines({ registry, store })) lines.push(JSON.stringify(line));
      return lines.join("\n");
    },
    importLines: (...lines) => importInto({ registry, store }, lines),
    bundle: async (type, asked, resource) => {
      const entry = [{ request: asked, resource }];
      const answer = await send("POST", "/$batch", { resourceType: "Bundle", type, entry });
      if (answer.status >= 300) return verdictOf(answer.body);
      const [told] = answer.body.entry as unknown as readonly Told[];
      return told && told.response.status >= 300 ? verdictOf(told.resource) : taken;
    },
  };
}

interface Told {
  readonly response: { readonly status: number };
  readonly resource: JsonObject;
}

/** What an outcome of the library, or the body of a problem, says. */
export function verdictOf(problem: JsonObject | Problem): Verdict {
  const { errors = [], detail, error } = problem as Partial<Problem> & { readonly error?: string };
  return {
    faults: errors.map(({ field, code }) => `${field} ${code}`).toSorted(),
    words: errors.map(({ field, message }) => `${field}: ${message}`).join("; ") || String(detail ?? error),
  };
}

export function said(outcome: Outcome<unknown>): Verdict {
  return outcome.ok ? taken : verdictOf(outcome.problem);
}

/** Codes are for programs: an import tells its faults in words. */
export async function importInto(
  destination: { readonly registry: Registry; readonly store: Store },
  lines: readonly object[],
): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-doors-"));
  try {
    const path = join(folder, "lines.ndjson");
    await writeFile(path, lines.map((line) => JSON.stringify(line)).join("\n"));
    const words: string[] = [];
    await importFile(destination, path, {
      onFault: (_, fault) => void words.push(fault),
      onProgress: () => {},
    });
    return { faults: [], words: words.join("\n") };
  } finally {
    await rm(folder, { recursive: true });
  }
}

type Given = { readonly before: JsonObject; readonly after: JsonObject };

/** The doors through which a record comes to be. */
export const creating: Readonly<Record<string, (doors: Doors, body: JsonObject) => Promise<Verdict>>> = {
  library: async ({ view }, body) => said(await verbsOf(view, typeOf(body)).create(body)),
  POST: ({ request }, body) => request("POST", `/${typeOf(body)}`, body),
  batch: ({ bundle }, body) => bundle("batch", { method: "POST", url: typeOf(body) }, body),
  transaction: ({ bundle }, body) => bundle("transaction", { method: "POST", url: typeOf(body) }, body),
  import: ({ importLines }, body) => importLines(body),
};

/** The doors through which a record changes. */
export const changing: Readonly<Record<string, (doors: Doors, given: Given) => Promise<Verdict>>> = {
  library: async ({ view }, { before, after }) =>
    said(await verbsOf(view, typeOf(after)).replace(addressOf(before), after, { ifMatch: "*" })),
  "library patch": async ({ view }, given) =>
    said(
      await verbsOf(view, typeOf(given.after)).patch(addressOf(given.before), patchOf(given), {
        ifMatch: "*",
      }),
    ),
  PUT: ({ request }, { before, after }) => request("PUT", pathOf(before), after, { "If-Match": "*" }),
  PATCH: ({ request }, given) =>
    request("PATCH", pathOf(given.before), patchOf(given), {
      "If-Match": "*",
      "Content-Type": "application/merge-patch+json",
    }),
  "PUT in a batch": ({ bundle }, { before, after }) =>
    bundle("batch", { method: "PUT", url: pathOf(before).slice(1), ifMatch: "*" }, after),
  "PUT in a transaction": ({ bundle }, { before, after }) =>
    bundle("transaction", { method: "PUT", url: pathOf(before).slice(1), ifMatch: "*" }, after),
  "PATCH in a batch": ({ bundle }, given) =>
    bundle("batch", { method: "PATCH", url: pathOf(given.before).slice(1), ifMatch: "*" }, patchOf(given)),
  import: ({ importLines }, { after }) => importLines(after),
};

function patchOf({ before, after }: Given): JsonObject {
  return diffMergePatch(before, after) as JsonObject;
}

function typeOf({ type }: JsonObject): ResourceType {
  return type as ResourceType;
}

function addressOf({ identifier }: JsonObject): string {
  const [first] = identifier as unknown as readonly { readonly system: string; readonly value: string }[];
  return `${first?.system}|${first?.value}`;
}

function pathOf(record: JsonObject): string {
  return `/${typeOf(record)}/${addressOf(record)}`;
}

/** Puts records there, as they come from a copy of a register. */
export async function seed({ view }: Doors, ...records: readonly JsonObject[]): Promise<void> {
  const entries = records.map((body) => ({ verb: "create", type: typeOf(body), body }) as const);
  unwrap(await view.transaction(entries, { trusted: true }));
}
