import type { Attempt } from "../types.ts";
import type { OutboxEntry } from "./entry.ts";

/** Attempts that an entry remembers. */
const mostAnswers = 5;

/** Notes an attempt on its entry, in place of the oldest of several. */
export function withAnswer(entry: OutboxEntry, answer: Attempt): OutboxEntry {
  return { ...entry, answers: [...(entry.answers ?? []), answer].slice(-mostAnswers) };
}
