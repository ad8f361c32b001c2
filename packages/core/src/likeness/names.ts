import type { HumanName } from "../resource/common.ts";
import { nameText } from "../resource/derived.ts";
import { nameWords, similarWords } from "./words.ts";

/** How two names are alike. */
export type NameMatch =
  /** The same words, in whatever order. */
  | "same"
  /** All words of one are words of the other, such as where one tells no middle name. */
  | "part"
  /** As above, but some words differ in a letter or two, or in how their sound is written. */
  | "similar"
  /** One tells a single word, which is a word of the other. */
  | "word";

/**
 * Compares two names. Every word of the shorter needs a word of the other, and the given names of both have to be among them:
 * brothers and sisters share all but one word, fathers and sons all but the first.
 *
 * @returns `null` for the names of different people
 */
export function compareNames(a: HumanName, b: HumanName): NameMatch | null {
  const [fewer, more] = [wordsOf(a), wordsOf(b)].sort((x, y) => x.all.length - y.all.length);
  if (!fewer || !more || fewer.all.length === 0) return null;
  if (joined(a) === joined(b)) return "same";
  const partners = partnersOf(fewer.all, more.all);
  if (!partners || !tells(fewer.given, fewer.all) || !tells(more.given, partners)) return null;
  const exact = partners.every((word, at) => word === fewer.all[at]);
  if (exact && fewer.all.length === more.all.length) return "same";
  if (fewer.all.length === 1 && more.all.length > 1) return exact ? "word" : null;
  return exact ? "part" : "similar";
}

interface Words {
  readonly given: readonly string[];
  readonly all: readonly string[];
}

function wordsOf(name: HumanName): Words {
  return { given: nameWords(name.given ?? ""), all: nameWords(spoken(name)) };
}

/** The parts where there are any; a text says the same, or was written for older ones. */
function spoken(name: HumanName): string {
  const { text: _text, ...parts } = name;
  return nameText(parts) || nameText(name);
}

/** Small words are written together or apart: De la Cruz, Dela Cruz. */
function joined(name: HumanName): string {
  return nameWords(spoken(name)).join("");
}

/** For each word another one of the other name that is alike, the same ones first; `null` where one has none. */
function partnersOf(words: readonly string[], others: readonly string[]): readonly string[] | null {
  const free = new Set(others);
  const partners = words.map((word) => (free.delete(word) ? word : null));
  for (const [at, word] of words.entries()) {
    if (partners[at] !== null) continue;
    const partner = [...free].find((other) => similarWords(word, other));
    if (partner === undefined) return null;
    free.delete(partner);
    partners[at] = partner;
  }
  return partners as readonly string[];
}

/** Whether one of the given names, if any is known, is among these words. */
function tells(given: readonly string[], words: readonly string[]): boolean {
  return given.length === 0 || given.some((word) => words.includes(word));
}
