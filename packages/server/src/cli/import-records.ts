import {
  failure,
  identifiersOf,
  type JsonObject,
  type Outcome,
  type Problem,
  type RegistryView,
  type ResourceType,
  StoreError,
  type WriteEntry,
} from "@fieldroll/core";
import { verbsOf } from "../verbs.ts";
import { referenceIn } from "./first-lines.ts";
import type { Refuse } from "./import.ts";
import type { RecordLine } from "./import-lines.ts";
import { CommandRefusal } from "./refusal.ts";

type Lines = readonly RecordLine<ResourceType>[];

/**
 * Writes lines in one commit; a refused one is told and left out, and the rest tried again.
 *
 * @returns the lines whose records are in the registry now
 */
export async function writeRecords(view: RegistryView, batch: Lines, refuse: Refuse): Promise<Lines> {
  let lines = batch;
  let entries = await Promise.all(lines.map((line) => entryFor(view, line)));
  while (lines.length > 0) {
    const written = await writeEntries(view, entries);
    if (written.ok) return lines;
    const bad = lines.length === 1 ? lines[0] : lines[written.problem.entry ?? -1];
    if (!bad) return writeSingly(view, lines, refuse);
    refuse(bad.line, faultOf(written.problem));
    entries = entries.filter((_, i) => lines[i] !== bad);
    lines = lines.filter((line) => line !== bad);
  }
  return [];
}

/** When it isn't told which line stood in the way of the others, each goes its own way. */
async function writeSingly(view: RegistryView, lines: Lines, refuse: Refuse): Promise<Lines> {
  const imported: Lines[number][] = [];
  for (const line of lines) imported.push(...(await writeRecords(view, [line], refuse)));
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
export function faultOf({ kind, errors, detail }: Problem): string {
  if (kind === "duplicate") return "another record has one of its identifiers, or its place in the program";
  return errors?.map(({ field, message }) => `${field || "record"}: ${message}`).join("; ") ?? detail;
}

async function entryFor(view: RegistryView, { type, record }: Lines[number]): Promise<WriteEntry> {
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
