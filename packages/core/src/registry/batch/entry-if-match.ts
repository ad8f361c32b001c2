import type { IfMatch } from "../types.ts";

/**
 * Reads `request.ifMatch` as the header If-Match is read (RFC 9110 section 13.1.1), but that the quotes may be left out: a
 * weak tag never matches. `undefined` when it is none.
 */
export function readIfMatch(text: string): IfMatch | undefined {
  if (text.trim() === "*") return "*";
  const items = text
    .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((item) => item.trim())
    .filter((item) => item !== "");
  const tags: string[] = [];
  for (const item of items) {
    const match = /^(W\/)?(?:"([^"\s]*)"|([^"\s]+))$/.exec(item);
    if (!match) return undefined;
    if (match[1] === undefined) tags.push(match[2] ?? match[3] ?? "");
  }
  return items.length > 0 ? tags : undefined;
}
