import { createReadStream } from "node:fs";
import { access, constants, mkdtemp, open, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { unreadable } from "./file-faults.ts";
import type { ImportFile } from "./import-lines.ts";
import { CommandRefusal } from "./refusal.ts";

/**
 * Hands over a file that can be read from its beginning as often as needed. What comes by a pipe is kept on disk meanwhile,
 * under no name, so that nothing is left of it however the command ends; the memory need not hold it.
 *
 * @param path of a file or a pipe; `-` for standard input
 */
export async function withReadable<T>(path: string, work: (file: ImportFile) => Promise<T>): Promise<T> {
  if (isStandardInput(path)) return withCopy(process.stdin, work);
  const refuse = (error: unknown): never => {
    throw unreadable(path, error, { so: "nothing was imported" });
  };
  await access(path, constants.R_OK).catch(refuse);
  const found = await stat(path).catch(refuse);
  if (found.isFile()) return work(path);
  if (found.isFIFO()) return withCopy(createReadStream(path), work);
  throw new CommandRefusal(
    `${path} is not a file. Name a file of NDJSON, one record a line, or - for standard input.`,
  );
}

export function isStandardInput(path: string): boolean {
  return path === "-" || path === "/dev/stdin";
}

export async function isNamedPipe(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFIFO(),
    () => false,
  );
}

async function withCopy<T>(source: Readable, work: (file: ImportFile) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-"));
  const file = await open(join(folder, "input.ndjson"), "wx+", 0o600);
  try {
    await rm(folder, { recursive: true });
    await writeFile(file, source);
    return await work(file);
  } finally {
    await file.close();
  }
}
