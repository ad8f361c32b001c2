import { pastAll } from "../text.ts";

/**
 * How texts stand in an index of trigrams: each character as a code, which also hints at the two characters that follow it in its value. So
 * a trigram of FTS5, three codes in a row, tells three characters and hints at the two after them. One in five to ten of the texts that have
 * three characters has such a trigram of them, and a search reads lists that are as much shorter.
 *
 * The hint at the next character is one of eight kinds, that at the one after it one of four pairs of kinds: so there are few enough ways in
 * which a term of three or four characters may go on. What has a term's trigrams may still not have the term: characters of one kind,
 * and very distant ones, share codes.
 */

/** Three bits, and two. */
const kinds = 8;
const pairs = kinds / 2;
const hints = kinds * pairs;

/** Of the letters from a to z: about as common, all of a kind together, in names of many languages; and no two vowels are of one. */
const kindsOfLetters = [1, 2, 3, 7, 2, 0, 4, 0, 3, 0, 5, 7, 4, 5, 4, 0, 0, 6, 6, 7, 5, 6, 0, 0, 0, 6];

/** Of the end of a value, and of what follows it. */
const noKind = 0;

const a = 0x61;
const z = 0x7a;
const space = 0x20;
const firstBeyondAscii = 0x80;

/** What codes are counted from, {@link hints} each: Latin letters and the space take two bytes. */
const bases = { letters: 4, space: 30, end: 31, ascii: 64, beyondAscii: 192 };

/** From here on codes lie beyond the first plane: not among the surrogates, nor where it has characters that some software alters. */
const firstMoved = 0xd800 / hints;
const moved = 0x10000 / hints - firstMoved;

/** So many characters beyond ASCII have codes of their own. */
const distinct = 0x110000 / hints - moved - bases.beyondAscii;

/** What parts the codes of two values. */
const parting = String.fromCodePoint(bases.end * hints);

/** The codes of a text: of values, each followed by {@link pastAll}. */
export function codesOf(text: string): string {
  // Most have one value.
  const last = text.length - pastAll.length;
  if (text.indexOf(pastAll) === last) return codesOfValue(text.slice(0, last));
  return text.split(pastAll).slice(0, -1).map(codesOfValue).join(parting);
}

function codesOfValue(value: string): string {
  const points = pointsOf(value);
  const codes: number[] = [];
  let next = kindAt(points, 1);
  for (let at = 0; at < points.length; at++) {
    const second = kindAt(points, at + 2);
    codes.push(code(points[at] ?? 0, next, second));
    next = second;
  }
  return textFrom(codes);
}

/** More than this are no arguments of one call. */
const atOnce = 4096;

function textFrom(codes: readonly number[]): string {
  let text = "";
  for (let at = 0; at < codes.length; at += atOnce)
    text += String.fromCodePoint(...codes.slice(at, at + atOnce));
  return text;
}

function pointsOf(text: string): readonly number[] {
  const points: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) ?? 0;
    points.push(point);
    if (point > 0xffff) at++;
  }
  return points;
}

/**
 * What FTS5 is asked for texts that may have a term, all of it: trigrams, or of a short term one in all the ways in which it may go on. Empty
 * for a term of less than three characters.
 */
export function trigramsAsked(term: string): readonly string[] {
  const points = pointsOf(term);
  const whole = points.slice(4).map((_, at) => trigram(points.slice(at, at + 3), hintsAfter(points, at + 3)));
  if (whole.length > 0 || points.length < 3) return whole;
  const ways = waysOn(points.slice(3)).map((after) => trigram(points, after));
  return [`(${ways.join(" OR ")})`];
}

/** The kinds of the two characters from there on. */
function hintsAfter(points: readonly number[], at: number): Hints {
  return [kindAt(points, at), kindAt(points, at + 1)];
}

type Hints = readonly [next: number, second: number];

/** All kinds that two characters may have of which at most the first is known, one of each pair for the second. */
function waysOn([known]: readonly number[]): readonly Hints[] {
  const all = Array.from({ length: kinds }, (_, kind) => kind);
  const next = known === undefined ? all : [kindOf(known)];
  return next.flatMap((one) => all.filter((two) => two % 2 === 0).map((two): Hints => [one, two]));
}

/** Of three characters and the kinds of the two after them, quoted for FTS5: no code is a character that it knows otherwise. */
function trigram([first = 0, second = 0, third = 0]: readonly number[], [next, last]: Hints): string {
  const codes = [
    code(first, kindOf(second), kindOf(third)),
    code(second, kindOf(third), next),
    code(third, next, last),
  ];
  return `"${textFrom(codes)}"`;
}

function kindAt(points: readonly number[], at: number): number {
  const point = points[at];
  return point === undefined ? noKind : kindOf(point);
}

function kindOf(point: number): number {
  if (point >= a && point <= z) return kindsOfLetters[point - a] ?? noKind;
  return point === space ? noKind : point % kinds;
}

function code(point: number, next: number, second: number): number {
  return baseOf(point) * hints + next * pairs + (second >> 1);
}

function baseOf(point: number): number {
  if (point >= a && point <= z) return bases.letters + point - a;
  if (point === space) return bases.space;
  if (point < firstBeyondAscii) return bases.ascii + point;
  const base = bases.beyondAscii + ((point - firstBeyondAscii) % distinct);
  return base < firstMoved ? base : base + moved;
}
