import type { Store } from "@fieldroll/core";
import type { Logger } from "pino";
import type { Handler } from "../http/handler.ts";
import type { ReadAuditKeeper } from "../http/read-audit.ts";
import { isServicePath, routeTable } from "../http/route-table.ts";
import { openAppFolder, withApp } from "../node/app-folder.ts";
import type { Listening } from "../node/listen.ts";
import type { ClientRegistration } from "../oauth/clients.ts";
import { isNew, openDatabase, placeOf } from "./database.ts";
import { keepForgetting } from "./forgetting.ts";
import { listenOn } from "./listen-on.ts";
import { loadRecords, refuseUnloadable } from "./load-records.ts";
import { CommandRefusal, messageOf } from "./refusal.ts";
import { openRegistry } from "./registry.ts";
import { clientsOf, directoryOf } from "./serve-clients.ts";
import { auditOf, makeHandler, type ServeContext } from "./serve-handler.ts";
import type { ServeOptions } from "./serve-options.ts";

/** A running `fieldroll serve`. */
export interface Serving {
  /** What the first line of standard output tells: docs/command-line.md. */
  readonly addresses: { readonly url: string; readonly authUrl: string; readonly appUrl: string | null };
  /** Settles when everything that was to be loaded is there. Requests are answered before, too, and `/readyz` says so. */
  readonly loaded: Promise<void>;
  /** Finishes running requests and closes the store; loading that still goes on breaks off between two commits. */
  close(): Promise<void>;
}

/** Listens, opens the store and begins to load what was asked for. Whatever fails, nothing stays open. */
export async function serve(options: ServeOptions, context: ServeContext): Promise<Serving> {
  const clients = await clientsOf(options);
  const app =
    options.appFolder === undefined ? undefined : await openApp(options.appFolder, options.compress);
  if (options.loadFile !== undefined) await refuseUnloadable(options.loadFile, context.log);
  const answering = handlerToCome();
  // Before anything is made: of a start whose port is taken nothing is left.
  const listening = await listenOn(answering.handler, options);
  try {
    const store = await openStore(options, context.log);
    try {
      const { handler, ...running } = await answeringFrom(store, { options, context, clients });
      answering.is(app ? withApp(handler, app, servicePaths(options)) : handler);
      return servingOf(listening, { store, ...running, hasApp: app !== undefined });
    } catch (error) {
      // What failed first is the one to tell.
      await store.close().catch(() => undefined);
      throw error;
    }
  } catch (error) {
    answering.fails(error);
    await listening.close();
    throw error;
  }
}

/** Requests that come before there is a handler wait for it. */
function handlerToCome() {
  let is: (handler: Handler) => void = () => {};
  let fails: (error: unknown) => void = () => {};
  const come = new Promise<Handler>((resolve, reject) => {
    is = resolve;
    fails = reject;
  });
  // It fails with the start as a whole, which tells it.
  come.catch(() => {});
  const handler: Handler = async (request, peer) => (await come)(request, peer);
  return { handler, is, fails };
}

async function openStore({ database, makeFolders, demo }: ServeOptions, log: Logger): Promise<Store> {
  const fresh = await isNew(database);
  const store = await openDatabase(database, { makeFolders });
  // A mistyped path would otherwise look like a registry that lost everything.
  const made = `There was no registry in ${placeOf(database)}: a new one was made there.`;
  if (fresh) log[demo ? "info" : "warn"](made);
  return store;
}

interface AnsweringParts {
  readonly options: ServeOptions;
  readonly context: ServeContext;
  readonly clients: readonly ClientRegistration[];
}

async function answeringFrom(store: Store, { options, context, clients }: AnsweringParts) {
  const directory = await directoryOf(clients, { store, database: options.database }, context.log);
  const { programs, withoutConsent, restrictedWrites, oneHousehold, retention } = options;
  const audit = auditOf(store, context.log);
  const registry = openRegistry(store, {
    ...{ programs, withoutConsent, restrictedWrites, oneHousehold, retention },
    onRead: audit.note,
  });
  let loading = true;
  const isLoading = () => loading;
  const handler = makeHandler(options, context, { store, registry, directory, isLoading });
  const forgetting = keepForgetting(registry, context.log);
  // Of a loading that failed there is something missing until the process ends.
  const loaded = loadRecords({ registry, store }, options, context.log).then(() => {
    loading = false;
  });
  return { handler, audit, forgetting, loaded };
}

async function openApp(folder: string, compress: boolean) {
  try {
    return await openAppFolder(folder, { compress });
  } catch (error) {
    throw new CommandRefusal(`--app ${folder}: ${messageOf(error)}`);
  }
}

function servicePaths(options: ServeOptions): (path: string) => boolean {
  const routes = routeTable({ programs: options.programs });
  return (path) => isServicePath(routes, path);
}

interface ServingParts {
  readonly store: Store;
  readonly audit: ReadAuditKeeper;
  readonly forgetting: ReturnType<typeof keepForgetting>;
  readonly loaded: Promise<void>;
  readonly hasApp: boolean;
}

function servingOf(
  listening: Listening,
  { store, audit, forgetting, loaded, hasApp }: ServingParts,
): Serving {
  const authUrl = listening.url;
  return {
    addresses: { url: `${authUrl}/api/v2`, authUrl, appUrl: hasApp ? `${authUrl}/` : null },
    loaded,
    close: async () => {
      await listening.close();
      await forgetting.stop();
      try {
        await audit.close();
      } finally {
        await store.close();
      }
    },
  };
}
