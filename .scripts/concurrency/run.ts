import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { bundleProgram } from "../bundle.ts";
import { type Hold, heldId, heldWrite } from "./hold.ts";
import { type Ledger, newLedger, noteDeed, noteTold, settle } from "./ledger.ts";
import { cards, collection, feed, firstCommit } from "./program.ts";
import type { WorkerOrder } from "./worker.ts";

/** How much is to happen at the same time. */
export interface Concurrency {
  readonly url: string;
  readonly schema: string;
  readonly seed: number;
  readonly writers: number;
  readonly readers: number;
  /** Of writing before the first transaction is held open. */
  readonly seconds: number;
  /** For how long each of them is held open. */
  readonly heldSeconds: number;
  /** Whether readers ignore open transactions: then something must be missed. */
  readonly blind?: boolean;
  readonly tell?: (line: string) => void;
}

/** What a run came to. */
export interface Found {
  commits: number;
  /** Commits that were not made, as another writer was quicker. */
  beaten: number;
  /** Changes told, of all readers. */
  told: number;
  readonly violations: readonly string[];
}

interface Running extends Concurrency {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly found: Found;
  readonly readerNames: readonly string[];
}

/** Lets processes write and follow a feed at the same time, holds transactions open meanwhile, and compares. */
export async function runConcurrency(options: Concurrency): Promise<Found> {
  const { url, schema } = options;
  const store = await openPostgresStore({ connectionString: url, schema, connections: 2 });
  const ledger = newLedger();
  const found: Found = { commits: 0, beaten: 0, told: 0, violations: ledger.violations };
  const names = (what: string, count: number) => Array.from({ length: count }, (_, i) => `${what}${i}.`);
  const readerNames = names("r", options.readers);
  const running: Running = { ...options, store, ledger, found, readerNames };
  const first = firstCommit();
  await store.commit(first);
  noteDeed(ledger, "nobody", { put: first.put.map(({ key, version }) => [key, version]), removed: [] });
  const program = await bundleProgram(new URL("worker.ts", import.meta.url));
  const readers = readerNames.map((name, i) => startReader(running, { program, name, limit: 7 * 4 ** i }));
  const writers = names("w", options.writers).map((name) => startWriter(running, program, name));
  try {
    await pause(options.seconds);
    options.tell?.(`${found.commits} commits, ${found.beaten} beaten, ${found.told} changes told`);
    await holdOpen(running, "that wrote", heldWrite);
    await holdOpen(running, "with a number only", heldId);
    await Promise.all(writers.map(end));
    await Promise.all(readers.map(end));
    settle(ledger, readerNames, await versionsIn(store));
    await checkCards(running);
    return found;
  } finally {
    for (const { child } of [...writers, ...readers]) child.kill("SIGKILL");
    await store.close();
  }
}

/** While it is open no reader may be told what was committed after it began; when it ends, all are told all. */
async function holdOpen(running: Running, name: string, begin: (place: Concurrency) => Promise<Hold>) {
  const { ledger, found, heldSeconds, readerNames, tell, blind = false } = running;
  const hold = await begin(running);
  const before = found.commits;
  const markers = await commitMarkers(running, name);
  for (const reader of readerNames) {
    const told = ledger.told.get(reader);
    if (markers.some((marker) => told?.has(marker)))
      ledger.violations.push(`${reader} passed a transaction ${name}`);
  }
  for (const key of await hold.commit()) noteDeed(ledger, "held", { put: [[key, 1]], removed: [] });
  const during = found.commits - before;
  // Who passes what is open may never be told of a marker, however long one waits.
  if (blind) return;
  const [asked, most] = [performance.now(), 30_000];
  const isBehind = () =>
    readerNames.some((reader) => !markers.every((marker) => ledger.told.get(reader)?.has(marker)));
  while (isBehind() && performance.now() - asked < most) await pause(0.02);
  if (isBehind()) ledger.violations.push(`readers have not caught up ${most} ms after a transaction ${name}`);
  const caughtUp = Math.round(performance.now() - asked);
  tell?.(
    `a transaction ${name}, open for ${heldSeconds} s: ${during} commits meanwhile; caught up in ${caughtUp} ms`,
  );
}

/**
 * Commits documents, as long as the transaction is to be open, by which a reader that passes it gives itself away. Many, as
 * each may be missed: a reader that ignores open transactions may pass that of a marker just as well.
 */
async function commitMarkers({ store, ledger, heldSeconds }: Running, name: string): Promise<string[]> {
  const markers: string[] = [];
  const until = performance.now() + heldSeconds * 1000;
  while (performance.now() < until) {
    const marker = `marker ${name} ${markers.length}`;
    const document = { collection, key: marker, version: 1, body: {}, feeds: [feed] };
    await store.commit({ put: [document] });
    noteDeed(ledger, "marker", { put: [[marker, 1]], removed: [] });
    markers.push(marker);
    await pause(0.02);
  }
  return markers;
}

interface Worker {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
}

function startReader(
  running: Running,
  { program, name, limit }: { readonly program: string; readonly name: string; readonly limit: number },
): Worker {
  return startWorker(running, { program, name, role: "reader", limit }, (line) => {
    const [, key = "", state] = /^(.*) (\S+)$/.exec(line) ?? [];
    running.found.told += 1;
    noteTold(running.ledger, name, key, state === "gone" ? state : Number(state));
  });
}

function startWriter(running: Running, program: string, name: string): Worker {
  return startWorker(running, { program, name, role: "writer", limit: 1 }, (line) => {
    if (line === "-") {
      running.found.beaten += 1;
      return;
    }
    running.found.commits += 1;
    noteDeed(running.ledger, name, JSON.parse(line));
  });
}

interface Start extends Pick<WorkerOrder, "name" | "role" | "limit"> {
  readonly program: string;
}

function startWorker(
  { url, schema, seed, blind = false, ledger }: Running,
  { program, ...start }: Start,
  take: (line: string) => void,
): Worker {
  const order: WorkerOrder = { url, schema, seed, blind, ...start };
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  // A process that has died has no standard input to be ended by.
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout }).on("line", take);
  const ended = Promise.all([once(child, "close"), once(lines, "close")]).then(([[code]]) => {
    if (code !== 0 && code !== null) ledger.violations.push(`${start.name} ended with ${code}`);
  });
  return { child, ended };
}

async function end({ child, ended }: Worker): Promise<void> {
  child.stdin?.end();
  await ended;
}

async function versionsIn(store: Store): Promise<ReadonlyMap<string, number>> {
  const versions = new Map<string, number>();
  let page = await store.query({ collection, limit: 1000 });
  for (;;) {
    for (const { key, version } of page.documents) versions.set(key, version);
    if (!page.next) return versions;
    page = await store.query({ collection, limit: 1000, after: page.next });
  }
}

/** Every card is with exactly one holder, whose document says so. */
async function checkCards({ store, ledger }: Running): Promise<void> {
  const holders = await store.resolve(cards);
  for (const [i, holder] of holders.entries()) {
    const [document] = holder ? await store.get([holder]) : [];
    if (!document?.claims.includes(cards[i] ?? "")) ledger.violations.push(`${cards[i]} is nobody's`);
  }
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
