/**
 * The worker side of a field app: the store, the registry and the engine live here, away from the page's thread.
 * @module
 */
import { type RegistryConfig, type Store, StoreError } from "@fieldroll/core";
import { type Endpoint, expose } from "comlink";
import { hostTimers } from "../host.ts";
import { safeModeCause } from "../model/safe-mode-cause.ts";
import type { SafeModeCause } from "../safe-mode-cause.ts";
import { assemble } from "../service/parts.ts";
import { createReaders, type Readers, soon } from "../service/readers.ts";
import { fieldServiceOver } from "../service/service.ts";
import type { FieldServiceOptions } from "../service-options.ts";
import type { FieldService } from "../service-types.ts";
import { broadcastChannel, type ToldConnectivity, toldConnectivity, webLock } from "./ports.ts";
import { privateFile } from "./private-file.ts";
import { type FieldWorker, otherBuild, type WorkerSetup } from "./protocol.ts";
import { safeModeService } from "./safe-mode.ts";
import { createRelay, serviceLater } from "./service-later.ts";

export type { FieldWorker, WorkerSetup } from "./protocol.ts";

export interface ExposeOptions {
  /** Opens the store of this device, such as `() => openIndexedDbStore({ name: "fieldroll" })`. */
  readonly openStore: () => Promise<Store>;
  /** Name of the lead and of the channel that the tabs share; one per store. Default `fieldroll`. */
  readonly name?: string;
  /** As the server has them: see {@link FieldServiceOptions.rules}. */
  readonly rules?: Pick<RegistryConfig, "namespace" | "vocabularies" | "extensions" | "capabilities">;
  /** Names the build of the app, as {@link WorkerSetup.build} of its page does. */
  readonly build?: string;
  /** Beyond what the page sets up: intervals, timeouts, ports. */
  readonly service?: Partial<Omit<FieldServiceOptions, "server" | "store">>;
  /** Where the page listens. Default: the page that made this worker. */
  readonly endpoint?: Endpoint;
}

/**
 * Offers a field service to the page that made this worker; `connectFieldWorker` is the other end. When the store can't
 * be opened the service is in safe mode: it refuses edits and says why, and opens the store again every five seconds until that succeeds.
 * After the browser has deleted the store, it goes on with a new one.
 *
 * @throws TypeError without `openStore`
 *
 * @example
 * exposeFieldService({ openStore: () => openIndexedDbStore({ name: "fieldroll" }) });
 */
export function exposeFieldService(options: ExposeOptions): void {
  if (!options?.openStore)
    throw new TypeError("exposeFieldService: openStore must be a function that opens a store.");
  expose(fieldWorker(options), options.endpoint);
}

/** The object that is exposed: every call waits until the page has set the service up. */
export function fieldWorker(options: ExposeOptions): FieldWorker {
  const connectivity = toldConnectivity(true);
  let opened: (service: Promise<Opened>) => void = () => undefined;
  let opening = new Promise<Opened>((resolve) => {
    opened = resolve;
  });
  const timers = options.service?.timers ?? hostTimers;
  const readers = createReaders(timers);
  const later = serviceLater(async () => (await opening).service);
  const { build = null } = options;
  return {
    hello: async () => build,
    async open({ online, metered, build: asked = null, ...setup }) {
      connectivity.set(online, metered);
      const made =
        asked === build
          ? openService(options, { setup, connectivity, readers })
          : Promise.resolve(standIn("other-build", otherBuild(asked, build)));
      opened(made);
      // One that was set up wrong may be set up anew; one that is open stays as it is, and whoever sets it up wrong hears of it.
      opening = opening.catch(() => made);
      await Promise.all([opening, made]);
    },
    async network({ online, metered }) {
      connectivity.set(online, metered);
    },
    ...later,
    read: (...call) => readers.counting(later.read(...call)),
    search: (...call) => readers.counting(later.search(...call)),
    async subscribe(listener) {
      // The status is read from all that is unsent; and until the engine has begun, it says that nothing is going on.
      const { started, lost } = await opening;
      await readers.answered();
      await soon(timers, started);
      return later.subscribe((news) => {
        if (news.status.safeMode === "cleared") lost();
        return listener(news);
      });
    },
  };
}

/** A service, and the beginning of its engine, if it has one. */
interface Present {
  readonly service: FieldService;
  readonly started: Promise<void>;
}

interface Opened extends Present {
  /** Opens a store in the place of one that was deleted. */
  readonly lost: () => void;
}

/** What a service is opened with, besides what the app states. */
interface Surroundings {
  readonly setup: Omit<WorkerSetup, "build">;
  readonly connectivity: ToldConnectivity;
  readonly readers: Readers;
}

/** Milliseconds until a store that could not be opened is opened again. */
const openAgainAfter = 5_000;

async function openService(options: ExposeOptions, surroundings: Surroundings): Promise<Opened> {
  const timers = options.service?.timers ?? hostTimers;
  const relay = createRelay();
  let present: Present | undefined;
  let cancel: () => void = () => undefined;
  let isClosed = false;
  let isRenewing = false;
  const open = async (): Promise<Present> => {
    const found = await options.openStore().then(
      (store) => ({ store }),
      (fault: unknown) => ({ fault }),
    );
    const opened =
      "store" in found
        ? serviceOver(found.store, options, surroundings)
        : standIn(safeModeCause(found.fault), storeDetail(found.fault));
    present = opened;
    relay.use(opened.service);
    // Nobody may be there any more to close it.
    if (isClosed) await end();
    // The cause may go while the app is open, as another tab does.
    else if ("fault" in found) cancel = timers.set(openAgainAfter, () => void open().catch(() => undefined));
    return opened;
  };
  const end = async () => present?.service.close().catch(() => undefined);
  const renew = async () => {
    isRenewing = true;
    await end();
    if (!isClosed) await open();
    isRenewing = false;
  };
  const { started } = await open();
  return {
    service: {
      ...relay.service,
      async close() {
        isClosed = true;
        cancel();
        await end();
      },
    },
    started,
    lost() {
      if (!isRenewing) renew().catch(() => undefined);
    },
  };
}

/** A service in safe mode. */
function standIn(cause: SafeModeCause, detail: string): Opened {
  return { service: safeModeService(cause, detail), started: Promise.resolve(), lost: () => undefined };
}

function serviceOver(
  store: Store,
  options: ExposeOptions,
  { setup, connectivity, readers }: Surroundings,
): Present {
  const { name = "fieldroll", rules } = options;
  const given: FieldServiceOptions = {
    connectivity,
    ...(rules && { rules }),
    ...options.service,
    lock: options.service?.lock ?? webLock(name),
    channel: options.service?.channel ?? broadcastChannel(name),
    copy: options.service?.copy ?? privateFile(`${name}-unsent`),
    ...setup,
    store,
  };
  const parts = assemble(given, readers);
  return { service: fieldServiceOver(parts), started: parts.started };
}

function storeDetail(cause: unknown): string {
  const why = cause instanceof Error ? cause.message : String(cause);
  return cause instanceof StoreError ? why : `The records on this device can't be opened: ${why}`;
}
