import { setImmediate } from "node:timers/promises";
import {
  identifiersOf,
  type JsonObject,
  operator,
  type Problem,
  type Registry,
  type RegistryView,
  type ResourceType,
  type WriteEntry,
} from "@fieldroll/core";
import { verbsOf } from "../verbs.ts";
import { importOrder, readLines } from "./import-lines.ts";

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

interface Line {
  readonly line: number;
  readonly type: ResourceType;
  readonly record: JsonObject;
}

/**
 * Imports a file of NDJSON, one record a line: design section 9. The order of the lines does not matter: the file is
 * read once for its faults and once for each type, so it may be larger than the memory. Importing a file again changes nothing.
 */
export async function importFile(
  registry: Registry,
  path: string,
  listener: ImportListener,
): Promise<ImportReport> {
  const view = registry.as(operator);
  const report = { imported: 0, refused: 0 };
  const refuse = (line: number, fault: string) => {
    report.refused += 1;
    listener.onFault(line, fault);
  };
  for await (const line of readLines(path)) if ("fault" in line) refuse(line.line, line.fault);
  for (const type of importOrder) {
    for await (const batch of batchesOf(path, type)) {
      report.imported += await writeBatch(view, batch, refuse);
      listener.onProgress(report.imported);
      // An embedded database answers without ever waiting: signals and requests get their turn here.
      await setImmediate();
    }
  }
  return report;
}

async function* batchesOf(
  path: string,
  type: ResourceType,
): AsyncGenerator<readonly Line[], void, undefined> {
  let batch: Line[] = [];
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
async function writeBatch(
  view: RegistryView,
  batch: readonly Line[],
  refuse: (line: number, fault: string) => void,
): Promise<number> {
  let lines = batch;
  let entries = await Promise.all(lines.map((line) => entryFor(view, line)));
  while (lines.length > 0) {
    const written = await view.transaction(entries, { trusted: true });
    if (written.ok) return lines.length;
    const { entry } = written.problem;
    const bad = entry === undefined ? undefined : lines[entry];
    if (!bad) throw new Error(`Lines ${lines[0]?.line} to ${lines.at(-1)?.line}: ${written.problem.detail}`);
    refuse(bad.line, faultOf(written.problem));
    lines = lines.filter((line) => line !== bad);
    entries = entries.filter((_, i) => i !== entry);
  }
  return 0;
}

/** The fields and what is wrong with them; values of records stay out of messages. */
function faultOf({ errors, detail }: Problem): string {
  return errors?.map(({ field, message }) => `${field || "record"}: ${message}`).join("; ") ?? detail;
}

async function entryFor(view: RegistryView, { type, record }: Line): Promise<WriteEntry> {
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

function referenceIn(value: JsonObject[string] | undefined): string | undefined {
  const reference = (value as { reference?: unknown } | null | undefined)?.reference;
  return typeof reference === "string" ? reference : undefined;
}
