import { type JsonObject, type MemoryMedium, printAddress } from "@fieldroll/core";
import {
  createSeededRandom,
  createVirtualTime,
  type SeededRandom,
  type VirtualTime,
} from "@fieldroll/core/testing";
import { type Consents, type ConsentWatch, watchConsents } from "./consents.ts";
import { checkConvergence } from "./convergence.ts";
import { createDevice, type SimulatedDevice, signIn } from "./device.ts";
import { type Carrying, carry, hurryCiphers } from "./files.ts";
import { createNetwork, type FaultWeights, type Network } from "./network.ts";
import { askForConsents, furnish, numbers, officeDoes, system } from "./office.ts";
import type { SimulationOptions } from "./options.ts";
import { createOracle, type Oracle } from "./oracle.ts";
import { decide, doSomething, giveUpUnsent, states } from "./people.ts";
import { root, type SimulatedServer, secret, startServer } from "./server.ts";
import { watchFor } from "./watch.ts";

/** What a simulation came to. */
export interface SimulationReport {
  readonly violations: readonly string[];
  /** What happened how often. */
  readonly counts: Readonly<Record<string, number>>;
  /** Stands for the whole trace: the same for the same seed. */
  readonly trace: string;
}

const start = Date.UTC(2026, 0, 15, 8);
const minute = 60_000;
const hour = 60 * minute;

/** Runs tablets, their people, a server and an office, with every fault there is; then lets all come to rest, and looks. */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const run = await begin(options);
  const { time, oracle, devices } = run;
  let events = 0;
  const until = start + options.hours * hour;
  for (const device of devices) liveOn(run, device, until);
  officeHours(run, until);
  run.faults = weightsOf(run.random);
  run.poison = run.random.chance(0.25) ? run.random.pick(numbers.slice(0, 3)) : null;
  await time.runUntil(until, () => {
    run.look?.();
    if (++events % 25 === 0) oracle.check(devices);
  });
  oracle.check(devices);
  if (await comeToRest(run)) {
    run.violations.push(...(await checkConvergence(run)));
    const untold = oracle.checkAtRest(devices);
    if (untold > 0) run.count("registered twice where nothing could tell", untold);
  }
  const violations = [...oracle.violations, ...run.violations, ...run.consents.violations];
  violations.push(...run.network.changedBytes.map((change) => `I8: ${change}`));
  return {
    violations: [...new Set(violations)],
    counts: Object.fromEntries(run.counts),
    trace: run.trace.value,
  };
}

interface Run {
  readonly options: SimulationOptions;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly server: SimulatedServer;
  readonly consents: ConsentWatch;
  readonly network: Network;
  readonly oracle: Oracle;
  readonly devices: readonly SimulatedDevice[];
  readonly counts: Map<string, number>;
  readonly trace: { value: string };
  readonly violations: string[];
  readonly files: Carrying["files"];
  readonly tell: (line: string) => void;
  readonly count: (what: string, by?: number) => void;
  /** Looks at what is watched. */
  readonly look: (() => void) | undefined;
  faults: FaultWeights | null;
  /** The number of a person at whose record the server always fails. */
  poison: string | null;
  /** Until when the server is down, for it is being restored. */
  downUntil: number;
}

async function begin(options: SimulationOptions): Promise<Run> {
  if (options.files) hurryCiphers();
  const time = createVirtualTime(start, settle);
  const random = createSeededRandom(options.seed);
  const counts = new Map<string, number>();
  const trace = { value: "" };
  let hash = 0x811c9dc5;
  const dated = (line: string) => `${((time.now - start) / 1000).toFixed(3)} ${line}`;
  const tell = (line: string) => {
    const text = dated(line);
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
    trace.value = hash.toString(16);
    options.tell?.(text);
  };
  const count = (what: string, by = 1) => {
    counts.set(what, (counts.get(what) ?? 0) + by);
  };
  const { devices: tablets, page, consents: given = false } = options;
  const bound = Array.from({ length: tablets }, (_, i) => `d${i}`).filter(
    (_, i) => given !== false && i % 2 === 1,
  );
  const beginning = { devices: tablets, bound, medium: await furnished(given) };
  const server = await startServer({ time, random, ...beginning, ...(page !== undefined && { page }) });
  const consents = watchConsents(server, bound);
  const ways = { time, tell, count };
  const network = createNetwork({
    ...ways,
    random: random.fork(),
    answer: (request, body) => (time.now < run.downUntil ? closed() : consents.answer(request, body)),
    weights: () => run.faults,
    poisoned: (path) => run.poison !== null && path.endsWith(printAddress({ system, value: run.poison })),
  });
  const devices = Array.from({ length: options.devices }, (_, i) =>
    createDevice({
      ...ways,
      name: `d${i}`,
      ...(options.files && { other: `d${(i + 1) % options.devices}` }),
      feeds: feedsOf(i, options.areas),
      random: random.fork(),
      network,
      faults: () => (run.faults ? { crash: 4, storage: 4 } : null),
    }),
  );
  const oracle = createOracle(server, consents, options.files);
  const run: Run = {
    ...{ options, time, random, server, consents, network, oracle, devices, counts, trace, tell, count },
    look:
      options.watch === undefined
        ? undefined
        : watchFor(options.watch, { server, devices, violations: oracle.violations }, (line) =>
            options.tell?.(dated(line)),
          ),
    violations: [],
    files: [],
    faults: null,
    poison: null,
    downUntil: 0,
  };
  return run;
}

