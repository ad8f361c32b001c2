import type { JsonObject, ResourceType } from "@fieldroll/core";
import { type Done, doneAgain } from "./redo.ts";

/** What a record that may be hidden says: what was accepted from here says more of it than is shown. */
export function saidOf(type: ResourceType, shown: JsonObject, accepted: readonly Done[]): JsonObject {
  return { ...doneAgain(type, {}, accepted), ...shown };
}
