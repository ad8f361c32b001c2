/** An element of a list of entity tags, with the comma or the end behind it. No part of it can match in two ways: it takes linear time. */
const element = /[ \t]*(?:(?:W\/)?(?:"([^"\s]*)"|([^"\s,]+))[ \t]*)?(?:,|$)/y;

/**
 * Reads a list of entity tags (RFC 9110 section 8.8.3), weak or strong, into their values without the marks of content codings. Empty
 * elements are passed over (section 5.6.1).
 *
 * @param quotes whether a tag may stand without its quotes
 * @returns `undefined` where an element is malformed, or there is none
 */
export function readEntityTags(text: string, quotes: "required" | "optional"): readonly string[] | undefined {
  const tags: string[] = [];
  element.lastIndex = 0;
  while (element.lastIndex < text.length) {
    const match = element.exec(text);
    if (!match) return undefined;
    const [, quoted, bare] = match;
    if (bare !== undefined && quotes === "required") return undefined;
    const value = quoted ?? bare;
    if (value !== undefined) tags.push(tagWithoutCoding(value));
  }
  return tags.length > 0 ? tags : undefined;
}

/**
 * Returns the value of an entity tag without the mark of a content coding. Proxies that compress put one at its end: Apache makes `3-gzip`
 * of `3`, others `3;gzip` or `3--br`.
 */
export function tagWithoutCoding(value: string): string {
  return value.replace(/(?:--?|;)(?:gzip|br|deflate|zstd)$/, "");
}
