import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../../postgres.ts";
import { attack } from "./attacks.ts";
import { hostileClients, tokensOf } from "./clients.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { work } from "./ordinary.ts";
import { createRandom } from "./random.ts";
import { type HostedServer, hostServer } from "./server.ts";

interface HostileRun {
  readonly store: string;
  readonly minutes: number;
  readonly seed: number;
  /** The only kind of attack; default: all. */
  readonly only?: string;
}

/** Attackers at a time. */
const attackers = 4;
/** The load is measured alone for this part of the time, and then under attack. */
const quietPart = 0.15;

/**
 * Throws requests of all kinds at a server under ordinary load, and prints the slowest answers, the most memory and the longest stall.
 *
 * @returns whether the server held: no crash, no answer of 5xx
 */
export async function hostileRun({ store, ...run }: HostileRun): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-hostile-"));
  const postgres = store === "postgres" ? await startPostgres() : undefined;
  try {
    const clients = join(folder, "clients.json");
    await writeFile(clients, JSON.stringify(hostileClients));
    const server = await hostServer(postgres?.url ?? `sqlite:${join(folder, "hostile.db")}`, clients);
    try {
      return await besiege(server, run);
    } finally {
      await server.stop();
    }
  } finally {
    await postgres?.stop();
    await rm(folder, { recursive: true });
  }
}

async function besiege(
  server: HostedServer,
  { minutes, seed, only }: Omit<HostileRun, "store">,
): Promise<boolean> {
  const tokens = await tokensOf(server);
  const people = await addressesOf(server, "Individual", tokens.worker);
  const groups = await addressesOf(server, "Group", tokens.worker);
  const end = performance.now() + minutes * 60_000;
  let crash: string | undefined;
  server.ended.then((why) => {
    crash = why;
  });
  const goesOn = () => crash === undefined && performance.now() < end;
  const quiet = createLedger();
  const besieged = createLedger();
  let ordinary: Ledger = quiet;
  const working = work(server, { token: tokens.worker, ledger: () => ordinary, people, goesOn });
  await new Promise((resolve) => setTimeout(resolve, minutes * 60_000 * quietPart));
  await server.longestStall();
  ordinary = besieged;
  const hostile = createLedger();
  const stalls: number[] = [];
  const watching = watch(server, stalls, goesOn);
  const random = (nth: number) => createRandom(seed + nth);
  await Promise.all([
    ...Array.from({ length: attackers }, (_, nth) =>
      attack({ server, tokens, people, groups, ledger: hostile, random: random(nth) }, goesOn, only),
    ),
    working,
    watching,
  ]);
  const memory = await server.peakMemory();
  report({
    quiet,
    besieged,
    hostile,
    stall: Math.max(0, ...stalls),
    memory,
    ...(crash !== undefined && { crash }),
  });
  return crash === undefined && hostile.failures().length + besieged.failures().length === 0;
}

async function addressesOf({ api }: HostedServer, type: string, token: string): Promise<readonly string[]> {
  const answer = await fetch(`${api}/${type}?limit=200`, { headers: { Authorization: `Bearer ${token}` } });
  const { data } = (await answer.json()) as { data: { identifier: { system: string; value: string }[] }[] };
  return data.flatMap(({ identifier: [own] }) => (own ? [`${own.system}|${own.value}`] : []));
}

async function watch(server: HostedServer, stalls: number[], goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    stalls.push(await server.longestStall().catch(() => 0));
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

interface Report {
  readonly quiet: Ledger;
  readonly besieged: Ledger;
  readonly hostile: Ledger;
  readonly stall: number;
  readonly memory: number;
  readonly crash?: string;
}

function report({ quiet, besieged, hostile, stall, memory, crash }: Report): void {
  const line = (text: string) => process.stdout.write(`${text}\n`);
  const ms = (milliseconds: number) => `${milliseconds.toFixed(1)} ms`;
  line(`${hostile.count} hostile requests: ${JSON.stringify(hostile.statuses())}`);
  line("the slowest answers:");
  for (const { what, status, milliseconds, bytes } of hostile.slowest(12))
    line(`  ${ms(milliseconds)}  ${status}  ${bytes} bytes  ${what}`);
  for (const { what, status } of [...hostile.failures(), ...besieged.failures()].slice(0, 20))
    line(`  FAILED ${status} ${what}`);
  line(`peak memory ${memory} MB, longest stall of the event loop ${ms(stall)}`);
  const [before, after] = [quiet.percentile(0.99), besieged.percentile(0.99)];
  line(
    `ordinary load: p50 ${ms(quiet.percentile(0.5))} quiet, ${ms(besieged.percentile(0.5))} under attack; ` +
      `p99 ${ms(before)} quiet, ${ms(after)} under attack (${(after / before).toFixed(1)} times; goal 2); ` +
      `${JSON.stringify(besieged.statuses())}`,
  );
  line(crash === undefined ? "the server held" : `THE SERVER ENDED: ${crash}`);
}
