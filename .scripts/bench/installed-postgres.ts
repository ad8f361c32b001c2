import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../postgres.ts";

const run = promisify(execFile);

/** Where Debian's packages have their servers, a folder for each version. */
const installed = "/usr/lib/postgresql";

/**
 * A server of Debian's package, in a folder of its own, on a free port of loopback: it is built as servers are, and that of the npm
 * package to be small, which costs a commit a third more. `null` where none is installed: see `.scripts/install.sh postgres`.
 */
export async function startInstalledPostgres(): Promise<{ url: string; stop(): Promise<void> } | null> {
  const versions = await readdir(installed).catch(() => []);
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined) return null;
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-postgres-"));
  // A server does not run as root; the package has made a user for it.
  const isRoot = process.getuid?.() === 0;
  // Everybody on this machine gets to the port.
  const [password, secret] = [randomBytes(12).toString("hex"), join(folder, "password")];
  await writeFile(secret, password, { mode: 0o600 });
  if (isRoot) for (const path of [folder, secret]) await chown(path, ...(await idsOf("postgres")));
  const port = await freePort();
  const call = (name: string, ...options: readonly string[]) => {
    const command = [join(installed, newest, "bin", name), ...options];
    const [file = "", ...rest] = isRoot ? ["runuser", "-u", "postgres", "--", ...command] : command;
    return run(file, rest);
  };
  const data = join(folder, "data");
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c max_connections=300 -k ${folder}`;
  const stop = async () => {
    await call("pg_ctl", "-D", data, "-m", "fast", "-w", "stop").catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const signIn = ["-U", "postgres", "-A", "scram-sha-256", "--pwfile", secret];
    await call("initdb", "-D", data, ...signIn, "--locale=C.UTF-8", "--encoding=UTF8");
    await call("pg_ctl", "-D", data, "-l", join(folder, "log"), "-o", settings, "-w", "start");
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop };
}

async function idsOf(user: string): Promise<[number, number]> {
  const ids = await Promise.all(["-u", "-g"].map((option) => run("id", [option, user])));
  const [uid = 0, gid = 0] = ids.map(({ stdout }) => Number(stdout));
  return [uid, gid];
}
