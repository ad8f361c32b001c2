import type { Registry, Store } from "@fieldroll/core";
import type { Logger } from "pino";
import { v7 } from "uuid";
import { createHandler, type Handler } from "../http/handler.ts";
import { isServicePath, routeTable } from "../http/route-table.ts";
import { openAppFolder, withApp } from "../node/app-folder.ts";
import { type Listening, listen } from "../node/listen.ts";
import { createMetrics } from "../node/metrics.ts";
import { scryptSecrets } from "../node/scrypt.ts";
import { type ClientDirectory, type ClientRegistration, createClientDirectory } from "../oauth/clients.ts";
import { createIssuer } from "../oauth/issuer.ts";
import { createStoredClients, joinDirectories, type StoredClients } from "../oauth/stored-clients.ts";
import { createV1 } from "../v1/create-v1.ts";
import { shortestSecret } from "./client-rules.ts";
import { readClientsFile } from "./clients-file.ts";
import { openDatabase } from "./database.ts";
import { demoClients } from "./demo.ts";
import { loadRecords } from "./load-records.ts";
import { CommandRefusal, codeOf, messageOf } from "./refusal.ts";
import { openRegistry } from "./registry.ts";
import type { ServeOptions } from "./serve-options.ts";

/** A running `fieldroll serve`. */
export interface Serving {
  /** What the first line of standard output tells: docs/command-line.md. */
  readonly addresses: { readonly url: string; readonly authUrl: string; readonly appUrl: string | null };
  /** Settles when everything that was to be loaded is there. Requests are answered before, too. */
  readonly loaded: Promise<void>;
  /** Finishes running requests and closes the store; loading that still goes on breaks off between two commits. */
  close(): Promise<void>;
}

export interface ServeContext {
  readonly version: string;
  readonly log: Logger;
}

/** Opens the store, listens and begins to load what was asked for. Whatever fails, nothing stays open. */
export async function serve(options: ServeOptions, context: ServeContext): Promise<Serving> {
  const secrets = scryptSecrets();
  const clients = await clientsOf(options);
  const app = options.appFolder === undefined ? undefined : await openApp(options.appFolder);
  const store = await openDatabase(options.database);
  try {
    const stored = createStoredClients(store);
    const directory = joinDirectories(await createClientDirectory(clients, secrets), stored);
    await warnOfClients(clients, stored, context.log);
    const { programs, withoutConsent } = options;
    const registry = openRegistry(store, { programs, withoutConsent });
    const handler = makeHandler(options, context, { store, registry, directory });
    const listening = await open(app ? withApp(handler, app, servicePaths(options)) : handler, options);
    const loaded = loadRecords({ registry, store }, options, context.log);
    return servingOf(listening, { store, loaded, hasApp: app !== undefined });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function clientsOf({ clientsFile, demo }: ServeOptions) {
  const registered = clientsFile === undefined ? [] : await readClientsFile(clientsFile);
  if (!demo) return registered;
  const ids = new Set(registered.map(({ id }) => id));
  return [...registered, ...demoClients.filter(({ id }) => !ids.has(id))];
}

/** A registry that nobody can call looks like a broken one. */
async function warnOfClients(
  clients: readonly ClientRegistration[],
  stored: StoredClients,
  log: Logger,
): Promise<void> {
  const demo = new Set(demoClients.map(({ id }) => id));
  for (const { id, secret } of clients) {
    if (secret.length >= shortestSecret || demo.has(id)) continue;
    const text = `the secret of a client in --clients has fewer than ${shortestSecret} characters and can be guessed`;
    log.warn({ client: id }, text);
  }
  if (clients.length > 0 || (await stored.list()).length > 0) return;
  log.warn(
    "NOBODY CAN CALL: there is no client yet. Add one with: fieldroll client add <id> --scopes registry:read,registry:write --database <the same>. Or name a file of clients with --clients, or try --demo.",
  );
}

async function openApp(folder: string) {
  try {
    return await openAppFolder(folder);
  } catch (error) {
    throw new CommandRefusal(`--app ${folder}: ${messageOf(error)}`);
  }
}

function makeHandler(
  options: ServeOptions,
  { version, log }: ServeContext,
  parts: { readonly store: Store; readonly registry: Registry; readonly directory: ClientDirectory },
): Handler {
  const { store, registry, directory } = parts;
  const metrics = createMetrics();
  return createHandler({
    registry,
    issuer: createIssuer({
      store,
      clients: directory,
      secrets: scryptSecrets(),
      trusted: options.trusted,
    }),
    appVersion: version,
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    v1: options.v1,
    ...(options.v1 === "warn" ? { formerVersion: createV1(store) } : {}),
    ...(options.migrationUrl === undefined ? {} : { migrationUrl: options.migrationUrl }),
    newRequestId: () => v7(),
    metrics,
    onAnswer: (entry) => {
      metrics.answered(entry);
      log.info(entry, "answered");
    },
    onFailure: (error, entry) => {
      metrics.failed(error);
      log.error({ ...entry, ...describeFailure(error) }, "failed");
    },
  });
}

/** Messages of unexpected errors may quote records, so a log gets the kind and the place only. */
function describeFailure(error: unknown) {
  if (!(error instanceof Error)) return { error: typeof error };
  const stack = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, code: codeOf(error), at: stack?.slice(0, 8).map((line) => line.trim()) };
}

function servicePaths(options: ServeOptions): (path: string) => boolean {
  const routes = routeTable({ programs: options.programs });
  return (path) => isServicePath(routes, path);
}

async function open(handler: Handler, { port, host }: ServeOptions): Promise<Listening> {
  try {
    return await listen({ handler, port, host });
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const next = `Choose another with --port, such as ${port < 65535 ? port + 1 : 8080}, or --port 0 for any free one (npm start takes it as PORT=…).`;
    if (code === "EADDRINUSE") throw new CommandRefusal(`Port ${port} of ${host} is taken. ${next}`);
    if (code === "EACCES")
      throw new CommandRefusal(`Port ${port} of ${host} may not be used by this user. ${next}`);
    throw new CommandRefusal(`${host} port ${port} can't be listened on (${code}): ${messageOf(error)}`);
  }
}

function servingOf(
  listening: Listening,
  {
    store,
    loaded,
    hasApp,
  }: { readonly store: Store; readonly loaded: Promise<void>; readonly hasApp: boolean },
): Serving {
  const authUrl = listening.url;
  return {
    addresses: { url: `${authUrl}/api/v2`, authUrl, appUrl: hasApp ? `${authUrl}/` : null },
    loaded,
    close: async () => {
      await listening.close();
      await store.close();
    },
  };
}
