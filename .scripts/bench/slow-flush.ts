import { execFile } from "node:child_process";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const source = fileURLToPath(new URL("slow-flush.c", import.meta.url));

/**
 * The environment in which programs, and databases that they start, wait longer for each flush of a disk. Disks in virtual machines often say
 * that a flush is done as soon as their host has it in memory; a solid-state disk of its own takes about a millisecond.
 *
 * @param milliseconds How much longer; 0 changes nothing.
 * @param folder For the library that does it. It takes Linux, and a C compiler named `cc`.
 */
export async function slowFlush(milliseconds: number, folder: string): Promise<NodeJS.ProcessEnv> {
  if (milliseconds === 0) return process.env;
  const library = join(folder, "slow-flush.so");
  // A PostgreSQL that root starts runs as somebody else.
  await chmod(folder, 0o711);
  try {
    await promisify(execFile)("cc", ["-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"]);
  } catch (cause) {
    throw new Error("--flush takes Linux and a C compiler named cc (on Debian: apt-get install gcc)", {
      cause,
    });
  }
  return { ...process.env, LD_PRELOAD: library, FLUSH_MICROSECONDS: String(milliseconds * 1000) };
}
