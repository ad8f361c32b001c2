import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { isJsonObject, type JsonObject, type ResourceType } from "@fieldroll/core";
import { parseJson } from "../http/body.ts";

/** The types in the order of the passes: what refers to others comes after them. */
export const importOrder = [
  "Program",
  "Individual",
  "Group",
  "ProgramMembership",
] as const satisfies ResourceType[];

/** What can't be read in this version, though the format has it. */
const later: ReadonlySet<unknown> = new Set(["Consent", "Cycle", "Entitlement"]);

/** A line that holds a record. */
export interface RecordLine {
  readonly line: number;
  readonly type: ResourceType;
  readonly record: JsonObject;
  /** What of the line this version does not keep. */
  readonly note?: string;
}

/** One line of an import: a record, or what is wrong with it. */
export type ImportLine = RecordLine | { readonly line: number; readonly fault: string };

/** Reads NDJSON line by line, whatever the file's size; empty lines are passed over. */
export async function* readLines(path: string): AsyncGenerator<ImportLine, void, undefined> {
  let line = 0;
  for await (const text of createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    line += 1;
    if (text.trim() !== "") yield parseLine(line, text);
  }
}

/** Understands one line: docs/command-line.md. */
export function parseLine(line: number, text: string): ImportLine {
  const parsed = parseJson(new TextEncoder().encode(text));
  if (!parsed.ok) return { line, fault: parsed.problem.errors?.[0]?.message ?? parsed.problem.detail };
  const record = parsed.value;
  if (!isJsonObject(record)) return { line, fault: "is not a JSON object" };
  const type = importOrder.find((known) => known === record.type);
  if (type === "Program" && Object.hasOwn(record, "fund")) {
    const { fund: _, ...rest } = record;
    return { line, type, record: rest, note: "fund is not kept in this version" };
  }
  if (type) return { line, type, record };
  if (later.has(record.type))
    return { line, fault: `${String(record.type)} can't be imported in this version` };
  return { line, fault: `type must be one of ${importOrder.join(", ")}` };
}
