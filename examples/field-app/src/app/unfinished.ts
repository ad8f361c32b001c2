import { useSyncStatus } from "@fieldroll/sync/react";
import { isUnfinished } from "../model/first-sync-text.ts";

/** Whether records are missing on this device that the first download has yet to bring. */
export function useUnfinished(): boolean {
  return isUnfinished(useSyncStatus());
}
