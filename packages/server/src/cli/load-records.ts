import type { Registry, Store } from "@fieldroll/core";
import type { Logger } from "pino";
import { demoPartner } from "./demo.ts";
import { loadDemoBenefits } from "./demo-benefits.ts";
import { loadDemo } from "./demo-load.ts";
import { type ImportReport, importFile } from "./import.ts";
import { type ImportFile, readLines } from "./import-lines.ts";
import { logProgress } from "./progress.ts";
import { CommandRefusal } from "./refusal.ts";
import { refuseOtherFiles } from "./refuse-other-files.ts";
import type { ServeOptions } from "./serve-options.ts";
import { isNamedPipe, isStandardInput, withReadable } from "./spool.ts";

/** A registry and its store. */
export interface Destination {
  readonly registry: Registry;
  readonly store: Store;
}

/** Loads what `fieldroll serve` was asked to begin with. */
export async function loadRecords(
  destination: Destination,
  { demo, loadFile }: Pick<ServeOptions, "demo" | "loadFile">,
  log: Logger,
): Promise<void> {
  if (loadFile !== undefined) await loadWholeFile(destination, loadFile, log);
  if (demo) await demonstrate(destination, log);
}

/**
 * Imports a file and tells its bad lines; the exit status of `fieldroll import` says whether there were any.
 *
 * @param path of a file, or of a pipe; `-` for standard input
 */
export function importRecords(destination: Destination, path: string, log: Logger): Promise<ImportReport> {
  return withRecords(path, log, (file) => importInto(destination, file, log));
}

/** Hands over a file that has records, whatever its faults: where it has none, the work is not even begun. */
export function withRecords<T>(
  path: string,
  log: Logger,
  work: (file: ImportFile) => Promise<T>,
): Promise<T> {
  return withReadable(path, async (file) => {
    if (isStandardInput(path)) await refuseNothing(file);
    await refuseOtherFiles(file, path === "-" ? "Standard input" : path, refusedLine(log));
    return work(file);
  });
}

/**
 * Refuses what can't be imported, before anything is made for it. What comes by a pipe can be read once only: whether there are
 * records in it is seen when it is loaded.
 */
export async function refuseUnloadable(path: string, log: Logger): Promise<void> {
  const isPipe = isStandardInput(path) || (await isNamedPipe(path));
  if (!isPipe) await withRecords(path, log, async () => {});
}

/** A file may have been exported from an empty registry; where nothing comes by a pipe, what was to write to it has failed. */
async function refuseNothing(file: ImportFile): Promise<void> {
  for await (const _ of readLines(file)) return;
  throw new CommandRefusal(
    "Nothing came in by standard input, so nothing was imported. See whether the command before the pipe failed, or name a file.",
  );
}

/** Imports what {@link withRecords} handed over. */
export async function importInto(
  destination: Destination,
  file: ImportFile,
  log: Logger,
): Promise<ImportReport> {
  const report = await importFile(destination, file, {
    onFault: refusedLine(log),
    onProgress: logProgress(log, { message: "importing", step: 5000 }),
  });
  log.info(report, "import ended");
  return report;
}

function refusedLine(log: Logger): (line: number, fault: string) => void {
  return (line, fault) => log.error({ line, fault }, "line refused");
}

async function loadWholeFile(destination: Destination, path: string, log: Logger): Promise<void> {
  const { refused } = await importRecords(destination, path, log);
  if (refused === 0) return;
  throw new CommandRefusal(
    `--load ${path}: ${refused} of its lines ${refused === 1 ? "was" : "were"} refused, as told above. Correct them, or use fieldroll import to go without them.`,
  );
}

async function demonstrate(destination: Destination, log: Logger): Promise<void> {
  const { demoBenefits, demoRecords } = await import("@fieldroll/core/demo");
  const today = new Date().toISOString().slice(0, 10);
  const records = [...demoRecords({ today })];
  const written = await loadDemo(destination.registry, {
    records,
    onProgress: logProgress(log, { message: "loading the demonstration", step: 1000 }),
  });
  await loadDemoBenefits(destination, records, demoBenefits(records, { today, partner: demoPartner }));
  log.info(
    { records: written },
    written > 0 ? "demonstration loaded" : "the database has records; they stay as they are",
  );
}
