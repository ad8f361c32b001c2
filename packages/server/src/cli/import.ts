import { setImmediate } from "node:timers/promises";
import {
  failure,
  identifiersOf,
  type JsonObject,
  type Outcome,
  operator,
  type Problem,
  type Registry,
  type RegistryView,
  type ResourceType,
  StoreError,
  type WriteEntry,
} from "@fieldroll/core";
import { verbsOf } from "../verbs.ts";
import { createFirstLines, type FirstLines, referenceIn } from "./first-lines.ts";
import { type ImportLine, importOrder, type RecordLine, readLines } from "./import-lines.ts";
import { CommandRefusal } from "./refusal.ts";

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
  /** Something that is left out of what is imported; told once for the whole file. */
  onNote(note: string): void;
  onProgress(imported: number): void;
}

type Refuse = (line: number, fault: string) => void;

/**
 * Imports a file of NDJSON, one record a line: docs/command-line.md. The order of the lines does not matter: the file is
 * read once for its faults and once for each type, and only its identifiers are held, so it may be larger than the memory.
 * Of lines with the same identifier the first counts. Importing a file again changes nothing.
 */
export async function importFile(
  registry: Registry,
  path: string,
  listener: ImportListener,
): Promise<ImportReport> {
  const view = registry.as(operator);
  const report = { imported: 0, refused: 0 };
  const refuse: Refuse = (line, fault) => {
    report.refused += 1;
    listener.onFault(line, fault);
  };
  await tellFaults(path, listener, refuse);
  for (const type of importOrder) {
    const firstLines = createFirstLines();
    for await (const batch of batchesOf(path, type)) {
      report.imported += await writeBatch(view, onlyFirst(batch, firstLines, refuse), refuse);
      listener.onProgress(report.imported);
      // An embedded database answers without ever waiting: signals and requests get their turn here.
      await setImmediate();
    }
  }
  return report;
}

async function tellFaults(path: string, listener: ImportListener, refuse: Refuse): Promise<void> {
  const notes = new Set<string>();
  const tell = (line: ImportLine) => {
    if ("fault" in line) refuse(line.line, line.fault);
    else if (line.note !== undefined) notes.add(line.note);
  };
  for await (const line of readLines(path)) tell(line);
  for (const note of notes) listener.onNote(note);
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
  path: string,
  type: ResourceType,
): AsyncGenerator<readonly RecordLine[], void, undefined> {
  let batch: RecordLine[] = [];
  for await (const line of readLines(path)) {
    if ("fault" in line || line.type !== type) continue;
    batch.push(line);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Writes lines in one commit; a refused one is told and left out, and the rest tried again. */
async function writeBatch(view: RegistryView, batch: readonly RecordLine[], refuse: Refuse): Promise<number> {
  let lines = batch;
  let entries = await Promise.all(lines.map((line) => entryFor(view, line)));
  while (lines.length > 0) {
    const written = await writeEntries(view, entries);
    if (written.ok) return lines.length;
    const bad = lines.length === 1 ? lines[0] : lines[written.problem.entry ?? -1];
    if (!bad) return writeSingly(view, lines, refuse);
    refuse(bad.line, faultOf(written.problem));
    entries = entries.filter((_, i) => lines[i] !== bad);
    lines = lines.filter((line) => line !== bad);
  }
  return 0;
}

/** When it isn't told which line stood in the way of the others, each goes its own way. */
async function writeSingly(
  view: RegistryView,
  lines: readonly RecordLine[],
  refuse: Refuse,
): Promise<number> {
  let imported = 0;
  for (const line of lines) imported += await writeBatch(view, [line], refuse);
  return imported;
}

async function writeEntries(view: RegistryView, entries: readonly WriteEntry[]): Promise<Outcome<unknown>> {
  try {
    const written = await view.transaction(entries, { trusted: true });
    if (written.ok || written.problem.kind !== "unavailable") return written;
    throw new CommandRefusal(`The import was broken off: ${written.problem.detail}`);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "bad-request") throw error;
    return failure({ kind: "validation", detail: "is nothing that the database can keep" });
  }
}

/** The fields and what is wrong with them; identifiers of other records stay out of messages. */
function faultOf({ kind, errors, detail }: Problem): string {
  if (kind === "duplicate") return "another record has one of its identifiers, or its place in the program";
  return errors?.map(({ field, message }) => `${field || "record"}: ${message}`).join("; ") ?? detail;
}

async function entryFor(view: RegistryView, { type, record }: RecordLine): Promise<WriteEntry> {
  const address = await addressOf(view, type, record);
  if (!address) return { verb: "create", type, body: record };
  const identifier = record.identifier ?? [address];
  return { verb: "replace", type, address, body: { ...record, identifier }, ifMatch: "*" };
}

/** Where a record already stands; a membership without identifier is known by its program and beneficiary. */
async function addressOf(view: RegistryView, type: ResourceType, record: JsonObject) {
  const [identifier] = identifiersOf(record);
  if (identifier) return (await verbsOf(view, type).read(identifier)).ok ? identifier : undefined;
  if (type !== "ProgramMembership") return undefined;
  const program = referenceIn(record.program);
  const beneficiary = referenceIn(record.beneficiary);
  if (program === undefined || beneficiary === undefined) return undefined;
  const found = await view.memberships.search({ program, beneficiary, limit: "1" });
  const [existing] = found.ok ? found.value.data : [];
  return existing?.identifier?.[0];
}
