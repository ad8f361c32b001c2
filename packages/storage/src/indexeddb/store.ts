import { checkChangesRequest, checkKeys, checkQuery, type Store } from "@fieldroll/core";
import { findPlaces, idAt, readDocuments } from "./bundles.ts";
import { runChanges } from "./changes.ts";
import { prepareCommit, runCommit } from "./commit.ts";
import { connect, type IndexedDbOptions } from "./connection.ts";
import { documentId, documentKey } from "./names.ts";
import { burden, pack, packedFrom } from "./pack.ts";
import { runQuery } from "./query.ts";
import { isClaimConflict } from "./refusal.ts";
import { answered, storeOf } from "./requests.ts";
import { createShelves } from "./shelves.ts";

/**
 * Opens a store in the browser's IndexedDB, creating it where there is none.
 *
 * A `strict` commit resolves when the browser says that it has reached the disk, a `relaxed` one when the
 * operating system has it. A connection that the browser lost is opened again, once, by the call that notices.
 *
 * Rejects with a StoreError: `newer-schema` for a database of a newer version, `corrupt` for one that belongs to
 * something else, `quota` without room, `closed` once the database was deleted elsewhere.
 */
export function openIndexedDbStore(options: IndexedDbOptions): Promise<Store> {
  return openStore(options, packedFrom);
}

/** @param from the burden of recent changes from which they are packed */
export async function openStore(options: IndexedDbOptions, from: number): Promise<Store> {
  const connection = await connect(options);
  const shelves = createShelves();
  const waiting = await connection.read((work) => answered(storeOf(work, "recent").count()));
  let weight = burden(waiting, waiting);

  /** Packing is nobody's call: where it fails, for want of room perhaps, a later commit tries again. */
  const packWhenDue = (added: number) => {
    weight += added;
    if (weight < from) return;
    weight = 0;
    connection
      .write("relaxed", (work) => pack(work, from))
      .then(
        (left) => {
          weight += left;
        },
        () => undefined,
      );
  };
  return {
    async get(keys) {
      checkKeys(keys);
      const ids = keys.map(documentId);
      return connection.read((work) => readDocuments(work, ids));
    },
    async resolve(claims) {
      const wanted = [...claims];
      return connection.read(async (work) => {
        const places = await findPlaces(work, "claims", wanted);
        return wanted.map((claim) => {
          const place = places.get(claim);
          return place && documentKey(idAt(place));
        });
      });
    },
    async query(query) {
      checkQuery(query);
      return connection.read((work) => runQuery(work, query, shelves));
    },
    async changes(request) {
      checkChangesRequest(request);
      return connection.read((work) => runChanges(work, request));
    },
    async commit(commit) {
      const prepared = prepareCommit(commit);
      const run = (careful: boolean) =>
        connection.write(prepared.durability, (work) => runCommit(work, prepared, { careful }));
      const done = await run(false).catch((error: unknown) => {
        if (!isClaimConflict(error)) throw error;
        return run(true);
      });
      packWhenDue(done.burden);
      return done.result;
    },
    close: () => connection.close(),
  };
}
