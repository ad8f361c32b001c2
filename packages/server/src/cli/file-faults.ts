import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { codeOf } from "../http/describe-failure.ts";
import { CommandRefusal } from "./refusal.ts";

/** What to tell of a file that can't be read. */
interface Told {
  /** The option that names it, such as `--clients`; nothing for a command's argument. */
  readonly option?: string;
  /** What comes of it, such as `nothing was imported`. */
  readonly so: string;
  /** What to do next, where there is more to say than to look at the path. */
  readonly next?: string;
}

const readFaults: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of its path is a file",
  EISDIR: "it is a folder",
  EACCES: "whoever runs this may not read it",
};

/** Says which file can't be read and why, what comes of it, and what to do next. */
export function unreadable(path: string, error: unknown, { option, so, next }: Told): CommandRefusal {
  const code = codeOf(error) ?? "unknown cause";
  const why = readFaults[code];
  const step = code === "EACCES" ? "Let them read it" : "Check the path";
  const fault = `${option === undefined ? "" : `${option}: `}${nameOf(path)} can't be read (${code})`;
  return new CommandRefusal(
    `${fault}${why === undefined ? "" : `: ${why}`}, so ${so}. ${next ?? `${step}, or name another file.`}`,
  );
}

const writeFaults: Readonly<Record<string, readonly [why: string, next: string]>> = {
  EACCES: ["whoever runs this may not write there", "Let them write there, or name a file elsewhere."],
  EPERM: ["whoever runs this may not write there", "Let them write there, or name a file elsewhere."],
  EROFS: ["nothing can be written to that drive", "Name a file elsewhere."],
  ENOSPC: ["the drive is full", "Make room, or name a file elsewhere, and run the command again."],
  ENOTDIR: ["a part of its path is a file", "Check the path, or name a file elsewhere."],
};

/** Says which file can't be written and why, and what to do next. */
export async function unwritable(path: string, code: string): Promise<CommandRefusal> {
  const [why, next] = (await missingFolder(path, code)) ??
    writeFaults[code] ?? ["", "Check the path, or name a file elsewhere."];
  const fault = `${resolve(path)} can't be written (${code})`;
  return new CommandRefusal(`${fault}${why === "" ? "" : `: ${why}`}, so nothing was written. ${next}`);
}

async function missingFolder(path: string, code: string): Promise<readonly [string, string] | undefined> {
  const folder = dirname(resolve(path));
  if (code !== "ENOENT" || (await stat(folder).catch(() => undefined))) return undefined;
  return [`there is no folder ${folder}`, "Make it first."];
}

function nameOf(path: string): string {
  return path === "-" ? "standard input" : resolve(path);
}
