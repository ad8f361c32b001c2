import { searchText } from "../text.ts";

/**
 * The words of a name for comparing people: folded as for searching, and letters of the Arabic script that are written one for
 * another made one. Initials say too little and are left out, but of a name that has nothing else.
 */
export function nameWords(name: string): readonly string[] {
  const words = searchText(name)
    .replace(/[أإآٱ]/gu, "ا")
    .replace(/[ىی]/gu, "ي")
    .replaceAll("ة", "ه")
    .replaceAll("ک", "ك")
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "");
  const whole = words.filter((word) => !/^\p{Script=Latin}$/u.test(word));
  return [...new Set(whole.length > 0 ? whole : words)];
}

/**
 * What finds a name among those that are folded for searching: of its words the part that is written in one way only, the longest
 * first. Arabic words are cut at the letters that are written one for another.
 */
export function tellingParts(name: string): readonly string[] {
  const parts = searchText(name).split(/[^\p{L}\p{M}\p{N}]+|[اأإآٱىیيةهکك]/u);
  return parts.filter((part) => part !== "").sort((a, b) => b.length - a.length);
}

/** Whether two words may be one name: mistyped in a letter or two, or written down by its sound in Latin letters. */
export function similarWords(a: string, b: string): boolean {
  const [one, other] = [undoubled(a), undoubled(b)];
  if (one === other) return true;
  const most = allowance(Math.min(one.length, other.length));
  if (Math.abs(one.length - other.length) <= most && editDistance(one, other) <= most) return true;
  const sound = consonants(one);
  return sound.length > 3 && sound === consonants(other);
}

/** How much of a word may be mistyped: nothing of a short one, for short names differ by one letter. */
function allowance(length: number): number {
  return length < 4 ? 0 : length < 8 ? 1 : 2;
}

function undoubled(word: string): string {
  return word.replace(/(.)\1+/gu, "$1");
}

/**
 * What stays of a Latin word however its vowels are written: Muhammad, Mohamed and Mohammed are one. Empty for other
 * scripts.
 */
function consonants(word: string): string {
  if (!/^[a-z]+$/.test(word)) return "";
  return word
    .replaceAll("ph", "f")
    .replace(/c(?!h)|q/g, "k")
    .replace(/([^aeiouy])h|h$/g, "$1")
    .replace(/(?<=.)[aeiouy]/g, "");
}

/** Letters put in, left out, changed, or exchanged with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (last?.[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (before?.[j - 2] ?? 0) + 1 : change;
      row.push(Math.min((last?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, change, swap));
    }
    [before, last] = [last, row];
  }
  return last?.[b.length] ?? 0;
}
