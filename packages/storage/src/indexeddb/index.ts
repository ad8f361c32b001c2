export type { IndexedDbOptions } from "./connection.ts";
export { askForPersistence, type Persistence } from "./persistence.ts";
export { openIndexedDbStore } from "./store.ts";
