import type { JsonObject, Store } from "@fieldroll/core";
import { epochKnown } from "../device/feed-state.ts";
import { readStatus } from "../device/status.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import { correctedClock } from "../engine/server-time.ts";
import type { EngineState } from "../engine/state.ts";
import { defaultPorts } from "../host.ts";
import { safeModeCause } from "../model/safe-mode-cause.ts";
import type { HostPorts } from "../ports.ts";
import type { FieldServiceOptions } from "../service-options.ts";
import type { SyncStatus } from "../status-types.ts";
import { createApi, nothingInMind } from "../transport/api.ts";
import { createSession, type Session } from "../transport/session.ts";
import { createTransport } from "../transport/transport.ts";
import { meetServer } from "./another-server.ts";
import { type CopyKeeper, createCopyKeeper } from "./copy.ts";
import { type DeviceFeeds, feedsOf, setFeeds } from "./device-feeds.ts";
import { createNews, type News } from "./news.ts";
import { checkedOrigin } from "./option-rules.ts";
import { createReaders, type Readers } from "./readers.ts";
import { reclaim } from "./reclaim.ts";
import { createDeviceRegistry, type DeviceRegistry } from "./records.ts";

/** What a service is made of. */
export interface Parts extends Pick<HostPorts, "clock" | "newId" | "channel"> {
  readonly store: Store;
  /** What this device keeps a copy of by now: the tab that was set up last says it for all. */
  readonly feeds: readonly string[];
  /** Root of the API, without a slash at its end. */
  readonly server: string;
  /** The word in `urn:service:…`. */
  readonly namespace: string;
  readonly session: Session;
  readonly records: DeviceRegistry;
  readonly engine: Engine;
  readonly news: News;
  readonly keeper: CopyKeeper;
  readonly status: () => Promise<SyncStatus>;
  readonly readers: Readers;
  /** Resolves when the engine has started. */
  readonly started: Promise<void>;
  /** Says that records on the device changed, here and in the other tabs. */
  readonly landed: () => void;
  /** Ends the requests under way and lets go of what the parts listen to. */
  readonly disconnect: () => void;
}

const fiveMinutes = 5 * 60_000;

/**
 * Makes the parts of a service and starts its engine.
 *
 * @param waiting those who were waiting already: the engine starts when they have been answered
 * @throws TypeError for options that are missing, of another kind or unknown
 */
export function assemble(options: FieldServiceOptions, waiting?: Readers): Parts {
  const origin = checkedOrigin(options);
  const ports = portsOf(options);
  const { clock, random, newId, timers, lock, connectivity, channel, copy } = ports;
  const { store, rules = {}, automatic = true, pollInterval = fiveMinutes } = options;
  const server = withoutSlash(options.server);
  const closing = new AbortController();
  const session = sessionOf(options, { ports, origin, closing: closing.signal });
  const mind = nothingInMind();
  const feeds = feedsOf(store, options.feeds ?? ["all"]);
  const status = () => readStatus(store, { feeds: feeds.current, server }, engine.state);
  const news = createNews({ readStatus: status, timers, newId });
  const readers = waiting ?? createReaders(timers);
  const keeper = createCopyKeeper({
    ...{ store, server, copy, clock, newId, timers },
    feeds: () => feeds.current,
    leads: () => engine.state.leading,
    restored: () => landed(),
  });
  const landed = () => {
    news.recordsChanged();
    keeper.changed();
    channel.post({ kind: "changed" });
  };
  const bringBack = async () => {
    const back = await reclaim({ store, session, server, feeds: feeds.current, clock, newId });
    if (back > 0) landed();
    return back;
  };
  const engine = createEngine({
    ...{ store, clock, random, newId, timers, lock, session, automatic, pollInterval, landed },
    feeds: feeds.follow,
    api: (send) => createApi(server, send, () => epochKnown(store, feeds.current), mind),
    online: () => connectivity.online,
    photos: () => options.photos !== "unmetered" || connectivity.metered !== true,
    changed: () => {
      news.statusChanged();
      keeper.changed();
    },
    reclaim: bringBack,
    told: news.told,
    giveWay: readers.answered,
    ran: () => channel.post({ kind: "ran" }),
    share: (state) => channel.post({ kind: "engine", state: state as unknown as JsonObject }),
    ask: () => channel.post({ kind: "who leads" }),
  });
  const ends = [
    connectivity.subscribe((online) => engine.tell({ kind: "network", online })),
    channel.subscribe((message) => hear({ engine, news, session, feeds }, message)),
  ];
  return {
    ...{ clock, newId, channel, store, server, session, engine, news, status, landed, keeper, readers },
    get feeds() {
      return feeds.current;
    },
    namespace: rules.namespace ?? "service",
    // What the rules fill in, such as the day of an enrollment, is not to be wrong because a tablet's clock is.
    records: createDeviceRegistry({ store, newId, rules, ...correctedClock(clock, session) }),
    started: start({
      ...{ store, newId, server, engine, keeper, bringBack, channel },
      after: waiting?.answered,
      feeds: feeds.current,
      timers,
      closing: closing.signal,
    }),
    disconnect: () => {
      closing.abort();
      for (const end of ends) end();
    },
  };
}

