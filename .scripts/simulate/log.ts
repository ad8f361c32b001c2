import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { SimulationReport } from "../../test/simulation/simulate.ts";

/** What a run was made of: another run of these is the same one. */
export interface Run {
  readonly seed: number;
  readonly devices: number;
  readonly weeks: number;
  readonly pace: number;
}

/** A run that has ended. */
export interface Ended extends Run, SimulationReport {}

/** Reads the runs of a log that a later one may leave out; none where there is no log. A line that was cut off counts for nothing. */
export function readLog(
  path: string | undefined,
  { devices, weeks, pace }: Omit<Run, "seed">,
): readonly Ended[] {
  if (path === undefined || !existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines
    .map((line) => JSON.parse(line) as Ended)
    .filter((run) => run.devices === devices && run.weeks === weeks && run.pace === pace);
}

/** Adds a run to a log. */
export function writeLog(path: string | undefined, run: Ended): void {
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(run)}\n`);
}
