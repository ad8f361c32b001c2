import { failure, type IfMatch, type Outcome, success, tagWithoutCoding } from "@fieldroll/core";

/**
 * Reads `If-Match` (RFC 9110 section 13.1.1) into the versions that it names. Absent → `undefined`. Unlike there, a weak tag names its
 * version as a strong one does, and so does one with the mark of a coding: proxies that compress make these of ours.
 */
export function parseIfMatch(header: string | null): Outcome<IfMatch | undefined> {
  if (header === null) return success(undefined);
  if (header.trim() === "*") return success("*");
  const tags = parseTags(header);
  if (!tags) return malformed("If-Match", header);
  return success(tags.map(tagWithoutCoding));
}

/** Whether `If-None-Match` (RFC 9110 section 13.1.2) says that the reader already has what this entity tag names. */
export function hasVersion(header: string | null, tag: string): Outcome<boolean> {
  if (header === null) return success(false);
  if (header.trim() === "*") return success(true);
  const tags = parseTags(header);
  if (!tags) return malformed("If-None-Match", header);
  return success(tags.some((known) => known === tag || tagWithoutCoding(known) === tag));
}

/** Prints a versionId as a strong entity tag. */
export function entityTag(versionId: string): string {
  return `"${versionId}"`;
}

const entityTagForm = /^\s*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*$/;

/** The values of entity tags (RFC 9110 section 8.8.3), weak or strong; `undefined` where one is malformed. */
function parseTags(header: string): readonly string[] | undefined {
  const tags: string[] = [];
  for (const item of splitOutsideQuotes(header)) {
    // RFC 9110 section 5.6.1 asks recipients to pass over empty list elements.
    if (item.trim() === "") continue;
    const match = entityTagForm.exec(item);
    if (!match) return undefined;
    tags.push(match[1] ?? "");
  }
  return tags.length > 0 ? tags : undefined;
}

function splitOutsideQuotes(header: string): readonly string[] {
  return header.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
}

function malformed(name: string, header: string): Outcome<never> {
  const hint = /^\s*\d+\s*$/.test(header) ? ` Write it in double quotes: "${header.trim()}".` : "";
  return failure({
    kind: "bad-request",
    detail: `The header ${name} is not an entity tag, a list of them or *.${hint}`,
    errors: [{ field: name, code: "invalid_header", message: 'must be "<versionId>", a list of such, or *' }],
  });
}
