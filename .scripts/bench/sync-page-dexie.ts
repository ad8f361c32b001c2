/** Dexie by hand: a bulkPut of each page with three indexes, and the cursor in the same transaction. */
import { Dexie, type EntityTable, type Table } from "dexie";
import { syncByHand } from "./sync-by-hand.ts";
import { type PersonRow, rowOf } from "./sync-feed.ts";
import { offer, type SideMeasures, searchedName } from "./sync-task.ts";

type People = Dexie & { people: EntityTable<PersonRow, "id">; state: Table<string, string> };

async function open(name: string): Promise<People> {
  const database = new Dexie(name, { chromeTransactionDurability: "relaxed" }) as People;
  database.version(1).stores({ people: "id, name, area, updated", state: "" });
  await database.open();
  return database;
}

const measures: SideMeasures = {
  async firstSync(task) {
    const database = await open(task.name);
    const { people, state } = database;
    return syncByHand(task, {
      land: ({ items, cursor }) =>
        database.transaction("rw", people, state, async () => {
          await people.bulkPut(items.map(rowOf));
          await state.put(cursor, "cursor");
        }),
      search: async () => (await people.where("name").startsWith(searchedName).limit(20).toArray()).length,
      count: () => people.count(),
      close: () => database.close(),
    });
  },
  async firstList(name) {
    const { people } = await open(name);
    const { length } = await people.orderBy("name").limit(50).toArray();
    if (length !== 50) throw new Error("The list is not whole.");
  },
};

offer(measures);
