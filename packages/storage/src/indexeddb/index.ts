export type { IndexedDbOptions } from "./connection.ts";
export { openIndexedDbStore } from "./store.ts";
