import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import type { Store } from "@fieldroll/core";
import { bundleProgram } from "../bundle.ts";
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
  const program = await bundleProgram(new URL("writer.ts", import.meta.url));
  // Made before the first kill, as whoever is killed while it makes the store has acknowledged nothing.
  await (await openTarget(subject.target)).close();
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const order: WriterOrder = { target: subject.target, writers, seed };
      const serverToo = subject.server !== undefined && random(2) === 0;
      // Now and then while it still opens the store.
      const moment = { commits: random(5) === 0 ? 0 : 1 + random(200), milliseconds: random(12), serverToo };
      found.acknowledged += await writeUntilKilled({ program, order, moment, subject }, expected);
      if (serverToo) found.serverKills += 1;
      await subject.settled?.();
      found.beyond += await checkKilled(subject.target, expected, kill === kills || kill % wholeEvery === 0);
      for (const { writer, made } of expected.lives) expected.acknowledged.set(writer, made);
      options.tell?.(kill, found);
    }
    return found;
  } finally {
    await rm(program);
  }
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
  const kill = async () => {
    await new Promise((resolve) => setTimeout(resolve, moment.milliseconds));
    if (moment.serverToo) await subject.server?.kill();
    child.kill("SIGKILL");
  };
  let count = 0;
  let killed = moment.commits === 0 ? kill() : undefined;
  const follower = createFollowing(expected);
  const ended = hear(child, (line) => {
    const [writer = "", number] = line.split(" ");
    acknowledged.set(writer, Number(number));
    count += 1;
    if (count === moment.commits) killed ??= kill();
    follower.wake();
  });
  await follower.follow(order.target, ended, moment.serverToo);
  const error = await ended;
  await killed;
  if (error !== undefined && !moment.serverToo) throw new Error(`The writer ended by itself: ${error}`);
  if (moment.serverToo) await subject.server?.start();
  return count;
}

/** Follows the feeds on a handle of its own whenever it is woken, one reading at a time. */
function createFollowing({ followers }: Expected) {
  let wake = () => {};
  let asked = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const readAll = async (store: Store) => {
    for (const each of followers) await followOn(store, each);
  };
  return {
    wake: () => wake(),
    async follow(target: Target, ended: Promise<unknown>, serverDies: boolean): Promise<void> {
      let over = false;
      const end = ended.then(() => {
        over = true;
      });
      const store = await settled(openTarget(target), serverDies);
      while (store && !over) {
        await Promise.race([asked, end]);
        asked = new Promise((resolve) => {
          wake = resolve;
        });
        await settled(readAll(store), serverDies);
      }
      await end;
      await store?.close().catch(() => undefined);
    },
  };
}

/** Waits for a call. One that a killed server cut off counts for nothing, and is made again after the next kill. */
async function settled<T>(call: Promise<T>, serverDies: boolean): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (serverDies && error instanceof Error && error.name === "StoreError") return undefined;
    throw error;
  }
}

/** Listens to a process from its first moment on; tells why it ended by itself, and nothing where it was killed. */
function hear(child: ChildProcess, line: (line: string) => void): Promise<string | undefined> {
  let [rest, said] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    // A line that a kill has cut off acknowledges nothing.
    rest = lines.pop() ?? "";
    for (const each of lines) line(each);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return new Promise((resolve) => {
    child.on("close", (code, signal) =>
      resolve(signal === "SIGKILL" ? undefined : `status ${code}. ${said.trim()}`),
    );
  });
}
