import { setImmediate } from "node:timers/promises";
import {
  identifiersOf,
  type JsonObject,
  operator,
  type Registry,
  type RegistryView,
  type ResourceType,
  type WriteEntry,
} from "@fieldroll/core";
import { verbsOf } from "../verbs.ts";

const batchSize = 200;

/**
 * Loads the demonstration's records into a registry that is empty, or whose loading was broken off. One that holds
 * other records is left alone.
 *
 * @param options.records in the order in which they may be created
 * @param options.onProgress called with the records written and all there are to write
 * @returns how many records were written
 */
export async function loadDemo(
  registry: Registry,
  options: {
    readonly records: readonly JsonObject[];
    readonly onProgress: (done: number, all: number) => void;
  },
): Promise<number> {
  const view = registry.as(operator);
  const missing = await missingRecords(view, options.records);
  for (let done = 0; done < missing.length; done += batchSize) {
    const batch = missing.slice(done, done + batchSize);
    await writeAll(view, batch);
    options.onProgress(done + batch.length, missing.length);
    // An embedded database answers without ever waiting: signals and requests get their turn here.
    await setImmediate();
  }
  return missing.length;
}

async function missingRecords(
  view: RegistryView,
  records: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const [first] = records;
  const last = records.at(-1);
  if (!first || !last || (await isThere(view, last))) return [];
  if (!(await isThere(view, first))) return (await isEmpty(view)) ? records : [];
  // Batches are written whole and in order, so the first record that is not there begins what is missing.
  for (const [i, record] of records.entries()) if (!(await isThere(view, record))) return records.slice(i);
  return [];
}

async function isEmpty(view: RegistryView): Promise<boolean> {
  const parameters = { limit: "1", active: "any" };
  const found = await Promise.all([view.groups.search(parameters), view.individuals.search(parameters)]);
  return found.every((outcome) => outcome.ok && outcome.value.data.length === 0);
}

async function isThere(view: RegistryView, record: JsonObject): Promise<boolean> {
  const [identifier] = identifiersOf(record);
  if (!identifier) return false;
  return (await verbsOf(view, record.type as ResourceType).read(identifier)).ok;
}

async function writeAll(view: RegistryView, records: readonly JsonObject[]): Promise<void> {
  const entries = records.map(
    (body): WriteEntry => ({ verb: "create", type: body.type as ResourceType, body }),
  );
  const written = await view.transaction(entries, { trusted: true });
  if (!written.ok) throw new Error(`The demonstration's records were refused: ${written.problem.detail}`);
}
