/**
 * React hooks over a {@link FieldClient}: each reads again whenever a record on the device changes.
 * @module
 */

export type { RecordOf } from "./hooks.ts";
export {
  FieldProvider,
  useExplanation,
  useFieldClient,
  useParked,
  useRecord,
  useSearch,
  useSyncStatus,
  useUnsent,
} from "./hooks.ts";
export type { Loaded } from "./reading.ts";
