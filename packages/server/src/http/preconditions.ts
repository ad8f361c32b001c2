import {
  failure,
  type IfMatch,
  type Outcome,
  readEntityTags,
  success,
  tagWithoutCoding,
} from "@fieldroll/core";

/**
 * Reads `If-Match` (RFC 9110 section 13.1.1) into the versions that it names. Absent → `undefined`. Unlike there, a weak tag names its
 * version as a strong one does, and so does one with the mark of a coding: proxies that compress make these of ours.
 */
export function parseIfMatch(header: string | null): Outcome<IfMatch | undefined> {
  if (header === null) return success(undefined);
  if (header.trim() === "*") return success("*");
  const tags = readEntityTags(header, "required");
  return tags ? success(tags) : malformed("If-Match", header);
}

/** Whether `If-None-Match` (RFC 9110 section 13.1.2) says that the reader already has what this entity tag names. */
export function hasVersion(header: string | null, tag: string): Outcome<boolean> {
  if (header === null) return success(false);
  if (header.trim() === "*") return success(true);
  const tags = readEntityTags(header, "required");
  return tags ? success(tags.includes(tagWithoutCoding(tag))) : malformed("If-None-Match", header);
}

/** Prints a versionId as a strong entity tag. */
export function entityTag(versionId: string): string {
  return `"${versionId}"`;
}

function malformed(name: string, header: string): Outcome<never> {
  const hint = /^\s*\d+\s*$/.test(header) ? ` Write it in double quotes: "${header.trim()}".` : "";
  return failure({
    kind: "bad-request",
    detail: `The header ${name} is not an entity tag, a list of them or *.${hint}`,
    errors: [{ field: name, code: "invalid_header", message: 'must be "<versionId>", a list of such, or *' }],
  });
}
