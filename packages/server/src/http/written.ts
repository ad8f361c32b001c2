import { type Outcome, printShown, success, type Written } from "@fieldroll/core";
import { type Answer, jsonAnswer } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import { entityTag } from "./preconditions.ts";

/** Prints the answer to a write: the record, its version, and where it is when it is new. */
export function writtenAnswer(
  exchange: Exchange,
  outcome: Outcome<Written<unknown>>,
  status?: number,
): Outcome<Answer> {
  if (!outcome.ok) return outcome;
  const { record, reference, versionId, key, shows, created, replayed } = outcome.value;
  const code = status ?? (created ? 201 : 200);
  const headers = {
    ...(versionId === "" ? {} : { ETag: entityTag(versionId) }),
    ...keyHeader(key),
    ...showsHeader(shows),
    ...(code === 201 ? { Location: locationOf(exchange, reference) } : {}),
    ...replayHeader(replayed),
  };
  return success(jsonAnswer(record, { status: code, headers }));
}

/**
 * Where a record is fetched, as a URI reference (RFC 3986), which `Location` has to be; but `|` stands as it is, for the paths of
 * the interface have it.
 */
export function locationOf({ baseUrl }: Exchange, reference: string): string {
  return `${baseUrl}/${reference.replaceAll(/[^\w.~!$&'()*+,;=:@/|%-]+/g, encodeURIComponent)}`;
}

/** Says which record was written or read, whatever it is called by then: contract section 5. */
export function keyHeader(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { "X-Record-Key": key };
}

/** Says what the caller is shown of a record, where that is not all. */
export function showsHeader(shows: readonly string[] | undefined): Readonly<Record<string, string>> {
  return shows === undefined ? {} : { "X-Record-Shows": printShown(shows) };
}

/** Says that an answer is that to an earlier request with the same key: contract section 5. */
export function replayHeader(replayed: boolean): Readonly<Record<string, string>> {
  return replayed ? { "Idempotent-Replayed": "true" } : {};
}

/** Headers carry ASCII, and no control characters. */
export function asciiOnly(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
}
