import { failure, type Outcome, success } from "@fieldroll/core";

/** An address as the path names it: contract section 1. */
export interface AddressParts {
  readonly system: string;
  readonly value: string;
}

/** The path of a request exactly as it was sent: not decoded, `//` kept, without the query. */
export function rawPath(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start === -1) return "/";
  const end = url.slice(start).search(/[?#]/);
  return end === -1 ? url.slice(start) : url.slice(start, start + end);
}

/** Scheme, host and port of a request's address, which is absolute and as URL parsers write it. */
export function originOf(url: string): string {
  const end = url.indexOf("/", url.indexOf("://") + 3);
  return end === -1 ? url : url.slice(0, end);
}

/** The path that routes are matched against: raw, except that `%24` at the start of a segment is `$`. */
export function routingPath(url: string): string {
  return rawPath(url).replaceAll(/\/%24/g, "/$");
}

/**
 * Reads `<system>|<value>` from the rest of a path. `|` and `%7C`, `/` and `%2F`, `#` as `%23` all name the same
 * record; the first `|` separates, so that a value may hold more of them.
 */
export function parseAddress(raw: string): Outcome<AddressParts> {
  const text = decoded(raw);
  if (text === undefined)
    return badAddress("holds a % that is not followed by two hexadecimal digits of UTF-8");
  const bar = text.indexOf("|");
  if (bar === -1) return badAddress("has no | between system and value");
  const parts = { system: text.slice(0, bar), value: text.slice(bar + 1) };
  if (parts.system === "" || parts.value === "")
    return badAddress("needs a system before the | and a value after it");
  return success(parts);
}

/** Percent-decodes; `undefined` when a `%` begins no byte of UTF-8. */
export function decoded(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

function badAddress(what: string): Outcome<never> {
  return failure({
    kind: "bad-request",
    detail: `The address ${what}. Write it as <system>|<value>, with # ? and % percent-encoded.`,
    errors: [{ field: "address", code: "invalid_address", message: what }],
  });
}
