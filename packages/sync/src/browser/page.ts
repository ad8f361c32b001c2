/**
 * The page side of a field app: connects to the worker that holds the records, and registers the service worker.
 * @module
 */
import { refuseUnknownOptions } from "@fieldroll/core";
import { type Endpoint, proxy, type Remote, wrap } from "comlink";
import { clientOver } from "../client/over-service.ts";
import { hostClock, hostTimers } from "../host.ts";
import type { Timers } from "../ports.ts";
import type { FieldService } from "../service-types.ts";
import type { FieldClient } from "../types.ts";
import { type FieldWorker, isWakeMessage, type NetworkSeen, type WorkerSetup, wakeTag } from "./protocol.ts";
import { safeModeService } from "./safe-mode.ts";
import { serviceOrStandIn } from "./service-later.ts";

export type { WorkerSetup } from "./protocol.ts";
export { registerAppWorker } from "./register.ts";

/**
 * Connects a page to the field service of a worker (`exposeFieldService`), and passes on what only a page learns: the
 * network coming and going, the page coming to the front, a service worker that was woken. Asks the browser to keep the
 * records (`navigator.storage.persist`).
 *
 * Until the worker has answered, the status says `stopped`. One whose script can't be loaded or run, or that has said nothing for 20
 * seconds, leaves the client in safe mode: nothing is read, edits are refused, and the status says why. It ends when the worker
 * answers all the same. One that answers may open its records for as long as that takes.
 *
 * @param setup what is wrong with it the worker says: by the status, and by rejections
 * @param timers of the host, unless a test has others
 * @throws TypeError for what is no worker, and for an unknown option
 *
 * @example
 * const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
 * const client = connectFieldWorker(worker, { server: "https://registry.example/api/v2" });
 */
export function connectFieldWorker(
  worker: Endpoint,
  setup: WorkerSetup,
  timers: Timers = hostTimers,
): FieldClient {
  if (!worker?.postMessage) throw new TypeError("connectFieldWorker: worker must be a Worker.");
  refuseUnknownOptions("connectFieldWorker", setup, ["server", "authServer", "feeds"]);
  const remote = wrap<FieldWorker>(worker);
  const asking = askUntilThere(remote, timers);
  const opened = asking.there.then(() => {
    // What is asked meanwhile waits there for it, and fails as it does.
    remote.open({ ...setup, ...networkSeen() }).catch(() => undefined);
    return serviceOf(remote);
  });
  const failed = Promise.race([failureOf(worker), asking.silence]);
  const client = clientOver(serviceOrStandIn(opened, failed), hostClock);
  const end = tellEvents(remote, client);
  void navigator.storage?.persist?.().catch(() => false);
  return {
    ...client,
    async close() {
      end();
      asking.stop();
      await client.close();
    },
  };
}

/** What stands in for a worker that fails before it has answered: nobody would ever learn of it otherwise. */
function failureOf(worker: Endpoint): Promise<FieldService> {
  return new Promise((resolve) => {
    worker.addEventListener("error", () => resolve(safeModeService(notLoaded)));
  });
}

const notLoaded =
  "The part of this app that keeps the records could not be loaded. Check the network, then load the app again. (Whoever makes the app: is the script of its worker there, and does it run?)";

/** Milliseconds between two questions, and how many a worker leaves unanswered that may never answer: a slow tablet takes its time to start one. */
const patience = { between: 1_000, questions: 20 };

/**
 * Asks a worker again and again whether it is there: what is said to one that calls `exposeFieldService` only later is lost. One that
 * is there answers at once, whatever it is opening.
 *
 * @returns `silence`, what stands in for one that has not answered for long
 */
