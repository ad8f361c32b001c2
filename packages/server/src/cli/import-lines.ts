import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { isJsonObject, type Json, type JsonObject, type ResourceType } from "@fieldroll/core";
import { parseJson } from "../http/body.ts";

/** Types that have the rules of records, in the order of the passes: what refers to others comes after them. */
const recordTypes = ["Program", "Individual", "Group", "ProgramMembership"] as const satisfies ResourceType[];

/** The types in the order of the passes. */
export const importOrder = [...recordTypes, "Consent", "Cycle", "Entitlement"] as const;

export type ImportType = (typeof importOrder)[number];

/** A line that holds a record. */
export interface RecordLine<Type extends ImportType = ImportType> {
  readonly line: number;
  readonly type: Type;
  readonly record: JsonObject;
  /** Of a Program: the money it may spend, which the record itself does not show. */
  readonly fund?: Json;
}

/** Whether a line is of one of the types of record. */
export function isRecordLine(line: RecordLine): line is RecordLine<ResourceType> {
  return recordTypes.some((type) => type === line.type);
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
  if (!type) return { line, fault: `type must be one of ${importOrder.join(", ")}` };
  const missing = lacking(type, record);
  if (missing !== undefined)
    return { line, fault: `${missing} is missing: without it, loading twice would add another` };
  if (type !== "Program" || record.fund === undefined) return { line, type, record };
  const { fund, ...rest } = record;
  return { line, type, record: rest, fund };
}

/** What tells a consent or a cycle from others of the same content. */
function lacking(type: ImportType, record: JsonObject): string | undefined {
  if (type === "Consent" && record.id === undefined) return "id";
  return type === "Cycle" && record.ext_id === undefined ? "ext_id" : undefined;
}
