export {
  answerQuery,
  compareCodeUnits,
  comparePositions,
  entriesMeet,
  holds,
  positionOf,
  sortValue,
  valueMeets,
} from "./store/match.ts";
export { createMemoryStore } from "./store/memory.ts";
export { createMemoryMedium, type MemoryMedium } from "./store/memory-medium.ts";
export {
  type Change,
  type ChangesPage,
  type ChangesRequest,
  type Commit,
  type CommitResult,
  type Condition,
  type Document,
  type DocumentKey,
  type Entries,
  type Expectation,
  type Failure,
  type Position,
  type Query,
  type QueryPage,
  type Store,
  type StoredDocument,
  StoreError,
  type StoreErrorCode,
} from "./store/port.ts";
export { checkChangesRequest, checkCommit, checkKeys, checkQuery, joinedKey } from "./store/rules.ts";
