import { readEntityTags } from "../entity-tag.ts";
import type { IfMatch } from "../types.ts";

/** Most characters of `request.ifMatch`. */
export const maxIfMatch = 8000;

/**
 * Reads `request.ifMatch` as the header If-Match is read, but that the quotes may be left out. `undefined` when it is none.
 */
export function readIfMatch(text: string): IfMatch | undefined {
  return text.trim() === "*" ? "*" : readEntityTags(text, "optional");
}
