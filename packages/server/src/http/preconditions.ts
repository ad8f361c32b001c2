import { failure, type IfMatch, type Outcome, success } from "@fieldroll/core";

/** An entity tag of RFC 9110 section 8.8.3. */
interface EntityTag {
  readonly weak: boolean;
  readonly value: string;
}

/**
 * Reads `If-Match` (RFC 9110 section 13.1.1). Absent → `undefined`; a weak tag never matches, so it is left out,
 * and a list of nothing but weak tags matches no version.
 */
export function parseIfMatch(header: string | null): Outcome<IfMatch | undefined> {
  if (header === null) return success(undefined);
  if (header.trim() === "*") return success("*");
  const tags = parseTags(header);
  if (!tags) return malformed("If-Match", header);
  return success(tags.filter((tag) => !tag.weak).map((tag) => tag.value));
}

/** Whether `If-None-Match` (RFC 9110 section 13.1.2) says that the reader already has this version. */
export function hasVersion(header: string | null, versionId: string): Outcome<boolean> {
  if (header === null) return success(false);
  if (header.trim() === "*") return success(true);
  const tags = parseTags(header);
  if (!tags) return malformed("If-None-Match", header);
  return success(tags.some((tag) => tag.value === versionId));
}

/** Prints a versionId as a strong entity tag. */
export function entityTag(versionId: string): string {
  return `"${versionId}"`;
}

const tag = /^\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*$/;

function parseTags(header: string): readonly EntityTag[] | undefined {
  const tags: EntityTag[] = [];
  for (const item of splitOutsideQuotes(header)) {
    // RFC 9110 section 5.6.1 asks recipients to pass over empty list elements.
    if (item.trim() === "") continue;
    const match = tag.exec(item);
    if (!match) return undefined;
    tags.push({ weak: match[1] !== undefined, value: match[2] ?? "" });
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
