import type { JsonObject, ResourceType } from "@fieldroll/core";
import type { Accepted } from "./accepted.ts";
import { partThere } from "./redo.ts";

/**
 * What a copy shows of a change that is not sent: others made the same, so that nothing of it is sent any more once the rest is merged with that.
 *
 * @returns one change, or none
 */
export function doneThere(type: ResourceType, change: Accepted, there: JsonObject): readonly Accepted[] {
  const after = change.before && partThere(type, change, there);
  return after ? [{ ...change, after, isPart: true }] : [];
}

/**
 * What a restored server shows of a change, for it has lost what that took back together with it: who made that may give it again, and so
 * undo this, without knowing of it. The rest of the change is not there, and goes its own way.
 *
 * @returns one change, or none
 */
export function mootPart(type: ResourceType, change: Accepted, there: JsonObject): readonly Accepted[] {
  return doneThere(type, change, there).map((part) => ({ ...part, isMoot: true }));
}
