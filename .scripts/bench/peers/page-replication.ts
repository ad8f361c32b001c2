/** PouchDB's own replication from a CouchDB. */
import { largestPage } from "../sync-feed.ts";
import { offer } from "../sync-task.ts";
import { measuresOf } from "./pouch.ts";

const measures = measuresOf(async (database, _task, seen) => {
  const options = { batch_size: largestPage, checkpoint: "target" as const };
  const replication = database.replicate.from(`${location.origin}/couch`, options);
  replication.on("change", seen);
  await replication;
});

offer(measures);
