import { StoreError } from "@fieldroll/core";
import { numberOfFile } from "./files.ts";
import type { SqliteByClient, SqliteByPath } from "./open.ts";

/**
 * Notes which file was opened, where that is known. SQLite goes on writing to it when it is removed, or another one is put in its
 * place, and whoever opens its name finds nothing of that.
 *
 * @returns a check, which throws `unavailable` once the name leads to another file, or to none
 */
export function stayingAt(options: SqliteByClient | SqliteByPath): () => void {
  const path = "path" in options ? options.path : "";
  const present = numberOfFile(path);
  const opened = present();
  return () => {
    if (opened === undefined || present() === opened) return;
    throw new StoreError(
      "unavailable",
      `${path}: the file was moved, removed or replaced while it was open, so nothing of this was written. Stop everything that has ` +
        "it open, put the right file there with what lies beside it (-wal, -shm), and start again.",
    );
  };
}
