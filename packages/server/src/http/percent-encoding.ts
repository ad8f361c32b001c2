import type { Problem } from "@fieldroll/core";
import { decoded, rawPath } from "./address.ts";

/**
 * What is wrong with how a request's address is percent-encoded: a `%` that begins no byte of UTF-8, in the path or in a
 * query parameter. Browsers' parsers let it pass, and the search would be for something else than was meant.
 *
 * @param template names the part of the path that callers fill
 */
export function faultOfAddress(url: string, template: string): Problem | undefined {
  if (!url.includes("%")) return undefined;
  if (decoded(rawPath(url)) === undefined) return fault(/\{(\w+)\}/.exec(template)?.[1] ?? "path");
  const [, query = ""] = url.split("#", 1)[0]?.split(/\?(.*)/s) ?? [];
  const pair = query.split("&").find((text) => decoded(text) === undefined);
  return pair === undefined ? undefined : fault(nameOf(pair));
}

function nameOf(pair: string): string {
  const [name = ""] = pair.split("=", 1);
  return decoded(name) ?? "query";
}

function fault(field: string): Problem {
  const message = "holds a % that is not followed by two hexadecimal digits of UTF-8";
  return {
    kind: "bad-request",
    detail: `${field}: ${message}. Write a % that is meant as such as %25.`,
    errors: [{ field, code: "invalid_encoding", message }],
  };
}
