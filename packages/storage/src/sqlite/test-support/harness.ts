import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@fieldroll/core";
import type { OpenStore, StoreHarness } from "@fieldroll/core/testing";
import { openSqliteStore, type SqliteClient } from "../index.ts";

/**
 * Stores in files of a folder of their own.
 *
 * @param open opens them through another client than the package's own
 * @param documents how many the suite fills a store with; its own number, unless told
 */
export function sqliteHarness(open?: SqliteOpen, documents?: number): StoreHarness {
  return { ...(documents !== undefined && { documents }), create: () => createIn(open) };
}

type SqliteOpen = (path: string) => SqliteClient | Promise<SqliteClient>;

async function createIn(openClient?: SqliteOpen): Promise<OpenStore> {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-client-"));
  let files = 0;
  let path = join(folder, "0.db");
  const opened: Store[] = [];
  const open = async () => {
    const store = await openSqliteStore({ path, ...(openClient && { open: openClient }) });
    opened.push(store);
    return store;
  };
  const close = async () => {
    await Promise.all(opened.map((store) => store.close()));
  };
  return {
    store: await open(),
    second: open,
    async reopen() {
      await close();
      return open();
    },
    // What a killed process leaves is the file and its log as they stand, with nothing closed.
    async crash() {
      const left = path;
      path = join(folder, `${++files}.db`);
      await copyFile(left, path);
      await copyFile(`${left}-wal`, `${path}-wal`);
      return open();
    },
    async drop() {
      await close();
      await rm(folder, { recursive: true });
    },
  };
}
