import type { Store } from "@fieldroll/core";
import type { Handler } from "../http/handler.ts";
import type { ReadAuditKeeper } from "../http/read-audit.ts";
import { isServicePath, routeTable } from "../http/route-table.ts";
import { openAppFolder, withApp } from "../node/app-folder.ts";
import { type Listening, listen } from "../node/listen.ts";
import { openDatabase } from "./database.ts";
import { keepForgetting } from "./forgetting.ts";
import { loadRecords } from "./load-records.ts";
import { CommandRefusal, codeOf, messageOf } from "./refusal.ts";
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

/** Opens the store, listens and begins to load what was asked for. Whatever fails, nothing stays open. */
export async function serve(options: ServeOptions, context: ServeContext): Promise<Serving> {
  const clients = await clientsOf(options);
  const app = options.appFolder === undefined ? undefined : await openApp(options.appFolder);
  const store = await openDatabase(options.database);
  try {
    const directory = await directoryOf(clients, { store, database: options.database }, context.log);
    const { programs, withoutConsent, retention } = options;
    const audit = auditOf(store, context.log);
    const registry = openRegistry(store, { programs, withoutConsent, retention, onRead: audit.note });
    let loading = true;
    const isLoading = () => loading;
    const handler = makeHandler(options, context, { store, registry, directory, isLoading });
    const listening = await open(app ? withApp(handler, app, servicePaths(options)) : handler, options);
    const forgetting = keepForgetting(registry, context.log);
    // Of a loading that failed there is something missing until the process ends.
    const loaded = loadRecords({ registry, store }, options, context.log).then(() => {
      loading = false;
    });
    return servingOf(listening, { store, audit, forgetting, loaded, hasApp: app !== undefined });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openApp(folder: string) {
  try {
    return await openAppFolder(folder);
  } catch (error) {
    throw new CommandRefusal(`--app ${folder}: ${messageOf(error)}`);
  }
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
