import { setImmediate } from "node:timers/promises";
import { operator, type Registry, type Store } from "@fieldroll/core";
import { createFirstLines, type FirstLines } from "./first-lines.ts";
import {
  type ImportFile,
  type ImportType,
  importOrder,
  isRecordLine,
  type RecordLine,
  readLines,
} from "./import-lines.ts";
import { writeRecords } from "./import-records.ts";
import { type Destination, writeRelated } from "./import-related.ts";

const batchSize = 200;

export interface ImportReport {
  /** Lines that are in the registry now, as they stand in the file. */
  readonly imported: number;
  /** Lines that were refused. */
  readonly refused: number;
}

export interface ImportListener {
  /** A line that was refused, and why. */
  onFault(line: number, fault: string): void;
  onProgress(imported: number): void;
}

/** Tells a line that was refused, and why. */
export type Refuse = (line: number, fault: string) => void;

/**
 * Imports a file of NDJSON, one record a line: docs/command-line.md. The order of the lines does not matter: the file is
 * read once for its faults and once for each type, and only its identifiers are held, so it may be larger than the memory.
 * Of lines with the same identifier the first counts. Importing a file again changes nothing.
 */
export async function importFile(
  { registry, store }: { readonly registry: Registry; readonly store: Store },
  file: ImportFile,
  listener: ImportListener,
): Promise<ImportReport> {
  const destination = { view: registry.as(operator), store };
  const report = { imported: 0, refused: 0 };
  const refuse: Refuse = (line, fault) => {
    report.refused += 1;
    listener.onFault(line, fault);
  };
  for await (const line of readLines(file)) if ("fault" in line) refuse(line.line, line.fault);
  for (const type of importOrder) {
    const firstLines = createFirstLines();
    for await (const batch of batchesOf(file, type)) {
      report.imported += await writeLines(destination, onlyFirst(batch, firstLines, refuse), refuse);
      listener.onProgress(report.imported);
      // An embedded database answers without ever waiting: signals and requests get their turn here.
      await setImmediate();
    }
  }
  return report;
}

/** @returns how many of the lines are in the registry now */
async function writeLines(
  destination: Destination,
  lines: readonly RecordLine[],
  refuse: Refuse,
): Promise<number> {
  const records = await writeRecords(destination, lines.filter(isRecordLine), refuse);
  const others = lines.filter((line) => !isRecordLine(line));
  return records.length + (await writeRelated(destination, others, refuse));
}

/** Leaves out, and tells, lines for a record that an earlier line is for. */
function onlyFirst(
  batch: readonly RecordLine[],
  firstLines: FirstLines,
  refuse: Refuse,
): readonly RecordLine[] {
  return batch.filter((line) => {
    const first = firstLines.earlierThan(line);
    if (first !== undefined) refuse(line.line, `is for the same record as line ${first}`);
    return first === undefined;
  });
}

async function* batchesOf(
  file: ImportFile,
  type: ImportType,
): AsyncGenerator<readonly RecordLine[], void, undefined> {
  let batch: RecordLine[] = [];
  for await (const line of readLines(file)) {
    if ("fault" in line || line.type !== type) continue;
    batch.push(line);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
