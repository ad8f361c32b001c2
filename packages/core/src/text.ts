/**
 * Folds a text for searching, so that what sounds the same to a person compares the same: compatibility forms
 * (NFKC), case, the accents of Latin, Greek and Cyrillic letters, Arabic vowel marks and tatweel, invisible joiners and
 * direction marks, and the length of white space count for nothing. The vowel signs of Devanagari and other scripts are letters and stay.
 */
export function searchText(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .normalize("NFKD")
    .replace(ignored, "")
    .replaceAll("ς", "σ")
    .normalize("NFKC")
    .replace(/\s+/gu, " ")
    .trim();
}

// Combining diacritics; Arabic honorific and vowel marks, superscript alef and tatweel; zero-width and direction marks.
// Hamza and madda (U+0653 to U+0655) are part of their letter and stay.
const ignored =
  /[\u0300-\u036f\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2060\ufeff]/gu;

/** A number with its noun: `1 second`, `2 seconds`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The most characters of a text that an error quotes. */
const maxQuoted = 120;

/** A text as an error quotes it: whole where it is short, else its beginning with `…` after it. Never half of a character. */
export function quoted(text: string): string {
  return shortened(text, maxQuoted);
}

/** The beginning of a text, with `…` after it where it has more than `most` UTF-16 code units. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/\p{Surrogate}$/u, "")}…`;
}
