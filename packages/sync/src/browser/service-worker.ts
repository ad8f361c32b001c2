/**
 * The service worker of a field app: it keeps the app's own files, so that a reload works without a network, and wakes the
 * pages. It never holds requests back to send them later: the outbox is in the engine's store, and nowhere else.
 * @module
 */
import {
  addPlugins,
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  precacheAndRoute,
} from "workbox-precaching";
import { NavigationRoute, registerRoute } from "workbox-routing";
import { isAppFile } from "./app-file.ts";
import { wakeMessage, wakeTag } from "./protocol.ts";

/** One file of the app; `revision` is `null` where its name already tells its content. */
export interface AppFile {
  readonly url: string;
  readonly revision: string | null;
  /** Subresource integrity of its content: any other content under its address ends the installation. */
  readonly integrity?: string;
}

export interface OfflineAppOptions {
  /** Every file the app needs, as Workbox lists them (`self.__WB_MANIFEST`). */
  readonly files: readonly AppFile[];
  /** The file that answers a navigation. Default `index.html`. */
  readonly shell?: string;
  /** Paths of the origin that are not the app's, such as `/^\/api\//`. */
  readonly notTheApp?: readonly RegExp[];
}

/** What this worker uses of its global scope: the DOM's types do not know it. */
interface Scope {
  skipWaiting(): Promise<void>;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: "window" }): Promise<readonly { postMessage(message: unknown): void }[]>;
  };
  addEventListener(type: string, listener: (event: ScopeEvent) => void): void;
}

interface ScopeEvent {
  waitUntil(work: Promise<unknown>): void;
  readonly tag?: string;
  readonly data?: unknown;
}

/** Serves the app from its cache, and wakes its pages at `sync` and `periodicsync`. Call it once, at the start. */
export function serveOfflineApp(options: OfflineAppOptions): void {
  if (!Array.isArray(options?.files)) {
    // Not by the name that Workbox looks for: it takes no script that has it twice.
    throw new TypeError("serveOfflineApp: files must be a list of the app's files. Has Workbox put it in?");
  }
  const scope = globalThis as unknown as Scope;
  cleanupOutdatedCaches();
  addPlugins([{ fetchDidSucceed: async ({ request, response }) => takenFile(request, response) }]);
  precacheAndRoute([...options.files]);
  const shell = createHandlerBoundToURL(options.shell ?? "index.html");
  registerRoute(new NavigationRoute(shell, { denylist: [...(options.notTheApp ?? [])] }));
  // The page that installs the worker is served by it at once, so that its very next reload needs no network.
  scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));
  // A new version waits until the person takes it: two versions of the app never share a page.
  scope.addEventListener("message", (event) => {
    if (isSkipWaiting(event.data)) void scope.skipWaiting();
  });
  for (const kind of ["sync", "periodicsync"]) {
    scope.addEventListener(kind, (event) => {
      if (event.tag === wakeTag) event.waitUntil(wakePages(scope));
    });
  }
}

/** @throws Error for what is no file of the app, which ends the installation: the former version stays. */
function takenFile({ url }: Request, response: Response): Response {
  if (isAppFile(url, response)) return response;
  throw new Error(`Something else was answered than ${url}; this network may ask for a sign-in first.`);
}

async function wakePages(scope: Scope): Promise<void> {
  for (const page of await scope.clients.matchAll({ type: "window" })) page.postMessage(wakeMessage);
}

/** The message that workbox-window sends. */
function isSkipWaiting(data: unknown): boolean {
  return typeof data === "object" && data !== null && (data as { type?: unknown }).type === "SKIP_WAITING";
}
