import type { JsonObject } from "../../json.ts";
import type { Problem } from "../../problem.ts";

/** Largest number of entries of a bundle: contract section 5. */
export const maxEntries = 100;

/** The answer to one entry of a bundle. */
export interface BatchResponse {
  readonly status: number;
  /** `Type/system|value` of what was written, as printed; of writes only. */
  readonly reference?: string;
  readonly created?: boolean;
  readonly versionId?: string;
  /** The key of the record that was read or written, as feeds tell it; of writes, where the entry has an idempotency key. */
  readonly key?: string;
  /** What the caller is shown of the resource, where that is not all: as items of feeds have it. */
  readonly shows?: readonly string[];
  readonly resource?: JsonObject;
  readonly problem?: Problem;
}

export interface BatchAnswer {
  readonly type: "transaction" | "batch";
  readonly responses: readonly BatchResponse[];
  readonly replayed: boolean;
}
