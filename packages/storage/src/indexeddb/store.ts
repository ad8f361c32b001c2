import { checkChangesRequest, checkKeys, checkQuery, type Store } from "@fieldroll/core";
import { runChanges } from "./changes.ts";
import { prepareCommit, runCommit } from "./commit.ts";
import { connect, type IndexedDbOptions } from "./connection.ts";
import { documentId, documentKey } from "./names.ts";
import { runQuery } from "./query.ts";
import { isClaimConflict } from "./refusal.ts";
import { readHolders, readRows } from "./requests.ts";
import { toDocument } from "./rows.ts";

/**
 * Opens a store in the browser's IndexedDB, creating it where there is none.
 *
 * A `strict` commit resolves when the browser says that it has reached the disk, a `relaxed` one when the
 * operating system has it. A connection that the browser lost is opened again, once, by the call that notices.
 *
 * Rejects with a StoreError: `newer-schema` for a database of a newer version, `corrupt` for one that belongs to
 * something else, `quota` without room, `closed` once the database was deleted elsewhere.
 */
export async function openIndexedDbStore(options: IndexedDbOptions): Promise<Store> {
  const connection = await connect(options);
  return {
    async get(keys) {
      checkKeys(keys);
      const ids = keys.map(documentId);
      return connection.read(async (work) =>
        (await readRows(work, ids)).map((row) => row && toDocument(row)),
      );
    },
    async resolve(claims) {
      const wanted = [...claims];
      return connection.read(async (work) => {
        const holders = await readHolders(work, wanted);
        return holders.map((holder) => (holder === undefined ? undefined : documentKey(holder)));
      });
    },
    async query(query) {
      checkQuery(query);
      return connection.read((work) => runQuery(work, query));
    },
    async changes(request) {
      checkChangesRequest(request);
      return connection.read((work) => runChanges(work, request));
    },
    async commit(commit) {
      const prepared = prepareCommit(commit);
      const run = (careful: boolean) =>
        connection.write(prepared.durability, (work) => runCommit(work, prepared, { careful }));
      try {
        return await run(false);
      } catch (error) {
        if (!isClaimConflict(error)) throw error;
        return run(true);
      }
    },
    close: () => connection.close(),
  };
}
