const syllables = [
  "ba",
  "ca",
  "da",
  "gu",
  "li",
  "ma",
  "na",
  "pa",
  "re",
  "sa",
  "to",
  "yu",
  "vi",
  "za",
  "lo",
  "mi",
];

/** A name of three syllables, the same for the same number. */
export function word(number: number): string {
  const parts = [number % 16, Math.floor(number / 16) % 16, Math.floor(number / 256) % 16];
  const text = parts.map((at) => syllables[at] ?? "").join("");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