function askUntilThere(remote: Remote<FieldWorker>, timers: Timers) {
  let cancel: () => void = () => undefined;
  let giveUp: () => void = () => undefined;
  const silence = new Promise<FieldService>((resolve) => {
    giveUp = () => resolve(safeModeService(silent));
  });
  const there = new Promise<void>((resolve) => {
    let questions = 0;
    const ask = () => {
      if (questions++ === patience.questions) giveUp();
      cancel = timers.set(patience.between, ask);
      remote.network(networkSeen()).then(() => {
        cancel();
        giveUp = () => undefined;
        resolve();
      });
    };
    ask();
  });
  const stop = () => {
    cancel();
    giveUp();
  };
  return { there, silence, stop };
}

const silent =
  "The part of this app that keeps the records has not answered yet; nothing can be read or saved until it does. Wait, or load the app again. (Whoever makes the app: does its worker call exposeFieldService?)";

/** The worker's service as the page calls it: only the listener needs a way back through the boundary. */
function serviceOf(remote: Remote<FieldWorker>): FieldService {
  return {
    read: (...call) => remote.read(...call),
    search: (...call) => remote.search(...call),
    create: (...call) => remote.create(...call),
    edit: (...call) => remote.edit(...call),
    registerHousehold: (...call) => remote.registerHousehold(...call),
    findSimilar: (...call) => remote.findSimilar(...call),
    signIn: (...call) => remote.signIn(...call),
    signOut: (...call) => remote.signOut(...call),
    sync: () => remote.sync(),
    poke: () => remote.poke(),
    pause: (...call) => remote.pause(...call),
    status: () => remote.status(),
    parked: () => remote.parked(),
    unsent: () => remote.unsent(),
    resolve: (...call) => remote.resolve(...call),
    explain: (...call) => remote.explain(...call),
    exportUnsent: (...call) => remote.exportUnsent(...call),
    importUnsent: (...call) => remote.importUnsent(...call),
    diagnostics: () => remote.diagnostics(),
    subscribe: (listener) => remote.subscribe(proxy(listener)),
    unsubscribe: (...call) => remote.unsubscribe(...call),
    close: () => remote.close(),
  };
}

/** What the Network Information API tells, where there is any. */
interface Connection extends Partial<Pick<EventTarget, "addEventListener">> {
  readonly type?: string;
  readonly saveData?: boolean;
}

function connectionOf(navigator: Navigator): Connection | undefined {
  return (navigator as { readonly connection?: Connection }).connection;
}

function networkSeen(): NetworkSeen {
  const { type, saveData = false } = connectionOf(navigator) ?? {};
  return { online: navigator.onLine, metered: saveData || type === "cellular" };
}

/** @returns a function that stops listening. */
function tellEvents(remote: Remote<FieldWorker>, client: FieldClient): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const network = () => void remote.network(networkSeen());
  window.addEventListener("online", network, { signal });
  window.addEventListener("offline", network, { signal });
  connectionOf(navigator)?.addEventListener?.("change", network, { signal });
  document.addEventListener(
    "visibilitychange",
    () => {
      if (document.visibilityState === "visible") void remote.poke();
    },
    { signal },
  );
  navigator.serviceWorker?.addEventListener(
    "message",
    (event) => {
      if (isWakeMessage(event.data)) void remote.poke();
    },
    { signal },
  );
  const stop = askToBeWoken(client);
  return () => {
    ending.abort();
    stop();
  };
}

/** What Background Sync adds to a registration, where there is any. */
interface WithSync {
  readonly sync?: { register(tag: string): Promise<void> };
}

/** Asks the browser to wake the service worker once the network is there, whenever edits begin to wait. */
function askToBeWoken(client: FieldClient): () => void {
  let waiting = false;
  return client.status.subscribe(({ pending }) => {
    const before = waiting;
    waiting = pending > 0;
    if (waiting && !before) void registerSync().catch(() => undefined);
  });
}

async function registerSync(): Promise<void> {
  const registration = (await navigator.serviceWorker?.getRegistration()) as WithSync | undefined;
  await registration?.sync?.register(wakeTag);
}
