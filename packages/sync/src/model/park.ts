import type { FieldError, JsonObject } from "@fieldroll/core";
import type { Housed, ParkedRecord } from "../types.ts";

/** Why an entry waits for a person. What conflicts is computed when it is shown, from base, local and theirs. */
export interface Park {
  readonly reason: ParkedRecord["reason"];
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly existing: string | null;
  /** The other copy, in stored form, where one is known. */
  readonly theirs: JsonObject | null;
  /** The server's key of that one, where it told it. */
  readonly recordKey?: string;
  /** UTC instant. */
  readonly since: string;
  /** Whether it waits because the change may have been made, or made and taken back, so that only a person's decision sends it again. */
  readonly isUndone?: boolean;
  /** Of `gone`: whether it is archived on the server, and not away. Former versions did not note it. */
  readonly isArchived?: boolean;
  /** When `theirs` was last fetched, if again: a UTC instant. */
  readonly seenAt?: string;
  /** Of what was rejected: the raw references that it held; former versions did not note them. */
  readonly named?: readonly string[];
  /** Of people who would be in two households: where each is already, as the server told it. */
  readonly households?: readonly Housed[];
  /** Of what was refused for a reference: the raw references that led to nothing on this device then. */
  readonly lacks?: readonly string[];
  /** Of what nobody refused, but what never had an answer: when it is tried again (a UTC instant), or as soon as another request gets through. */
  readonly again?: { readonly at: string; readonly soon: boolean };
}

/** A park without what only some have. */
export function park(
  reason: Park["reason"],
  detail: string,
  rest: Partial<Park> & Pick<Park, "since">,
): Park {
  return { reason, detail, errors: [], existing: null, theirs: null, ...rest };
}

/** The newest copy of a record itself: the one that a duplicate is compared with is its own only where it has none. */
export function newestCopy({
  parked,
  base,
}: {
  readonly parked: Park | null;
  readonly base: JsonObject | null;
}): JsonObject | null {
  return parked?.reason === "duplicate" ? (base ?? parked.theirs) : (parked?.theirs ?? base);
}
