import {
  failure,
  type Outcome,
  type Problem,
  type RegistryView,
  type ResourceType,
  StoreError,
  type WriteEntry,
} from "@fieldroll/core";
import type { Refuse } from "./import.ts";
import type { RecordLine } from "./import-lines.ts";
import type { Destination } from "./import-related.ts";
import { type Standing, standingOf } from "./import-standing.ts";
import { CommandRefusal } from "./refusal.ts";

type Lines = readonly RecordLine<ResourceType>[];

/**
 * Writes lines in one commit; a refused one is told and left out, and the rest tried again.
 *
 * @returns the lines whose records are in the registry now
 */
export async function writeRecords(destination: Destination, batch: Lines, refuse: Refuse): Promise<Lines> {
  const { view, store } = destination;
  const standing = await standingOf(store, batch);
  let lines = withoutOtherIds(onlyFirstOf(batch, standing, refuse), standing, refuse);
  let entries = lines.map((line) => entryFor(line, standing.get(line)));
  while (lines.length > 0) {
    const written = await writeEntries(view, entries);
    if (written.ok) return lines;
    const bad = lines.length === 1 ? lines[0] : lines[written.problem.entry ?? -1];
    if (!bad) return writeSingly(destination, lines, refuse);
    refuse(bad.line, faultOf(written.problem));
    entries = entries.filter((_, i) => lines[i] !== bad);
    lines = lines.filter((line) => line !== bad);
  }
  return [];
}

/** Leaves out, and tells, lines for a record that another line is for under another of its names. */
function onlyFirstOf(lines: Lines, standing: ReadonlyMap<Lines[number], Standing>, refuse: Refuse): Lines {
  const first = new Map<string, number>();
  return lines.filter((line) => {
    const key = standing.get(line)?.key;
    if (key === undefined) return true;
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, line.line);
    else refuse(line.line, `is for the same record as line ${earlier}`);
    return earlier === undefined;
  });
}

/** When it isn't told which line stood in the way of the others, each goes its own way. */
async function writeSingly(destination: Destination, lines: Lines, refuse: Refuse): Promise<Lines> {
  const imported: Lines[number][] = [];
  for (const line of lines) imported.push(...(await writeRecords(destination, [line], refuse)));
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

/** Leaves out, and tells, lines whose record is there with another `ext_id` than they say: what others hold must not change. */
function withoutOtherIds(
  lines: Lines,
  standing: ReadonlyMap<Lines[number], Standing>,
  refuse: Refuse,
): Lines {
  return lines.filter((line) => {
    const key = standing.get(line)?.key ?? line.extId;
    if (line.extId === undefined || line.extId === key) return true;
    refuse(line.line, "is there already with another ext_id. To change it all the same, leave ext_id out");
    return false;
  });
}

function entryFor(line: Lines[number], standing: Standing | undefined): WriteEntry {
  const { type, record, extId, fund } = line;
  const money = fund === undefined ? {} : { fund };
  if (!standing)
    return { verb: "create", type, body: record, ...money, ...(extId === undefined ? {} : { key: extId }) };
  const { address, identifier } = standing;
  return { verb: "replace", type, address, body: { identifier, ...record }, ...money, ifMatch: "*" };
}
