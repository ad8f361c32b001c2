import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { isJsonObject, type Json, type JsonObject, type ResourceType } from "@fieldroll/core";
import { parseJson } from "../http/body.ts";

/** Types that have the rules of records, in the order of the passes: what refers to others comes after them. */
const recordTypes = ["Program", "Individual", "Group", "ProgramMembership"] as const satisfies ResourceType[];

/** The types in the order of the passes. */
export const importOrder = [...recordTypes, "Consent", "Cycle", "Entitlement", "ChangeRequest"] as const;

export type ImportType = (typeof importOrder)[number];

/** A line that holds a record. */
export interface RecordLine<Type extends ImportType = ImportType> {
  readonly line: number;
  readonly type: Type;
  readonly record: JsonObject;
  /** Of a resource: its key in the registry that it comes from, in lower case. The record itself does not show it. */
  readonly extId?: string;
  /** Of a Program: the money it may spend, which the record itself does not show. */
  readonly fund?: Json;
}

/** Whether a line is of one of the types of record. */
export function isRecordLine(line: RecordLine): line is RecordLine<ResourceType> {
  return recordTypes.some((type) => type === line.type);
}

/** A file to import: its path, or the file itself, opened, where it has none. */
export type ImportFile = string | FileHandle;

/** A line that is no record as it should be. */
export interface FaultyLine {
  readonly line: number;
  /** What is wrong with it. */
  readonly fault: string;
  /** Whether it is no JSON object with a type at all. */
  readonly foreign?: true;
}

/** One line of an import: a record, or what is wrong with it. */
export type ImportLine = RecordLine | FaultyLine;

/**
 * Reads NDJSON line by line, whatever the file's size; blank lines are passed over. Lines end with `\n`, and are taken as
 * bytes: text that isn't UTF-8 is a fault of its line, never replaced.
 */
export async function* readLines(file: ImportFile): AsyncGenerator<ImportLine, void, undefined> {
  let line = 0;
  for await (const bytes of bytesOfLines(file)) {
    line += 1;
    if (!isBlank(bytes)) yield parseLine(line, bytes);
  }
}

/** What stands between the ends of lines; empty after the last. */
async function* bytesOfLines(file: ImportFile): AsyncGenerator<Uint8Array, void, undefined> {
  let begun: Uint8Array[] = [];
  const chunks = typeof file === "string" ? createReadStream(file) : chunksOf(file);
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)]);
      begun = [];
      from = end + 1;
    }
    begun.push(chunk.subarray(from));
  }
  yield Buffer.concat(begun);
}

/** A stream of an opened file would close it where its reader stops early. */
async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(65_536), position });
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

const newline = 0x0a;

const byteOrderMark = [0xef, 0xbb, 0xbf];
const blanks = [0x20, 0x09, 0x0d];

/** Whether a line has nothing in it, but for the byte order mark with which a file may begin. */
function isBlank(bytes: Uint8Array): boolean {
  const marked = byteOrderMark.every((byte, i) => bytes[i] === byte);
  return bytes.subarray(marked ? byteOrderMark.length : 0).every((byte) => blanks.includes(byte));
}

/** Understands one line: docs/command-line.md. */
function parseLine(line: number, bytes: Uint8Array): ImportLine {
  const parsed = parseJson(bytes);
  if (!parsed.ok) {
    return { line, fault: parsed.problem.errors?.[0]?.message ?? parsed.problem.detail, foreign: true };
  }
  const record = parsed.value;
  if (!isJsonObject(record)) return { line, fault: "is not a JSON object", foreign: true };
  const type = importOrder.find((known) => known === record.type);
  if (!type) {
    const fault = `type must be one of ${importOrder.join(", ")}`;
    return typeof record.type === "string" ? { line, fault } : { line, fault, foreign: true };
  }
  const missing = lacking(type, record);
  if (missing !== undefined)
    return { line, fault: `${missing} is missing: without it, loading twice would add another` };
  const parted = { line, type, record };
  return isRecordLine(parted) ? partRecord(parted) : parted;
}

/** Takes from a resource what its line says beside it. */
function partRecord({ line, type, record: { ext_id: extId, ...record } }: RecordLine): ImportLine {
  if (extId !== undefined && !isUuid(extId)) return { line, fault: "/ext_id: must be a UUID" };
  const named = {
    line,
    type,
    record,
    ...(extId === undefined ? {} : { extId: String(extId).toLowerCase() }),
  };
  if (type !== "Program" || record.fund === undefined) return named;
  const { fund, ...rest } = record;
  return { ...named, record: rest, fund };
}

function isUuid(value: Json): boolean {
  return typeof value === "string" && /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value);
}

/** What tells a consent, a cycle or a change request from others of the same content. */
function lacking(type: ImportType, record: JsonObject): string | undefined {
  if (type === "Consent" && record.id === undefined) return "id";
  const named = type === "Cycle" || type === "ChangeRequest";
  return named && record.ext_id === undefined ? "ext_id" : undefined;
}
