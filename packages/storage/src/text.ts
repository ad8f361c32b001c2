/**
 * Text as it stands in a column. SQLite compares UTF-8 byte by byte, and so does PostgreSQL under the collation "C",
 * which is the order of code points; the port promises the order of UTF-16 code units, and substrings code unit by
 * code unit. The two differ where surrogates are involved, so each code unit from U+D800 on becomes a code point of
 * its own beyond U+FFFF, in the same order. Order, equality, prefixes and substrings of columns are then exactly
 * those of the texts. Text whose code units are all below U+D800 (nearly every script in use) stands as it is.
 */

const firstMoved = 0xd800;
const firstFree = 0x10000;
const unmoved = /^[ -\uD7FF]*$/;

/** Above every character that {@link toColumn} writes, so `prefix + pastAll` bounds what starts with the prefix. */
export const pastAll = "\u{10FFFF}";

/** Writes a text for a column. */
export function toColumn(text: string): string {
  if (unmoved.test(text)) return text;
  let column = "";
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    column += unit < firstMoved ? text[at] : String.fromCodePoint(unit - firstMoved + firstFree);
  }
  return column;
}

/** Reads a text back from a column. */
export function fromColumn(column: string): string {
  if (unmoved.test(column)) return column;
  let text = "";
  for (const character of column) {
    const point = character.codePointAt(0) ?? 0;
    text += point < firstFree ? character : String.fromCharCode(point - firstFree + firstMoved);
  }
  return text;
}
