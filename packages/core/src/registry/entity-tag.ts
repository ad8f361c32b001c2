/**
 * Returns the value of an entity tag without the mark of a content coding. Proxies that compress put one at its end: Apache makes `3-gzip`
 * of `3`, others `3;gzip` or `3--br`.
 */
export function tagWithoutCoding(value: string): string {
  return value.replace(/(?:--?|;)(?:gzip|br|deflate|zstd)$/, "");
}
