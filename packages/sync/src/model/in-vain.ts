import type { Sent } from "./accept.ts";
import { park } from "./park.ts";
import { type Copies, parkBeside, rebase } from "./rebase.ts";
import { arrivedUpon } from "./redo.ts";
import type { Settled } from "./settled.ts";
import { mayBeUndone, undoneDetail } from "./undone.ts";

/** Rebases on the very version that was refused, after which a person looks at it. */
const mostRebases = 3;

/** A version that is refused again and again, or a change that may have been made and taken back, waits for a person. */
export function inVain(
  { request, ...entry }: Sent,
  copies: Omit<Copies, "base">,
  { doubtful, at }: { readonly doubtful?: boolean; readonly at: string },
): Settled | null {
  const { local, theirs } = copies;
  const { type, base } = entry;
  const isUndone = doubtful === true && mayBeUndone({ ...entry, request }, request, theirs);
  if (!isUndone && entry.rebases < mostRebases) return null;
  // What did arrive is no conflict with what its person changed in it since.
  const stands = isUndone && base ? arrivedUpon(type, base, { sent: [request.sent], theirs }) : base;
  const { conflicts, nothingLeft } = rebase(type, { ...copies, base: stands });
  if (conflicts.length > 0 || nothingLeft) return null;
  const detail = isUndone ? undoneDetail : keptRefusing;
  const parked = { ...park("conflict", detail, { since: at, ...(isUndone && { isUndone }) }), theirs };
  return parkBeside({ ...entry, base: stands, request: null, incoming: null }, local, parked);
}

const keptRefusing =
  "The server keeps refusing this record's version although nobody changed it; try again later.";