function sessionOf(
  { store, authServer, requestTimeout = 30_000 }: FieldServiceOptions,
  {
    ports,
    origin,
    closing,
  }: { readonly ports: HostPorts; readonly origin: string; readonly closing: AbortSignal },
): Session {
  const { fetch, timers, clock } = ports;
  const transport = createTransport({
    fetch,
    timers,
    clock,
    closing,
    origin: ports.origin,
    timeout: requestTimeout,
  });
  return createSession({
    ...{ store, transport, clock },
    tokenUrl: `${withoutSlash(authServer ?? origin)}/oauth2/token`,
  });
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, "");
}

/** Time until a store that could not be opened is tried again, in milliseconds. */
const startAgainAfter = 30_000;

/**
 * A store that can't be read refuses edits too: the engine says so, and the edits' own problems. It may be readable soon, and
 * without an engine nothing would ever be sent.
 */
async function start(
  parts: Pick<Parts, "store" | "feeds" | "newId" | "server" | "engine" | "keeper" | "channel"> &
    Pick<HostPorts, "timers"> & {
      readonly closing: AbortSignal;
      /** Brings back what is put away of the person who is signed in: the app may have been killed while it was taken in. */
      readonly bringBack: () => Promise<number>;
      readonly after?: (() => Promise<void>) | undefined;
    },
): Promise<void> {
  if (parts.after) await parts.after();
  if (parts.closing.aborted) return;
  try {
    await meetServer(parts);
    if (await setFeeds(parts)) parts.channel.post({ kind: "feeds" });
    await parts.keeper.restore();
    await parts.bringBack();
    await parts.engine.start();
  } catch (error) {
    parts.engine.tell({ kind: "store", durable: false, fault: safeModeCause(error) });
    const cancel = parts.timers.set(startAgainAfter, () => void start(parts));
    parts.closing.addEventListener("abort", cancel, { once: true });
    return;
  }
  if (!parts.engine.state.durable) parts.engine.tell({ kind: "store", durable: true });
}

/** What other services over the same store say. */
function hear(
  {
    engine,
    news,
    session,
    feeds,
  }: Pick<Parts, "engine" | "news" | "session"> & { readonly feeds: DeviceFeeds },
  message: JsonObject,
): void {
  switch (message.kind) {
    case "changed":
      news.recordsChanged();
      return;
    case "ran":
      engine.releaseWaiting();
      news.statusChanged();
      return;
    case "poke":
      engine.tell({ kind: "woken", eager: message.eager === true });
      return;
    case "pause":
      engine.tell({ kind: "paused", paused: message.paused === true });
      return;
    case "engine":
      engine.tell({ kind: "told", state: message.state as unknown as EngineState });
      return;
    case "who leads":
      engine.answer();
      return;
    case "feeds":
      void feeds.follow().then(() => {
        news.statusChanged();
        engine.tell({ kind: "woken", eager: false });
      });
      return;
    case "session":
      void tellSession({ engine, session });
  }
}

/** Tells the engine who is signed in by now. */
export async function tellSession({ engine, session }: Pick<Parts, "engine" | "session">): Promise<void> {
  engine.tell({ kind: "session", session: (await session.current()) ? "valid" : "none" });
}

/** The host's own ports, or those that were given in their place; an absent one must not hide a default. */
function portsOf(options: Partial<HostPorts>): HostPorts {
  const ports = defaultPorts();
  const given = Object.keys(ports).map((name) => [name, options[name as keyof HostPorts]]);
  return { ...ports, ...Object.fromEntries(given.filter(([, port]) => port !== undefined)) };
}
