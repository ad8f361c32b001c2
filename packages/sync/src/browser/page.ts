/**
 * The page side of a field app: connects to the worker that holds the records, and registers the service worker.
 * @module
 */
import { refuseUnknownOptions } from "@fieldroll/core";
import { type Endpoint, proxy, type Remote, wrap } from "comlink";
import { clientOver } from "../client/over-service.ts";
import { hostClock, hostTimers } from "../host.ts";
import type { Timers } from "../ports.ts";
import type { SafeModeCause } from "../safe-mode-cause.ts";
import type { FieldService } from "../service-types.ts";
import type { FieldClient } from "../types.ts";
import {
  type FieldWorker,
  isWakeMessage,
  type NetworkSeen,
  otherBuild,
  type WorkerSetup,
  wakeTag,
} from "./protocol.ts";
import { safeModeService } from "./safe-mode.ts";
import { createRelay } from "./service-later.ts";

export type { WorkerSetup } from "./protocol.ts";
export { type AppUpdate, registerAppWorker } from "./register.ts";

/**
 * Connects a page to the field service of a worker (`exposeFieldService`), and passes on what only a page learns: the
 * network coming and going, the page coming to the front, a service worker that was woken. Asks the browser to keep the
 * records (`navigator.storage.persist`).
 *
 * Until the worker has answered, the status says `stopped`. One whose script can't be loaded or run, or that has said nothing for three
 * minutes, leaves the client in safe mode: nothing is read, edits are refused, and the status says why. It ends when the worker
 * answers all the same. One that answers may open its records for as long as that takes. One of another build is asked for nothing, and the
 * client is in safe mode until the page is loaded again.
 *
 * @param worker to talk to; or what makes one, which is then called again every five seconds while a script does not load
 * @param setup what is wrong with it the worker says: by the status, and by rejections
 * @param timers of the host, unless a test has others
 * @throws TypeError for what is no worker, and for an unknown option
 *
 * @example
 * const start = () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
 * const client = connectFieldWorker(start, { server: "https://registry.example/api/v2" });
 */
export function connectFieldWorker(
  worker: Endpoint | (() => Endpoint),
  setup: WorkerSetup,
  timers: Timers = hostTimers,
): FieldClient {
  const isMaker = typeof worker === "function";
  const first = isMaker ? worker() : worker;
  if (!first?.postMessage) throw new TypeError("connectFieldWorker: worker must be a Worker.");
  refuseUnknownOptions("connectFieldWorker", setup, ["server", "authServer", "feeds", "build"]);
  const relay = createRelay();
  const link = connectUntilThere(first, isMaker ? worker : null, {
    timers,
    build: setup.build ?? null,
    there(remote) {
      // What is asked meanwhile waits there for it, and fails as it does.
      remote.open({ ...setup, ...networkSeen() }).catch(() => undefined);
      relay.use(serviceOf(remote));
    },
    failed: (cause, detail) => relay.use(safeModeService(cause, detail)),
  });
  const client = clientOver(relay.service, hostClock);
  const end = tellEvents(link, client);
  void navigator.storage?.persist?.().catch(() => false);
  return {
    ...client,
    async close() {
      end();
      link.stop();
      await client.close();
    },
  };
}

const notLoaded =
  "The part of this app that keeps the records could not be loaded. Check the network, then load the app again. (Whoever makes the app: is the script of its worker there, and does it run?)";

/** Milliseconds between two questions, how many a worker leaves unanswered that may never answer (its script comes slowly over a slow network), and until another is made. */
const patience = { between: 1_000, questions: 180, again: 5_000 };

/** A worker that is being connected. */
interface Link {
  /** Tells it something if it is there. One that comes later learns of the network when it is opened. */
  tell(words: (remote: Remote<FieldWorker>) => Promise<void>): void;
  stop(): void;
}

interface LinkOptions {
  readonly timers: Timers;
  /** Of the page. */
  readonly build: string | null;
  readonly there: (remote: Remote<FieldWorker>) => void;
  /** Called where it fails, or has not answered for long: nobody would ever learn of it otherwise. */
  readonly failed: (cause: SafeModeCause, detail: string) => void;
}

/**
 * Asks a worker again and again whether it is there: what is said to one that calls `exposeFieldService` only later is lost. One that
 * is there answers at once, whatever it is opening. One whose script fails is made again, where there is what makes it. One of another
 * build is asked for nothing else.
 */
function connectUntilThere(first: Endpoint, make: (() => Endpoint) | null, options: LinkOptions): Link {
  const { timers, build, there, failed } = options;
  let remote: Remote<FieldWorker> | null = null;
  let cancel: () => void = () => undefined;
  let isOver = false;
  const begin = (worker: Endpoint) => {
    const asked = wrap<FieldWorker>(worker);
    let questions = 0;
    let isThere = false;
    const meet = (theirs: string | null) => {
      if (isThere || isOver) return;
      isThere = true;
      cancel();
      if (theirs !== build) return failed("other-build", otherBuild(build, theirs));
      remote = asked;
      there(asked);
    };
    worker.addEventListener("error", () => {
      // An error of one that is at work is no end of it.
      if (isThere || isOver) return;
      failed("not-loaded", notLoaded);
      cancel();
      if (make) cancel = timers.set(patience.again, () => begin(make()));
    });
    const ask = () => {
      if (questions++ === patience.questions) failed("not-loaded", silent);
      cancel = timers.set(patience.between, ask);
      // A worker of a build before there were names has no answer.
      asked.hello().then(meet, () => meet(null));
    };
    ask();
  };
  begin(first);
  return {
    tell: (words) => void (remote && words(remote)),
    stop() {
      cancel();
      isOver = true;
      if (!remote) failed("not-loaded", silent);
    },
  };
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
function tellEvents(link: Link, client: FieldClient): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const network = () => link.tell((remote) => remote.network(networkSeen()));
  const poke = () => link.tell((remote) => remote.poke());
  window.addEventListener("online", network, { signal });
  window.addEventListener("offline", network, { signal });
  connectionOf(navigator)?.addEventListener?.("change", network, { signal });
  document.addEventListener(
    "visibilitychange",
    () => {
      if (document.visibilityState === "visible") poke();
    },
    { signal },
  );
  navigator.serviceWorker?.addEventListener(
    "message",
    (event) => {
      if (isWakeMessage(event.data)) poke();
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
