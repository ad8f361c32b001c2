import { type ChildProcess, spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { checkAll, checkSince, type Expected } from "./check.ts";
import { followOn, newFollower } from "./follower.ts";
import { areas, feedOf, newLife, randomOf } from "./program.ts";
import { openTarget, type Subject, type Target } from "./subjects.ts";
import type { WriterOrder } from "./writer.ts";

/** How a store is tortured. */
export interface Torture {
  readonly subject: Subject;
  readonly kills: number;
  /** Decides what is written and when is killed, as far as a program can decide it. */
  readonly seed: number;
  /** Writers at work at once, in one process. Default 8. */
  readonly writers?: number;
  /** After how many kills the whole store is compared and verified; it is at the end in any case. Default 20. */
  readonly wholeEvery?: number;
  /** Told after each kill. */
  readonly tell?: (kill: number, found: Found) => void;
}

/** What a torture came to. */
export interface Found {
  /** Commits whose acknowledgement arrived before the kill. */
  acknowledged: number;
  /** Commits that were there although their acknowledgement was cut off. */
  beyond: number;
  /** Kills that ended the server, too. */
  serverKills: number;
}

/**
 * Kills a store's writers at random moments, opens the store again after each kill, and compares it with what they had
 * acknowledged: every such commit is there whole, none is there in part, and whoever follows the feeds has been told all.
 *
 * @throws Error at the first thing that is not as it must be.
 */
export async function torture(options: Torture): Promise<Found> {
  const { subject, kills, seed, wholeEvery = 20 } = options;
  const writers = Array.from({ length: options.writers ?? 8 }, (_, i) => `w${i}`);
  const expected = {
    lives: writers.map((writer) => newLife(writer, seed)),
    acknowledged: new Map<string, number>(),
    followers: ["all", "audit", ...areas.map(feedOf)].map(newFollower),
  };
  const found: Found = { acknowledged: 0, beyond: 0, serverKills: 0 };
  const random = randomOf(`kills ${seed}`);
  const program = await bundleWriter();
  // Made before the first kill, as whoever is killed while it makes the store has acknowledged nothing.
  await (await openTarget(subject.target)).close();
  for (let kill = 1; kill <= kills; kill++) {
    const order: WriterOrder = { target: subject.target, writers, seed };
    const serverToo = subject.server !== undefined && random(2) === 0;
    // Now and then while it still opens the store.
    const moment = { commits: random(5) === 0 ? 0 : 1 + random(200), milliseconds: random(12), serverToo };
    found.acknowledged += await writeUntilKilled({ program, order, moment, subject }, expected);
    if (serverToo) found.serverKills += 1;
    found.beyond += await checkKilled(subject.target, expected, kill === kills || kill % wholeEvery === 0);
    for (const { writer, made } of expected.lives) expected.acknowledged.set(writer, made);
    options.tell?.(kill, found);
  }
  return found;
}

async function checkKilled(target: Target, expected: Expected, whole: boolean): Promise<number> {
  const store = await openTarget(target);
  try {
    const beyond = await checkSince(store, expected);
    if (whole) await checkAll(store, expected);
    return beyond;
  } finally {
    await store.close();
  }
}

interface Writing {
  readonly program: string;
  readonly order: WriterOrder;
  readonly moment: { readonly commits: number; readonly milliseconds: number; readonly serverToo: boolean };
  readonly subject: Subject;
}

/** Runs writers until they are killed, follows the feeds meanwhile, and notes what was acknowledged. */
async function writeUntilKilled(
  { program, order, moment, subject }: Writing,
  expected: Expected,
): Promise<number> {
  const acknowledged = expected.acknowledged as Map<string, number>;
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = endOf(child);
  const store = await openTarget(order.target);
  let following: Promise<void> | undefined;
  const follow = async () => {
    for (const each of expected.followers) await followOn(store, each);
  };
  let count = 0;
  let killed: Promise<void> | undefined;
  const kill = async () => {
    await new Promise((resolve) => setTimeout(resolve, moment.milliseconds));
    if (moment.serverToo) await subject.server?.kill();
    child.kill("SIGKILL");
  };
  if (moment.commits === 0) killed = kill();
  for await (const line of createInterface({ input: child.stdout })) {
    const [writer = "", number] = line.split(" ");
    acknowledged.set(writer, Number(number));
    count += 1;
    if (count === moment.commits) killed ??= kill();
    // One reading at a time; what comes during it is told by the next.
    following ??= follow().finally(() => {
      following = undefined;
    });
    following.catch(() => undefined);
  }
  const error = await ended;
  await killed;
  if (error !== undefined && !moment.serverToo) throw new Error(`The writer ended by itself: ${error}`);
  await settle(following, moment.serverToo);
  await store.close().catch(() => undefined);
  if (moment.serverToo) await subject.server?.start();
  return count;
}

/** Waits for a reading of the feeds. One that a killed server cut off counts for nothing, and goes on later. */
async function settle(following: Promise<void> | undefined, serverGone: boolean): Promise<void> {
  try {
    await following;
  } catch (error) {
    if (!serverGone || !(error instanceof Error && error.name === "StoreError")) throw error;
  }
}

/** What a process said when it ended by itself; nothing where it was killed. */
function endOf(child: ChildProcess): Promise<string | undefined> {
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return new Promise((resolve) => {
    child.on("close", (code, signal) =>
      resolve(signal === "SIGKILL" ? undefined : `status ${code}. ${said.trim()}`),
    );
  });
}

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles the writer once, so that each of its processes starts in no time. */
async function bundleWriter(): Promise<string> {
  const outfile = `${root}.cache/torture/writer.mjs`;
  await mkdir(`${root}.cache/torture`, { recursive: true });
  await build({
    entryPoints: [fileURLToPath(new URL("writer.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@fieldroll/source"],
    external: ["better-sqlite3", "pg"],
    logLevel: "error",
  });
  return outfile;
}
