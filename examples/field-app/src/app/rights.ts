import { useSyncStatus } from "@fieldroll/sync/react";
import { type Rights, rightsOf } from "../model/rights.ts";

/** What the person who is signed in may see and change. */
export function useRights(): Rights {
  return rightsOf(useSyncStatus().scopes);
}
