import type { JsonObject, ResourceType } from "@fieldroll/core";
import type { Accepted } from "./accepted.ts";
import { partThere } from "./redo.ts";

/**
 * What a restored server shows of a change, for it has lost what that took back together with it: who made that may give it again, and so
 * undo this, without knowing of it. The rest of the change is not there, and goes its own way.
 *
 * @returns one change, or none
 */
export function mootPart(type: ResourceType, change: Accepted, there: JsonObject): readonly Accepted[] {
  const after = partThere(type, change, there);
  return after ? [{ ...change, after, isMoot: true, isPart: true }] : [];
}
