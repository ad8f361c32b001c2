import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { setTimeout as wait } from "node:timers/promises";

/** What part of the processors may be busy on a machine that is idle, and how many looks are taken before it is measured as it is. */
const [share, patience] = [0.15, 40];

/**
 * Waits until what the turn before left is done: a browser goes on tidying its databases after a page is closed, and would do that beside
 * the next side, at its cost. A machine that has other work is waited for ten seconds.
 */
export async function quiet(): Promise<void> {
  // There is none on Windows; the disk is then as busy as it is.
  spawnSync("sync");
  for (let turn = 0; turn < patience; turn++) {
    const before = spent();
    await wait(250);
    const after = spent();
    if ((after.busy - before.busy) / (after.all - before.all) < share) return;
  }
}

/** The time of all processors so far, in milliseconds. */
function spent(): { readonly busy: number; readonly all: number } {
  const times = cpus().map(({ times: { idle, ...busy } }) => ({
    idle,
    busy: Object.values(busy).reduce((sum, each) => sum + each, 0),
  }));
  const sum = (pick: (each: { idle: number; busy: number }) => number) =>
    times.reduce((total, each) => total + pick(each), 0);
  return { busy: sum((each) => each.busy), all: sum((each) => each.busy + each.idle) };
}
