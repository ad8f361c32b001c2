/** RxDB with its Dexie storage: its own replication protocol over pages of the feed. */
import { createRxDatabase, type RxCollection, type RxDatabase, type RxJsonSchema } from "rxdb";
import { replicateRxCollection } from "rxdb/plugins/replication";
import { getRxStorageDexie } from "rxdb/plugins/storage-dexie";
import { fetchPage, largestPage, type PersonRow, rowOf } from "../sync-feed.ts";
import { offer, type SideMeasures, type SyncTask, searchedName } from "../sync-task.ts";

type People = RxCollection<PersonRow>;

const schema: RxJsonSchema<PersonRow> = {
  version: 0,
  primaryKey: "id",
  type: "object",
  properties: {
    id: { type: "string", maxLength: 36 },
    name: { type: "string", maxLength: 60 },
    area: { type: "string", maxLength: 60 },
    updated: { type: "string", maxLength: 30 },
    record: { type: "object", additionalProperties: true },
  },
  required: ["id", "name", "area", "updated", "record"],
  indexes: ["name", "area", "updated"],
};

async function open(name: string): Promise<{ database: RxDatabase; people: People }> {
  const database = await createRxDatabase({ name, storage: getRxStorageDexie(), multiInstance: false });
  const { people } = await database.addCollections({ people: { schema } });
  if (!people) throw new Error("There is no collection.");
  return { database, people: people as People };
}

function replicate(people: People, task: SyncTask) {
  return replicateRxCollection<PersonRow, { readonly cursor: string }>({
    collection: people,
    replicationIdentifier: "feed",
    live: false,
    retryTime: 1_000,
    pull: {
      batchSize: largestPage,
      async handler(checkpoint) {
        const { items, cursor } = await fetchPage(task, checkpoint?.cursor ?? null);
        return {
          documents: items.map((item) => ({ ...rowOf(item), _deleted: false })),
          checkpoint: { cursor },
        };
      },
    },
  });
}

async function search(people: People): Promise<number> {
  const selector = { name: { $gte: searchedName, $lt: `${searchedName}\uffff` } };
  return (await people.find({ selector, sort: [{ name: "asc" }], limit: 20 }).exec()).length;
}

const measures: SideMeasures = {
  async firstSync(task) {
    const { database, people } = await open(task.name);
    const begin = performance.now();
    let first = Number.NaN;
    const sight = people.$.subscribe(() => {
      sight.unsubscribe();
      void search(people).then(() => {
        first = performance.now() - begin;
      });
    });
    await replicate(people, task).awaitInitialReplication();
    await search(people);
    const all = performance.now() - begin;
    const records = await people.count().exec();
    await database.close();
    return { first, all, records };
  },
  async firstList(name) {
    const { people } = await open(name);
    const { length } = await people.find({ sort: [{ name: "asc" }], limit: 50 }).exec();
    if (length !== 50) throw new Error("The list is not whole.");
  },
};

offer(measures);
