import { entryState, type OutboxEntry } from "./entry.ts";
import { park } from "./park.ts";
import type { Settled } from "./settled.ts";

/** Where an entry of the outbox stands; `none`: the record has no unsent work. */
export type EntryPlace = "none" | "pending" | "sending" | "parked";

/**
 * The machine of an entry: what moves it from one place to the next. Where there is no word, there is no way. Edits come in by
 * a person's hand alone, and a request only leaves what was pending, so that it was never sent before it was frozen.
 */
export const moves: Readonly<Record<EntryPlace, Partial<Record<EntryPlace, string>>>> = {
  none: {
    none: "nothing to send before and after",
    pending: "a person edited, or adopted another record",
    parked: "unsent work of a lost store came back, and waits",
  },
  pending: {
    none: "merged or discarded: nothing is left to send",
    pending: "edited, or rebased on a newer copy",
    sending: "frozen: the request is durable, and may leave",
    parked: "a newer copy, or what left, waits for a person",
  },
  sending: {
    none: "accepted, or found on the server",
    pending: "accepted or refused, and more is to be sent",
    sending: "no outcome yet: put off, or news waits",
    parked: "refused: waits for a person",
  },
  parked: {
    none: "decided, merged, or left: nothing is left to send",
    pending: "decided, corrected, or clean by now",
    parked: "still waits, with other news or edits",
  },
};

/** Where an entry stands. */
export function placeOf(entry: OutboxEntry | null): EntryPlace {
  return entry ? entryState(entry) : "none";
}

/**
 * What forbids a step of an entry, in a sentence; `null` for a step that is right. Whatever decided it: no edit goes without its
 * end being told, unless it is kept as accepted, and a request that is under way stays as it left until its outcome is known.
 *
 * @param before as it is stored
 */
export function violation(before: OutboxEntry | null, { entry, ended, kept = [] }: Settled): string | null {
  const [from, to] = [placeOf(before), placeOf(entry)];
  if (moves[from][to] === undefined) return `An entry went from ${from} to ${to}.`;
  if (entry?.parked && entry.request) return "An entry waits for a person while its request is under way.";
  const named = new Set([...(entry?.edits ?? []), ...ended.map(({ edit }) => edit)].map(({ id }) => id));
  const accepted = new Set(kept.map(({ edit }) => edit.id));
  if (before?.edits.some(({ id, again }) => !named.has(id) && !(again && accepted.has(id))))
    return "An edit was to vanish.";
  const [sent, sends] = [before?.request, entry?.request];
  const isOther = sent && sends && sent.key !== sends.key;
  if (isOther ? from === "sending" : sent && sends && sent.body !== sends.body) {
    return "A request that is under way was to be changed.";
  }
  return null;
}

/**
 * A step of an entry, if it is right. One that is not is a fault of this software: tests fail by it, and on a tablet the edits
 * stay as they were, and wait for a person who can send them again.
 *
 * @param before as it is stored
 * @param at UTC instant
 */
export function lawful(before: OutboxEntry | null, settled: Settled, at: string): Settled {
  const fault = violation(before, settled);
  if (fault === null) return settled;
  if (inTests()) throw new Error(`${fault} (${settled.entry?.reference ?? before?.reference})`);
  const kept = before ?? settled.entry;
  if (!kept) return settled;
  const parked = park("rejected", `${fault} ${advice}`, { since: at });
  return { entry: { ...kept, request: null, parked, lastAnswer: fault }, local: settled.local, ended: [] };
}

const advice = "This is a fault of the app: your edits are kept. Send them again, and report it.";

/** Whether faults of this software are to be thrown. */
export function inTests(): boolean {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  return process?.env?.NODE_ENV === "test";
}
