import { access } from "node:fs/promises";
import type { Registry } from "@fieldroll/core";
import type { Logger } from "pino";
import { loadDemo } from "./demo-load.ts";
import { importFile } from "./import.ts";
import { logProgress } from "./progress.ts";
import { CommandRefusal, codeOf } from "./refusal.ts";
import type { ServeOptions } from "./serve-options.ts";

/** Loads what `fieldroll serve` was asked to begin with. */
export async function loadRecords(
  registry: Registry,
  { demo, loadFile }: Pick<ServeOptions, "demo" | "loadFile">,
  log: Logger,
): Promise<void> {
  if (loadFile !== undefined) await loadWholeFile(registry, loadFile, log);
  if (demo) await demonstrate(registry, log);
}

/** Imports a file and tells its bad lines; the exit status of `fieldroll import` says whether there were any. */
export async function importRecords(registry: Registry, path: string, log: Logger) {
  await access(path).catch((error: unknown) => {
    throw new CommandRefusal(`${path} can't be read (${codeOf(error) ?? "unknown cause"}).`);
  });
  const report = await importFile(registry, path, {
    onFault: (line, fault) => log.error({ line, fault }, "line refused"),
    onNote: (note) => log.warn(note),
    onProgress: logProgress(log, { message: "importing", step: 5000 }),
  });
  log.info(report, "import ended");
  return report;
}

async function loadWholeFile(registry: Registry, path: string, log: Logger): Promise<void> {
  const { refused } = await importRecords(registry, path, log);
  if (refused === 0) return;
  throw new CommandRefusal(
    `--load ${path}: ${refused} of its lines were refused, as told above. Correct them, or use fieldroll import to go without them.`,
  );
}

async function demonstrate(registry: Registry, log: Logger): Promise<void> {
  const { demoRecords } = await import("@fieldroll/core/demo");
  const today = new Date().toISOString().slice(0, 10);
  const written = await loadDemo(registry, {
    records: [...demoRecords({ today })],
    onProgress: logProgress(log, { message: "loading the demonstration", step: 1000 }),
  });
  log.info(
    { records: written },
    written > 0 ? "demonstration loaded" : "the database has records; they stay as they are",
  );
}
