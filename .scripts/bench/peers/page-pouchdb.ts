/** PouchDB: bulkDocs of the pages of the feed. */
import { feedPages, rowOf } from "../sync-feed.ts";
import { offer } from "../sync-task.ts";
import { measuresOf } from "./pouch.ts";

const measures = measuresOf(async (database, task, seen) => {
  let pages = 0;
  for await (const { items } of feedPages(task)) {
    await database.bulkDocs(items.map(rowOf).map(({ id, ...row }) => ({ _id: id, ...row })));
    if (pages++ > 0) continue;
    await database.allDocs({ include_docs: true, limit: 20 });
    seen();
  }
});

offer(measures);