/** What a tablet reads. */
function feedsOf(nth: number, areas?: number): readonly string[] {
  const count = areas === undefined ? Number(nth % 3 === 2) : (nth % 2) * areas;
  return count === 0 ? ["all"] : ["programs", ...states.slice(0, count).map((state) => `area:PH/${state}`)];
}

/** How long restoring takes: longer than any request is under way. */
const outage = 5 * minute;

async function closed(): Promise<Response> {
  return new Response("", { status: 503, headers: { "retry-after": "300" } });
}

const furnishings = new Map<Consents, Promise<MemoryMedium>>();

/** A server's disk with what every run begins with, and with the keys that it makes at its first token. */
async function furnished(consents: Consents): Promise<MemoryMedium> {
  const furnishing = furnishings.get(consents) ?? furnishAnew(consents);
  furnishings.set(consents, furnishing);
  return structuredClone(await furnishing);
}

async function furnishAnew(consents: Consents): Promise<MemoryMedium> {
  const time = createVirtualTime(start, settle);
  const server = await startServer({ time, random: createSeededRandom(0), devices: 1 });
  await furnish(server);
  if (consents) await askForConsents(server, consents === "narrow");
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: "d0",
    client_secret: secret,
  });
  const url = new URL("/oauth2/token", root);
  const token = await server.answer(new Request(url, { method: "POST", body }));
  if (!token.ok) throw new Error(`The simulated server gives no token: ${await token.text()}`);
  return server.medium;
}

/** Memory stores and the handler's answers need no more than their promises' turns. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** How bad the network is in this run: now and then fine, now and then dreadful. */
function weightsOf(random: SeededRandom): FaultWeights {
  const scale = random.chance(0.2) ? 0 : random.next() * 25;
  const of = (weight: number) => Math.round(weight * scale * random.next());
  return {
    "request lost": of(2),
    "refused at once": of(2),
    "answer lost": of(3),
    duplicated: of(2),
    "delivered late": of(2),
    "cut short": of(1),
    portal: of(1),
    "401": of(1),
    "403": of(0.3),
    "413": of(0.3),
    "422": of(0.3),
    "429": of(0.5),
    "500": of(1),
    "500 after the deed": of(2),
    "503": of(0.5),
  };
}

/** A tablet's days: its person works, walks out of reach and back, and it dies and is started again. */
function liveOn(run: Run, device: SimulatedDevice, until: number): void {
  const { time, oracle, tell, count } = run;
  const random = run.random.fork();
  const people = { random, oracle, tell, count };
  const pace = run.options.pace ?? 6;
  const again = (mean: number, what: () => unknown, waits = false) => {
    const delay = -Math.log(1 - random.next()) * mean;
    if (time.now + delay >= until) return;
    time.after(delay, () => {
      const done = what();
      again(mean, what, waits);
      // What a person waits for may never come: nobody waits for the person, unless that surely ends.
      return waits ? done : undefined;
    });
  };
  device.start();
  void signIn(device);
  const often = (share: number, most: number) => Math.min((run.options.hours * hour) / share, most * hour);
  again(hour / pace, () => doSomething(device, people));
  again(often(3, 3), () => {
    device.setOnline(!device.online);
    tell(`${device.name} is ${device.online ? "in" : "out of"} reach`);
  });
  again(often(12, 0.5), () => {
    device.start();
    if (device.online && random.chance(0.5)) void signIn(device);
  });
  again(often(1.5, 6), () => device.die());
  again(often(2, 8), () => device.turnTabs());
  again(often(1, 12), () => device.reopen());
  again(often(0.2, 40), () => {
    oracle.lost(device);
    device.wipe();
  });
  again(often(1, 12), () => {
    tell(`${device.name} is given to ${otherPerson(device)}`);
    count("tablets given to another person");
    void signIn(device, otherPerson(device));
  });
  if (run.options.givesUp) {
    again(often(3, 2), () => {
      const client = device.tabs.length > 0 ? random.pick(device.tabs) : undefined;
      if (client) void giveUpUnsent({ ...people, device, client });
    });
  }
  if (run.options.files) again(often(3, 3), () => carry(device, { ...run, random }), true);
  again(often(1.5, 12), () => {
    device.skew = (random.next() - 0.5) * 60 * 24 * hour;
    count("clock jumps");
  });
}

