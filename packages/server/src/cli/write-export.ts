import { randomBytes } from "node:crypto";
import { type FileHandle, link, lstat, open, rename, rm } from "node:fs/promises";
import type { Logger } from "pino";
import { codeOf } from "../http/describe-failure.ts";
import { exportLines, type Source } from "./export.ts";
import { unwritable } from "./file-faults.ts";
import { logProgress } from "./progress.ts";
import { CommandRefusal } from "./refusal.ts";

/**
 * Writes everything of a registry to a new file, or to standard output. The file is there once it is whole and on the disk: until
 * then what is written has a name of its own beside it, which ends in `.part`.
 *
 * @param target a path that is free, or `-` for standard output
 * @throws CommandRefusal when there is something of that name already: nothing replaces it.
 */
export async function writeExport(
  source: Source,
  { target, out, log }: { readonly target: string; out(text: string): Promise<void>; readonly log: Logger },
): Promise<void> {
  let lines = 0;
  const tell = logProgress(log, { message: "exporting", step: 5000 });
  async function* texts() {
    for await (const line of exportLines(source)) {
      yield `${JSON.stringify(line)}\n`;
      lines += 1;
      tell(lines);
    }
  }
  if (target === "-") for await (const text of texts()) await out(text);
  else await writeFile(target, texts());
  log.info({ lines }, "export ended");
}

async function writeFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  if (await isThere(path)) throw taken(path);
  // A name that nobody else writes to or can have prepared.
  const part = `${path}.${randomBytes(6).toString("hex")}.part`;
  try {
    // For the operator's eyes only: it holds everything about everybody.
    const file = await open(part, "wx", 0o600);
    try {
      await fill(file, texts);
      await giveName(part, path);
    } finally {
      await rm(part, { force: true });
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") throw taken(path);
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw await unwritable(path, code);
  }
}

/** Also a link that leads nowhere is there. */
async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Characters that are written by one call, or a few more. */
const atOnce = 65_536;

/** Writes a file to its end, waits until it is on the disk, and closes it whatever comes of it. */
async function fill(file: FileHandle, texts: AsyncIterable<string>): Promise<void> {
  try {
    let unwritten = "";
    for await (const text of texts) {
      unwritten += text;
      if (unwritten.length < atOnce) continue;
      await file.writeFile(unwritten);
      unwritten = "";
    }
    await file.writeFile(unwritten);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A link is refused where the name is taken, in one step; a rename would put itself in the place of what is there. */
async function giveName(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw error;
    // Some drives know no links: there the name is taken by an empty file first, which the rename replaces.
    await (await open(path, "wx", 0o600)).close();
    await rename(part, path);
  }
}

function taken(path: string): CommandRefusal {
  return new CommandRefusal(
    `${path}: there is a file of this name, and an export replaces none. Name another, or - for standard output.`,
  );
}
