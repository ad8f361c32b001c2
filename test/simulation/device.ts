import {
  type Commit,
  type CommitResult,
  createMemoryMedium,
  createMemoryStore,
  type MemoryMedium,
  type Store,
  StoreError,
} from "@fieldroll/core";
import type { SeededRandom, VirtualTime } from "@fieldroll/core/testing";
import { createFieldClient, type FieldClient, processLock, type Timers } from "@fieldroll/sync";
import { tabs } from "../sync/support/timers.ts";
import type { Network } from "./network.ts";
import { root, secret } from "./server.ts";

/** Where a device fails: field notes D.4. Of a thousand commits, or of a thousand requests. */
export interface DeviceFaults {
  /** Dies right before a commit, or right after it. */
  readonly crash: number;
  /** A commit that the store refuses: full, or broken off. */
  readonly storage: number;
}

export interface DeviceOptions {
  readonly name: string;
  /** Who works with it beside the one whose it is; default: somebody without a tablet of their own. */
  readonly other?: string;
  readonly feeds: readonly string[];
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly network: Network;
  readonly faults: () => DeviceFaults | null;
  readonly tell: (line: string) => void;
  readonly count: (what: string, by?: number) => void;
}

/** A tablet of the simulation: what is on its disk outlives its processes. */
export interface SimulatedDevice {
  readonly name: string;
  readonly feeds: readonly string[];
  /** Who works with it: the first is there when it is new. */
  readonly people: readonly [string, string];
  /** Who signed in last. */
  person: string;
  /** The clients of the app's tabs; none while the tablet is dead. */
  readonly tabs: readonly FieldClient[];
  /** The first of them. */
  readonly client: FieldClient | null;
  /** What is on the disk. */
  readonly medium: MemoryMedium;
  online: boolean;
  /** What its clock is ahead of the true time, in milliseconds. */
  skew: number;
  start(): void;
  /** Opens the app in one more tab, or closes the last one when there are two. */
  turnTabs(): void;
  /** Closes the app and opens it again on what it left, as an upgrade does. */
  reopen(): Promise<void>;
  /** Ends everything at once, as a kill or an empty battery does. */
  die(): void;
  /** Loses the disk's content. */
  wipe(): void;
  setOnline(online: boolean): void;
}

/** Makes a tablet; it is off. */
export function createDevice(options: DeviceOptions): SimulatedDevice {
  const { name, feeds, tell, count } = options;
  let open: readonly Tab[] = [];
  const living = new Set<Tab>();
  let shared = ofOneDevice();
  let medium = createMemoryMedium({ name });
  const listeners = new Set<(online: boolean) => void>();
  const device: SimulatedDevice = {
    name,
    feeds,
    people: [name, options.other ?? `${name}b`],
    person: name,
    get tabs() {
      return open.map(({ client }) => client);
    },
    get client() {
      return open[0]?.client ?? null;
    },
    get medium() {
      return medium;
    },
    online: true,
    skew: 0,
    start() {
      if (open.length > 0) return;
      tell(`${name} starts`);
      open = [openTab()];
    },
    turnTabs() {
      const [first, second] = open;
      if (!first) return;
      tell(`${name} ${second ? "closes a tab" : "opens another tab"}`);
      count("tabs opened or closed");
      open = second ? [first] : [first, openTab()];
      if (second) void close(second);
    },
    async reopen() {
      const closing = open;
      if (closing.length === 0) return;
      tell(`${name} is upgraded`);
      count("upgrades");
      if ((medium.collections.get("outbox")?.size ?? 0) > 0) count("upgrades with edits unsent");
      open = [];
      await Promise.all(closing.map(close));
      device.start();
    },
    die,
    wipe() {
      tell(`${name} loses its disk`);
      count("disks lost");
      die();
      medium = createMemoryMedium({ name });
      device.person = name;
    },
    setOnline(online) {
      device.online = online;
      for (const listener of listeners) listener(online);
    },
  };
  return device;

  function die(): void {
    if (living.size === 0) return;
    tell(`${name} dies`);
    for (const { alive } of living) end(alive);
    living.clear();
    open = [];
    shared = ofOneDevice();
    listeners.clear();
  }

  async function close(tab: Tab): Promise<void> {
    await tab.client.close();
    end(tab.alive);
    living.delete(tab);
  }

  function openTab(): Tab {
    const alive: Alive = { yes: true, timers: new Set() };
    const crash = () => {
      count("crashes");
      die();
    };
    const tab = { client: clientOf(options, { device, alive, shared, crash, listeners }), alive };
    living.add(tab);
    return tab;
  }
}