function officeHours(run: Run, until: number): void {
  const { options, time, server, tell, count } = run;
  const random = run.random.fork();
  const restored = (done: boolean) => {
    if (!done) return;
    run.downUntil = time.now + outage;
    count("restored");
    count("edits lost by the server", run.oracle.restored(run.devices));
  };
  const withdrawn = (key: string) => {
    count("consents withdrawn");
    const unsent = run.devices.filter(
      (device) =>
        run.consents.binds(device) && device.medium.collections.get("outbox")?.has(`Individual/${key}`),
    );
    count("consents withdrawn with edits unsent", unsent.length);
  };
  const office = { server, random, tell, count, restored, withdrawn, consents: options.consents ?? false };
  const again = () => {
    const delay = -Math.log(1 - random.next()) * Math.min(options.hours / 8, 0.4) * hour;
    if (time.now + delay >= until) return;
    time.after(delay, async () => {
      await officeDoes(office);
      again();
    });
  };
  again();
}

/**
 * Faults end, everybody comes into reach, and people decide until nothing is left to decide.
 *
 * @returns whether no promise was broken on the way
 */
async function comeToRest(run: Run): Promise<boolean> {
  const { time, devices, oracle, tell } = run;
  run.faults = null;
  run.downUntil = 0;
  tell("all comes to rest");
  const random = run.random.fork();
  for (const device of devices) {
    device.start();
    device.setOnline(true);
    void signIn(device);
  }
  await time.runUntil(time.now + 40 * minute, run.look);
  checkDrained(run);
  run.poison = null;
  await time.runUntil(time.now + 40 * minute, run.look);
  for (let shift = 0; shift < 3; shift++) {
    checkDrained(run);
    if (run.violations.length + oracle.violations.length > 0) return false;
    await decideAll(run, random);
    const awaited = devices.filter(
      ({ medium }) => has(medium, "sealed") || (shift < 2 && has(medium, "accepted-sealed")),
    );
    if (awaited.length === 0) break;
    for (const device of awaited) {
      tell(`${otherPerson(device)} comes back to ${device.name}`);
      void signIn(device, otherPerson(device));
    }
    await time.runUntil(time.now + 40 * minute, run.look);
  }
  for (const { client } of devices) void client?.sync();
  await time.runUntil(time.now + 10 * minute, run.look);
  return true;
}

function otherPerson({ people, person }: SimulatedDevice): string {
  return people[0] === person ? people[1] : people[0];
}

/** People decide on what waits for them until nothing is left. */
async function decideAll(run: Run, random: SeededRandom): Promise<void> {
  const { time, devices, oracle, tell, count } = run;
  for (let round = 0; round < 30 && devices.some(({ medium }) => has(medium, "outbox")); round++) {
    for (const device of devices) {
      const { client } = device;
      if (client) void decide({ device, client, random, oracle, tell, count }, "to the end");
      await time.runUntil(time.now + minute, run.look);
      void client?.sync();
    }
    await time.runUntil(time.now + 10 * minute, run.look);
  }
}

function has({ collections }: MemoryMedium, collection: string): boolean {
  return (collections.get(collection)?.size ?? 0) > 0;
}

/** What is looked at in an entry of an outbox. */
interface OutboxEntry {
  readonly parked: object | null;
  readonly base: JsonObject | null;
  readonly provides: readonly string[];
  readonly needs: readonly string[];
}

/** I7 and I14: with nothing in the way, all that no person has to decide arrives soon. */
function checkDrained({ devices, poison, violations }: Run): void {
  for (const { name, medium } of devices) {
    const outbox = [...(medium.collections.get("outbox") ?? [])].map(
      ([id, { body }]) => [id, body as unknown as OutboxEntry] as const,
    );
    for (const [id, { parked, needs, base }] of outbox) {
      const poisoned = poison !== null && JSON.stringify(base).includes(`"${poison}"`);
      const behind = outbox.some(([, { provides }]) => needs.some((need) => provides.includes(need)));
      const waits = parked !== null || poisoned || behind;
      if (!waits) violations.push(`I7: ${name} has not sent ${id} within 40 minutes of rest`);
    }
  }
}
