import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Client } from "pg";

/** What a person without PgBouncer is told. */
export const pgbouncerMissing =
  "no PgBouncer found: run `sudo bash .scripts/install.sh pgbouncer`, or set FIELDROLL_PGBOUNCER to the path of one";

/** The program that FIELDROLL_PGBOUNCER names, or the one on PATH; `none` stands for a machine without. */
export function findPgbouncer(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env.FIELDROLL_PGBOUNCER;
  if (named === "none") return undefined;
  if (named) return named;
  const folders = [...(env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, "pgbouncer")).find(isProgram);
}

/**
 * Whether a run of the tests first installs PgBouncer: one that would use it, on a machine that has none, where no password is
 * asked for.
 *
 * @param machine.canInstall whether this process may install packages by apt-get
 */
export function installsPgbouncer(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  machine: { readonly canInstall: boolean; readonly hasPgbouncer: boolean },
): boolean {
  const projects = args.filter((arg) => arg.startsWith("--project="));
  const isUsed = projects.length === 0 || projects.includes("--project=postgres");
  return isUsed && !env.FIELDROLL_PGBOUNCER && !machine.hasPgbouncer && machine.canInstall;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A pooler that lends each of few connections for one transaction at a time. */
export interface Pooler {
  /** The connection string by way of it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer before a server, with a configuration of its own in a folder that is deleted at the end. */
export async function startPgbouncer(program: string, server: string): Promise<Pooler> {
  const { hostname, port: serverPort, username, password } = new URL(server);
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-pgbouncer-"));
  // It refuses to run as root, and its user has to get at the files.
  await chmod(folder, 0o755);
  const port = await freePort();
  const settings = {
    ...{ listen_addr: "127.0.0.1", listen_port: port, unix_socket_dir: "" },
    ...{ auth_type: "trust", auth_file: join(folder, "users.txt") },
    ...{ pool_mode: "transaction", default_pool_size: 4, max_client_conn: 400 },
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const databases = `* = host=${hostname} port=${serverPort || 5432}`;
  const config = join(folder, "pgbouncer.ini");
  await writeFile(config, ["[databases]", databases, "[pgbouncer]", ...lines, ""].join("\n"));
  await writeFile(settings.auth_file, `"${username}" "${decodeURIComponent(password)}"\n`);
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(program, [config], { stdio: ["ignore", "ignore", "pipe"], cwd: "/", ...nobody });
  let said = "";
  let hasEnded = false;
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve())).then(() => {
    hasEnded = true;
  });
  const url = new URL(server);
  url.host = `127.0.0.1:${port}`;
  await untilItAnswers(url.href, () => hasEnded).catch((error: unknown) => {
    throw new Error(`PgBouncer does not answer (${String(error)}): ${said}`);
  });
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  return { url: url.href, stop };
}

async function untilItAnswers(connectionString: string, hasEnded: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const client = new Client({ connectionString });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      await client.end().catch(() => undefined);
      if (hasEnded() || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
