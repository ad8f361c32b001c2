import {
  checkedChangesRequest,
  checkedClaims,
  checkedKeys,
  checkedNaming,
  checkedQuery,
  type Store,
} from "@fieldroll/core";
import { documentAt, findPlaces, idAt, readDocuments } from "./bundles.ts";
import { runChanges } from "./changes.ts";
import { type PreparedCommit, prepareCommit, runCommit } from "./commit.ts";
import { connect, type IndexedDbOptions } from "./connection.ts";
import { documentId, documentKey } from "./names.ts";
import { burden, pack, packedFrom } from "./pack.ts";
import { namingOne, runQuery } from "./query.ts";
import { isClaimConflict } from "./refusal.ts";
import { answered, storeOf, type Work } from "./requests.ts";
import { createShelves } from "./shelves.ts";

/** How long nothing is saved before recent changes are packed, in milliseconds. */
const quiet = 500;

/** How many times the burden that is packed in a quiet moment is packed in any. */
const longDue = 4;

/**
 * Opens a store in the browser's IndexedDB, creating it where there is none.
 *
 * A `strict` commit resolves when the browser says that it has reached the disk, a `relaxed` one when the
 * operating system has it. A connection that the browser lost is opened again, once, by the call that notices.
 *
 * Rejects with a StoreError: `bad-request` without a name, `absent` where there is no IndexedDB, `newer-schema` for a database of a newer version, `corrupt` for one that belongs to
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

  let waitingToPack: ReturnType<typeof setTimeout> | undefined;

  /** Packing is nobody's call: where it fails, for want of room perhaps, a later commit tries again. */
  const packNow = () => {
    clearTimeout(waitingToPack);
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

  /** Someone who saves one thing after the other is not made to wait for it, unless it is long due. */
  const packWhenDue = (added: number, durability: PreparedCommit["durability"]) => {
    weight += added;
    if (weight < from) return;
    clearTimeout(waitingToPack);
    if (durability === "relaxed" || weight >= longDue * from) packNow();
    else waitingToPack = setTimeout(packNow, quiet);
  };
  return {
    async get(keys) {
      const ids = checkedKeys(keys).map(documentId);
      return connection.read((work) => readDocuments(work, ids));
    },
    async resolve(claims) {
      const wanted = checkedClaims(claims);
      return connection.read(async (work) => {
        const places = await findPlaces(work, "claims", wanted);
        return wanted.map((claim) => {
          const place = places.get(claim);
          return place && documentKey(idAt(place));
        });
      });
    },
    async find(claim, naming) {
      checkedClaims([claim]);
      const asked = naming && checkedNaming(naming);
      return connection.read(async (work) => {
        const document = documentAt((await findPlaces(work, "claims", [claim])).get(claim));
        if (!document) return undefined;
        return {
          document,
          naming: asked ? await namingOne(work, document.key, { naming: asked, shelves }) : [],
        };
      });
    },
    async query(query) {
      const asked = checkedQuery(query);
      return connection.read((work) => runQuery(work, asked, shelves));
    },
    async changes(request) {
      const asked = checkedChangesRequest(request);
      return connection.read((work) => runChanges(work, asked));
    },
    async commit(commit) {
      const prepared = prepareCommit(commit);
      const run = (careful: boolean) => (work: Work) => runCommit(work, prepared, { careful });
      const done = await connection.write(prepared.durability, run(false), (error) =>
        isClaimConflict(error) ? run(true) : undefined,
      );
      packWhenDue(done.burden, prepared.durability);
      return done.result;
    },
    close() {
      clearTimeout(waitingToPack);
      return connection.close();
    },
  };
}