/** What the tabs of one device have in common; a dead process holds nothing of it. */
function ofOneDevice() {
  return { lock: processLock(), channel: tabs() };
}

function clientOf(
  { time, random, network, feeds, faults, count }: DeviceOptions,
  tab: {
    readonly device: SimulatedDevice;
    readonly alive: Alive;
    readonly shared: ReturnType<typeof ofOneDevice>;
    readonly crash: () => void;
    readonly listeners: Set<(online: boolean) => void>;
  },
): FieldClient {
  const { device, alive, shared, crash, listeners } = tab;
  const reach = network.fetchOf({ name: device.name, online: () => device.online });
  const ids = random.fork();
  const chance = random.fork();
  return createFieldClient({
    server: root,
    store: mortal(createMemoryStore({ medium: device.medium }), { alive, faults, chance, crash, count }),
    fetch: (url, init) => (alive.yes ? whileAlive(alive, reach(url, init)) : forever()),
    clock: () => new Date(time.now + device.skew),
    random: () => chance.next(),
    newId: () => ids.uuid(time.now),
    timers: timersOf(time, alive),
    lock: shared.lock,
    channel: shared.channel(),
    feeds,
    automatic: true,
    connectivity: {
      get online() {
        return device.online;
      },
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    pollInterval: 3 * 3_600_000,
  });
}

interface Tab {
  readonly client: FieldClient;
  readonly alive: Alive;
}

/** Whether a process runs, and what goes with it when it ends. */
interface Alive {
  yes: boolean;
  readonly timers: Set<() => void>;
}

function end(alive: Alive): void {
  alive.yes = false;
  for (const cancel of alive.timers) cancel();
}

const forever = () => new Promise<never>(() => undefined);

/** What arrives when nobody is there any more arrives nowhere. */
async function whileAlive<T>(alive: Alive, promise: Promise<T>): Promise<T> {
  try {
    const value = await promise;
    return alive.yes ? value : await forever();
  } catch (error) {
    if (alive.yes) throw error;
    return forever();
  }
}

function timersOf(time: VirtualTime, alive: Alive): Timers {
  return {
    set(delay, run) {
      const cancel = time.after(delay, () => {
        alive.timers.delete(end);
        if (alive.yes) run();
      });
      const end = () => {
        cancel();
        alive.timers.delete(end);
      };
      if (alive.yes) alive.timers.add(end);
      else cancel();
      return end;
    },
  };
}

interface Mortality {
  readonly alive: Alive;
  readonly faults: () => DeviceFaults | null;
  readonly chance: SeededRandom;
  readonly crash: () => void;
  readonly count: (what: string) => void;
}

/** A store that may die with its process at any commit, before it or after it, or refuse one. */
function mortal(store: Store, { alive, faults, chance, crash, count }: Mortality): Store {
  const living = <T>(work: () => Promise<T>) => (alive.yes ? whileAlive(alive, work()) : forever());
  return {
    get: (keys) => living(() => store.get(keys)),
    resolve: (claims) => living(() => store.resolve(claims)),
    query: (query) => living(() => store.query(query)),
    changes: (request) => living(() => store.changes(request)),
    close: () => store.close(),
    commit: (commit) => living(() => commitOrFail(store, commit, { faults, chance, crash, count })),
  };
}

async function commitOrFail(
  store: Store,
  commit: Commit,
  { faults, chance, crash, count }: Omit<Mortality, "alive">,
): Promise<CommitResult> {
  const now = faults();
  const drawn = now ? chance.below(1000) : 1000;
  if (now && drawn < now.crash) {
    if (chance.chance(0.5)) await store.commit(commit);
    crash();
    return forever();
  }
  if (now && drawn < now.crash + now.storage) {
    count("fault: storage");
    throw new StoreError(chance.chance(0.5) ? "quota" : "unavailable", "The disk is full, or gone.");
  }
  return store.commit(commit);
}

/** Signs a person in on a tablet: whoever was there last, unless given. */
export async function signIn(device: SimulatedDevice, person = device.person): Promise<void> {
  const outcome = await device.client?.signIn({ clientId: person, clientSecret: secret });
  if (outcome?.ok) device.person = person;
}
