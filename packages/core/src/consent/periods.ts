import type { ConsentStatus } from "./types.ts";

/** A span of time in which a consent showed something: instants, UTC; open where it goes on. */
export interface Period {
  readonly from: string;
  /** The instant at which it ended, or will end by the calendar. */
  readonly until?: string;
}

interface Terms {
  readonly status: ConsentStatus;
  readonly effectiveDate: string;
  readonly expiryDate?: string;
}

/**
 * When a consent showed something, after a change of it: never before it was recorded, whatever day it is effective from, and
 * never after it was withdrawn. Feeds tell by it what their readers could know. Pure.
 *
 * @param former the periods before the change
 * @param at the instant of the change
 */
export function periodsAfter(former: readonly Period[], terms: Terms, at: string): readonly Period[] {
  if (terms.status !== "given" && terms.status !== "renewed") return closed(former, at);
  const last = former.at(-1);
  const goesOn = last !== undefined && (last.until === undefined || last.until > at);
  const from = goesOn ? last.from : laterOf(at, startOf(terms.effectiveDate));
  const until = terms.expiryDate === undefined ? undefined : startOfNext(terms.expiryDate);
  const earlier = goesOn ? former.slice(0, -1) : former;
  if (until !== undefined && until <= from) return earlier;
  return [...earlier, { from, ...(until !== undefined && { until }) }];
}

function closed(periods: readonly Period[], at: string): readonly Period[] {
  return periods
    .filter(({ from }) => from <= at)
    .map(({ from, until = at }) => ({ from, until: until < at ? until : at }));
}

/** Whether the calendar alone begins or ends a period after the first of two days and by the last, YYYY-MM-DD. */
export function turnsWithin({ from, until }: Period, after: string, by: string): boolean {
  const turns = (instant: string) =>
    instant > startOf(after) && instant <= startOf(by) && instant === startOf(instant.slice(0, 10));
  return turns(from) || (until !== undefined && turns(until));
}

/** Whether a period has an instant in common with a span. */
export function touches({ from, until }: Period, start: string, end: string): boolean {
  return from <= end && (until === undefined || until >= start);
}

/** The first instant of a day, YYYY-MM-DD, in UTC. */
export function startOf(day: string): string {
  return `${day}T00:00:00.000Z`;
}

/** The first instant after a day, YYYY-MM-DD, in UTC. */
export function startOfNext(day: string): string {
  return new Date(Date.parse(startOf(day)) + 86_400_000).toISOString();
}

/** The day after a day, YYYY-MM-DD. */
export function dayAfter(day: string): string {
  return startOfNext(day).slice(0, 10);
}

function laterOf(one: string, other: string): string {
  return one > other ? one : other;
}
