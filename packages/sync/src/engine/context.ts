import type { Store } from "@fieldroll/core";
import type { Api } from "../transport/api.ts";

/** What pushing and pulling work with. */
export interface SyncContext {
  readonly store: Store;
  readonly api: Api;
  readonly clock: () => Date;
  readonly random: () => number;
  readonly newId: () => string;
  /** When a whole run last succeeded, in milliseconds; `null` for never. */
  readonly lastSuccessAt: () => number | null;
}
