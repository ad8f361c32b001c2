import { longestDelay } from "./backoff.ts";

/** What planning looks at in an entry; small, so that ten thousand of them fit anywhere. */
export interface EntrySummary {
  readonly id: string;
  readonly state: "pending" | "sending" | "parked";
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  /** When its oldest edit was made. */
  readonly since: string;
  readonly provides: readonly string[];
  readonly needs: readonly string[];
}

/** What may be sent now. */
export interface Plan {
  /** Entries by id, in the order to send them. No two of them depend on each other. */
  readonly ready: readonly string[];
  /** Entries that wait for another entry's record to reach the server. */
  readonly blocked: readonly { readonly id: string; readonly by: string }[];
  /** The first instant at which an entry that was put off is due; `null` when none was. */
  readonly nextAt: string | null;
}

/**
 * Decides what may be sent now. A record is held back by its own decision or delay, and by a record it refers to that the
 * server has not got yet, and by nothing else. A request already under way goes on, whatever its record refers to by now.
 *
 * Fresh entries go before those that failed, so that one that always fails holds up nobody.
 *
 * @param now UTC instant
 * @param options `eager` ignores the delays: somebody asked, or the network came back
 */
export function plan(
  entries: readonly EntrySummary[],
  now: string,
  options: { readonly eager?: boolean } = {},
): Plan {
  const providers = providersOf(entries);
  const ready: EntrySummary[] = [];
  const blocked: { id: string; by: string }[] = [];
  let nextAt: string | null = null;
  for (const entry of entries) {
    if (entry.state === "parked") continue;
    const by = entry.state === "sending" ? undefined : blocker(entry, providers);
    if (by !== undefined) blocked.push({ id: entry.id, by });
    else if (options.eager || isDue(entry.nextAttemptAt, now)) ready.push(entry);
    else nextAt = earlier(nextAt, entry.nextAttemptAt);
  }
  return { ready: ready.sort(compare).map((entry) => entry.id), blocked, nextAt };
}

/** A delay longer than any that is ever given was given by a clock that has been put back since: it does not count. */
function isDue(nextAttemptAt: string | null, now: string): boolean {
  if (nextAttemptAt === null || nextAttemptAt <= now) return true;
  return Date.parse(nextAttemptAt) - Date.parse(now) > longestDelay;
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

function providersOf(entries: readonly EntrySummary[]): ReadonlyMap<string, string> {
  const providers = new Map<string, string>();
  for (const entry of entries) for (const name of entry.provides) providers.set(name, entry.id);
  return providers;
}

function blocker(entry: EntrySummary, providers: ReadonlyMap<string, string>): string | undefined {
  for (const name of entry.needs) {
    const by = providers.get(name);
    if (by !== undefined && by !== entry.id) return by;
  }
  return undefined;
}

function compare(a: EntrySummary, b: EntrySummary): number {
  if (a.attempts !== b.attempts) return a.attempts - b.attempts;
  if (a.since !== b.since) return a.since < b.since ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
