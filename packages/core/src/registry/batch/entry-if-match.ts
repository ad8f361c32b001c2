import { tagWithoutCoding } from "../entity-tag.ts";
import type { IfMatch } from "../types.ts";

/**
 * Reads `request.ifMatch` as the header If-Match is read, but that the quotes may be left out. `undefined` when it is none.
 */
export function readIfMatch(text: string): IfMatch | undefined {
  if (text.trim() === "*") return "*";
  const items = text
    .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((item) => item.trim())
    .filter((item) => item !== "");
  const tags: string[] = [];
  for (const item of items) {
    const match = /^(?:W\/)?(?:"([^"\s]*)"|([^"\s]+))$/.exec(item);
    if (!match) return undefined;
    tags.push(tagWithoutCoding(match[1] ?? match[2] ?? ""));
  }
  return items.length > 0 ? tags : undefined;
}
