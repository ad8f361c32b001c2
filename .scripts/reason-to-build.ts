import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** @returns why something is to be built, for a person; nothing where its build is as new as its sources. */
export function reasonToBuild(build: string, sources: readonly string[]): string | undefined {
  if (!existsSync(build)) return "for the first time, which takes half a minute or so";
  const built = statSync(build).mtimeMs;
  return sources.some((source) => newest(source) > built)
    ? "its sources are newer than its build"
    : undefined;
}

/** @returns when the newest file of a folder was written, in milliseconds; 0 where there is none. */
function newest(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  const inside = readdirSync(path).filter((name) => name !== "node_modules" && name !== "dist");
  return Math.max(0, ...inside.map((name) => newest(join(path, name))));
}
