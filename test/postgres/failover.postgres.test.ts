import { execFileSync } from "node:child_process";
import { appendFile, chown, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type StartedPostgres, startPostgres } from "../../.scripts/postgres.ts";

const given = inject("postgres");

const put = (key: string) => ({ put: [{ collection: "c", key, version: 1, body: 0, feeds: ["f"] }] });

/** What a standby has that follows its server up to now, and is promoted when it is started. */
async function standbyOf(client: Client, folder: string): Promise<string> {
  const standby = `${folder}.standby`;
  await client.query("SELECT pg_backup_start('standby', true)");
  execFileSync("cp", ["-a", folder, standby]);
  const { rows } = await client.query<{ label: string }>(
    "SELECT labelfile AS label FROM pg_backup_stop(false)",
  );
  await rm(join(standby, "pg_wal"), { recursive: true });
  execFileSync("cp", ["-a", join(folder, "pg_wal"), join(standby, "pg_wal")]);
  await rm(join(standby, "postmaster.pid"));
  // Where this runs as root, the server runs as another user.
  const { uid, gid } = await stat(standby);
  for (const [name, text = ""] of [["backup_label", rows[0]?.label], ["recovery.signal"]] as const) {
    await writeFile(join(standby, name), text);
    await chown(join(standby, name), uid, gid);
  }
  await appendFile(join(standby, "postgresql.auto.conf"), "\nrestore_command = 'false'\n");
  return standby;
}

describe("a standby that takes its server's place without the last commits", { timeout: 120_000 }, () => {
  let server: StartedPostgres;
  let folder = "";
  let cursor: string | undefined;
  let stayed: Store;
  let opened: Store;

  beforeAll(async () => {
    if ("absent" in given) return;
    server = await startPostgres();
    const client = new Client({ connectionString: server.url });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
    folder = rows[0]?.data_directory ?? "";
    stayed = await openPostgresStore({ connectionString: server.url });
    for (let i = 0; i < 5; i++) await stayed.commit(put(`before${i}`));
    const standby = await standbyOf(client, folder);
    for (let i = 0; i < 10; i++) await stayed.commit(put(`lost${i}`));
    const { changes, next } = await stayed.changes({ feed: "f", limit: 100 });
    expect(changes).toHaveLength(15);
    cursor = next;
    await client.end();
    await server.kill();
    await rename(folder, `${folder}.former`);
    await rename(standby, folder);
    await server.startAgain();
  }, 120_000);
  afterAll(async () => {
    if ("absent" in given) return;
    for (const store of [stayed, opened]) await store?.close();
    await server?.stop();
  });

  it("tells readers to begin anew, and tells everything after that, also by who was there before", async ({
    skip,
  }) => {
    if ("absent" in given) return skip(given.absent);
    for (let i = 0; i < 12; i++) {
      // A connection that was lost with the server is found to be so by whoever uses it first.
      const commit = () => stayed.commit(put(`after${i}`));
      expect(await commit().catch(commit)).toEqual({ ok: true });
    }
    await expect(stayed.changes({ feed: "f", cursor: cursor ?? "", limit: 100 })).rejects.toMatchObject({
      code: "bad-cursor",
    });
    opened = await openPostgresStore({ connectionString: server.url });
    await expect(opened.changes({ feed: "f", cursor: cursor ?? "", limit: 100 })).rejects.toMatchObject({
      code: "bad-cursor",
    });
    await opened.commit(put("last"));
    const before = await stayed.changes({ feed: "f", limit: 100 });
    expect(before.changes).toHaveLength(5 + 12 + 1);
    await opened.commit(put("later"));
    const after = await stayed.changes({ feed: "f", cursor: before.next, limit: 100 });
    expect(after.changes).toMatchObject([{ kind: "put", document: { key: "later" } }]);
    const faults: unknown[] = [];
    await opened.verify?.((fault) => faults.push(fault));
    expect(faults).toEqual([]);
  });

  /** Otherwise each of the two would take what the other one noted for another line, and send all readers back at every page. */
  it("is not seen in the notes of a role that may not ask which line it is", async ({ skip }) => {
    if ("absent" in given) return skip(given.absent);
    const { next } = await opened.changes({ feed: "f", limit: 100 });
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC;
      CREATE ROLE clerk LOGIN PASSWORD 'clerk'; GRANT ALL ON SCHEMA fieldroll TO clerk; GRANT ALL ON ALL TABLES IN SCHEMA fieldroll TO clerk`);
    await admin.end();
    const place = new URL(server.url);
    [place.username, place.password] = ["clerk", "clerk"];
    const clerk = await openPostgresStore({ connectionString: place.href });
    for (const store of [clerk, opened, clerk])
      expect(await store.changes({ feed: "f", cursor: next, limit: 100 })).toMatchObject({ changes: [] });
    await clerk.close();
  });
});
