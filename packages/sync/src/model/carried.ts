import type { JsonObject } from "@fieldroll/core";
import { meanwhile } from "./absorb.ts";
import type { OutboxEntry } from "./entry.ts";
import { showing, shownBy } from "./hidden.ts";
import { namesWithin } from "./naming.ts";

/**
 * Unsent work as a file has it: without what consents hide since its request was frozen. What that says of the record is narrowed with the
 * copies that it was made of, so that nothing looks as if it had been taken out; its bytes stay, for they may have arrived.
 *
 * @returns the same where nothing is hidden
 */
export function narrowedForFile(known: {
  readonly entry: OutboxEntry;
  readonly local: JsonObject;
}): typeof known {
  const { request, earlier, incoming, parked } = known.entry;
  if (!request) return known;
  const before = earlier ? [earlier.sent, ...(earlier.later ?? [])] : [];
  const all = { sent: request.sent, covers: request.covers, later: before };
  const shown = meanwhile({ ...known.entry, earlier: all }, known.local);
  const { earlier: said = all, ...entry } = shown.entry ?? known.entry;
  const { base } = entry;
  // Where something is hidden, the work comes back as if it waited beside what is shown.
  if (entry.parked === parked || !base || !said || !shown.local) return known;
  const [sent, ...later] = said.later ?? [];
  const shows = incoming?.kind === "upsert" ? shownBy(incoming.record) : [];
  const next = {
    ...entry,
    parked,
    base: shows ? showing(base, shows) : base,
    request: { ...request, sent: said.sent },
    ...(earlier && sent && { earlier: { ...earlier, sent, later } }),
  };
  return { entry: namingOnly(next, shown.local), local: shown.local };
}

/** Work without a word of those whom none of its copies names any more. */
function namingOnly({ meant = {}, whom = {}, ...entry }: OutboxEntry, local: JsonObject): OutboxEntry {
  const { type, base, request, earlier, incoming } = entry;
  const news = incoming?.kind === "upsert" ? incoming.record : {};
  const names = namesWithin(type, [base ?? {}, local, request?.sent ?? {}, earlier?.sent ?? {}, news]);
  const left = Object.entries(meant).filter(([name]) => names.has(name));
  const keys = new Set(left.map(([, key]) => key));
  const people = Object.entries(whom).filter(([key]) => keys.has(key));
  return {
    ...entry,
    meant: Object.fromEntries(left),
    ...(people.length > 0 && { whom: Object.fromEntries(people) }),
  };
}
