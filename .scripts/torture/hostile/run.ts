import { fork } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startPostgres } from "../../postgres.ts";
import type { Siege } from "./attackers.ts";
import { hostileClients, tokensOf } from "./clients.ts";
import { type Answered, createLedger, type Ledger } from "./ledger.ts";
import { work } from "./ordinary.ts";
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
  const { api, origin } = server;
  const seconds = (end - performance.now()) / 1000;
  const siege = {
    api,
    origin,
    tokens,
    people,
    groups,
    attackers,
    seconds,
    seed,
    ...(only !== undefined && { only }),
  };
  const [answers] = await Promise.all([besiegedBy(siege), working, watch(server, stalls, goesOn)]);
  for (const answer of answers) hostile.note(answer);
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

/** Attackers have a process of their own, and less of the processor than the server and the ordinary load. */
async function besiegedBy(siege: Siege): Promise<readonly Answered[]> {
  const child = fork(fileURLToPath(new URL("attackers.ts", import.meta.url)), {
    execArgv: ["--import", "tsx", "--conditions=@fieldroll/source"],
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const ended = new Promise<readonly Answered[]>((resolve, reject) => {
    child.once("message", (answers) => resolve(answers as readonly Answered[]));
    child.once("exit", (code) => reject(new Error(`The attackers' process ended with ${code}.`)));
  });
  child.send(siege);
  return ended;
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
  line("the slowest of the ordinary load under attack:");
  for (const { what, status, milliseconds } of besieged.slowest(6))
    line(`  ${ms(milliseconds)}  ${status}  ${what}`);
  line(crash === undefined ? "the server held" : `THE SERVER ENDED: ${crash}`);
}
