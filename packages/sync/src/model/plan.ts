import { isDue } from "./backoff.ts";

/** What planning looks at in an entry; small, so that ten thousand of them fit anywhere. */
export interface EntrySummary {
  readonly id: string;
  readonly state: "pending" | "sending" | "parked";
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  /** When its oldest edit was made. */
  readonly since: string;
  readonly provides: readonly string[];
  readonly releases?: readonly string[];
  readonly needs: readonly string[];
  /** Those of them that the server's copy does not refer to, by numbers that no device made: an office may give them to others. */
  readonly introduces?: readonly string[];
  /** Whether it was put away, and nobody knows yet whether the server's versions are still those that it stands on. */
  readonly isUncompared?: boolean;
  /** Whether it brings a photo, besides what else it says or by itself. */
  readonly photo?: "also" | "only";
}

/** What may be sent now. */
export interface Plan {
  /** Entries by id, in the order to send them. No two of them depend on each other. */
  readonly ready: readonly string[];
  /** Entries that wait for another entry to reach the server. */
  readonly blocked: readonly { readonly id: string; readonly by: string }[];
  /** The first instant at which an entry that was put off is due; `null` when none was. */
  readonly nextAt: string | null;
  /** Whether any of those to be sent refers anew to somebody whom the server has. */
  readonly introduces: boolean;
}

interface PlanOptions {
  /** Whether delays do not count, but of what was tried since. */
  readonly eager?: boolean;
  /** Entries, by id, that were tried already. */
  readonly tried?: ReadonlySet<string>;
  readonly photos?: boolean;
  readonly fresh?: boolean;
  readonly unread?: boolean;
}

/**
 * Decides what may be sent now. A record is held back by its own decision or delay, and by a record it refers to that the
 * server has not got yet, or that gives up an identifier it takes over, and by nothing else. A request already under way goes on, whatever its record refers to by now.
 *
 * Fresh entries go before those that failed, so that one that always fails holds up nobody, and those with a photo go last.
 *
 * @param now UTC instant
 * @param options `eager` ignores the delays: somebody asked, or the network came back; without `photos`, what has nothing but
 *   its photo left waits, and nothing waits for that; `fresh` leaves out what failed before; `unread` leaves out what
 *   refers anew to somebody whom the server has, as nobody has read yet whose the number is by now
 */
export function plan(entries: readonly EntrySummary[], now: string, options: PlanOptions = {}): Plan {
  const order = orderOf(entries);
  const ready: EntrySummary[] = [];
  const blocked: { id: string; by: string }[] = [];
  let nextAt: string | null = null;
  for (const entry of entries) {
    if (entry.state === "parked" || entry.isUncompared) continue;
    const by = entry.state === "sending" ? undefined : blocker(entry, order);
    if (by !== undefined) blocked.push({ id: entry.id, by });
    else if (isLeftOut(entry, options, order)) continue;
    else if (isDue(entry.nextAttemptAt, now) || (options.eager && !options.tried?.has(entry.id)))
      ready.push(entry);
    else nextAt = earlier(nextAt, entry.nextAttemptAt);
  }
  const introduces = ready.some((entry) => introducesOthers(entry, order));
  return { ready: ready.sort(compare).map((entry) => entry.id), blocked, nextAt, introduces };
}

function isLeftOut(entry: EntrySummary, { photos, fresh, unread }: PlanOptions, order: Order): boolean {
  const { photo, state, attempts } = entry;
  if (fresh === true && attempts > 0) return true;
  if (photos === false && photo === "only" && state === "pending") return true;
  return unread === true && introducesOthers(entry, order);
}

/** What is under way goes on; and what waits here for being sent is who it is. */
function introducesOthers({ state, introduces = [] }: EntrySummary, { providers }: Order): boolean {
  return state === "pending" && introduces.some((name) => !providers.has(name));
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

/** What follows what. */
interface Order {
  readonly entries: ReadonlyMap<string, EntrySummary>;
  /** Entries by the names they provide. */
  readonly providers: ReadonlyMap<string, string>;
  /** Entries by the names they release; none that waits for a person, for that may be for ever. */
  readonly releasers: ReadonlyMap<string, string>;
}

function orderOf(entries: readonly EntrySummary[]): Order {
  const providers = new Map<string, string>();
  const releasers = new Map<string, string>();
  for (const entry of entries) {
    for (const name of entry.provides) providers.set(name, entry.id);
    if (entry.state === "parked") continue;
    for (const name of entry.releases ?? []) releasers.set(name, entry.id);
  }
  return { entries: new Map(entries.map((entry) => [entry.id, entry])), providers, releasers };
}

/** Two records that exchange identifiers wait for each other: no order is right, and the server says so. */
function blocker(entry: EntrySummary, order: Order): string | undefined {
  const provider = others(entry, entry.needs, order.providers)[0];
  if (provider !== undefined) return provider;
  const releasers = others(entry, entry.provides, order.releasers);
  return releasers.find((id) => !follows(id, entry.id, order));
}

/** Whether one entry waits for another, directly or through others. */
function follows(id: string, other: string, order: Order): boolean {
  const met = new Set<string>();
  const left = [id];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next === other) return true;
    const entry = met.has(next) ? undefined : order.entries.get(next);
    met.add(next);
    if (!entry || entry.state === "sending") continue;
    left.push(...others(entry, entry.needs, order.providers));
    left.push(...others(entry, entry.provides, order.releasers));
  }
  return false;
}

/** The other entries that stand for these names. */
function others(
  { id }: EntrySummary,
  names: readonly string[],
  standing: ReadonlyMap<string, string>,
): readonly string[] {
  return names.flatMap((name) => {
    const by = standing.get(name);
    return by === undefined || by === id ? [] : [by];
  });
}

function compare(a: EntrySummary, b: EntrySummary): number {
  if (a.attempts !== b.attempts) return a.attempts - b.attempts;
  if (!a.photo !== !b.photo) return a.photo ? 1 : -1;
  if (a.since !== b.since) return a.since < b.since ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
