import type { JsonObject } from "@fieldroll/core";

/** News of a record from a pull: its newer copy, or that it left. */
export type Incoming =
  | {
      readonly kind: "upsert";
      readonly record: JsonObject;
      /** Whether there is a photo, where that is told. */
      readonly photo?: boolean | undefined;
    }
  | { readonly kind: "removed"; readonly versionId: string; readonly reason: string };
