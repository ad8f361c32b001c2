import type { JsonObject } from "@fieldroll/core";
import { versionOf } from "./content.ts";
import type { FrozenRequest, OutboxEntry } from "./entry.ts";
import { rebase } from "./rebase.ts";

/** A sentence about a change that may have been taken back, for people. */
export const undoneDetail =
  "The change may have reached the server and been undone there by someone else since. Look at both, then send it again or discard it.";

/**
 * Whether a change whose answer was lost may have been made and taken back: the record went on by more than one version, and
 * what was sent is not in it. Sending it once more could overwrite somebody who saw it.
 */
export function mayBeUndone(
  { type, base, request }: OutboxEntry & { readonly request: FrozenRequest },
  theirs: JsonObject,
): boolean {
  const versions = versionOf(theirs) - Number(request.ifMatch ?? Number.NaN);
  return versions > 1 && !rebase(type, { base, local: request.sent, theirs }).nothingLeft;
}
