/** What the pages with PouchDB share: how a database is opened, filled and looked at. */
import PouchDB from "pouchdb-browser";
import type { SideMeasures, SyncTask } from "../sync-task.ts";

/** Fills a database, and tells when something of it can be looked at. */
type Fill = (database: PouchDB, task: SyncTask, seen: () => void) => Promise<void>;

function open(name: string): PouchDB {
  return new PouchDB(name, { auto_compaction: true, revs_limit: 1 });
}

/** Measures a database that is filled so. By the id: there is no index by name. */
export function measuresOf(fill: Fill): SideMeasures {
  return {
    async firstSync(task) {
      const database = open(task.name);
      const begin = performance.now();
      let first = Number.NaN;
      await fill(database, task, () => {
        if (Number.isNaN(first)) first = performance.now() - begin;
      });
      await database.allDocs({ include_docs: true, limit: 20 });
      const all = performance.now() - begin;
      const { doc_count: records } = await database.info();
      await database.close();
      return { first, all, records };
    },
    async firstList(name) {
      const { rows } = await open(name).allDocs({ include_docs: true, limit: 50 });
      if (rows.length !== 50) throw new Error("The list is not whole.");
    },
  };
}
