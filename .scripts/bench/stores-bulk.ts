import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Document } from "@fieldroll/core";
import { loadSqliteStore, openSqliteStore } from "@fieldroll/storage/sqlite";
import type { StoresTask } from "./stores.ts";
import { creatingCommits, madeBy } from "./stores-documents.ts";
import { findingText, median, peakMemory, type Rate, rateText, startClock } from "./stores-figures.ts";

interface Bulk extends StoresTask {
  readonly records: number;
  /** Those of a thousand records together: what is handed over is ready. */
  readonly documents: readonly (readonly Document[])[];
  readonly audited: boolean;
}

/**
 * Measures how new files of 20,000 records a second's work are filled, by a bulk load and by large commits in turns. A process that does
 * nothing else: what others of its work leave in its memory, and in the system's, would cost either of them as much again.
 */
export async function measureBulk(task: StoresTask, audited: boolean): Promise<void> {
  const records = 20_000 * task.seconds;
  const documents: (readonly Document[])[] = [];
  for await (const { put = [] } of creatingCommits(records, 1000)) {
    documents.push(audited ? put : put.filter(({ collection }) => collection === "Individual"));
  }
  const bulk: Bulk = { ...task, records, documents, audited };
  await loadRate(bulk);
  await commitRate(bulk);
  const [loads, commits]: [Rate[], Rate[]] = [[], []];
  for (let round = 0; round < task.rounds; round++) {
    loads.push(await loadRate(bulk));
    commits.push(await commitRate(bulk));
  }
  const what = audited ? "records with their audit" : "records";
  const rate = median(loads.map((each) => each.rate));
  const finding = {
    name: `bulk load of ${what}`,
    value: `${rate.toFixed(0)}/s`,
    goal: "≥ 25000/s",
    figures: rateText(loads),
    reached: rate >= 25_000,
  };
  process.stdout.write(findingText(finding));
  process.stdout.write(`     ${what}, 1,000 in a commit: ${rateText(commits)}\n`);
  process.stdout.write(
    `     peak memory ${peakMemory().toFixed(0)} MB with ${records} ready to be handed over\n`,
  );
}

/** From no file until it is whole, with all that finds the documents, and on the disk. */
async function loadRate({ folder, records, documents }: Bulk): Promise<Rate> {
  const path = join(folder, "load.db");
  const clock = startClock();
  const loaded = await loadSqliteStore({ path, documents });
  const rate = clock(records);
  if (!loaded.ok) throw new Error(`a load was refused: ${JSON.stringify(loaded.conflict)}`);
  await rm(path);
  return rate;
}

/** Into a new file, made beforehand. */
async function commitRate({ folder, records, documents }: Bulk): Promise<Rate> {
  const path = join(folder, "import.db");
  const store = await openSqliteStore({ path });
  const clock = startClock();
  for (const put of documents) await madeBy(store, [{ put }]);
  const rate = clock(records);
  await store.close();
  await rm(path);
  return rate;
}
