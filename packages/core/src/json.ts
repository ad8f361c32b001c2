/** A value of JSON (RFC 8259). */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** An object of JSON. */
export interface JsonObject {
  readonly [member: string]: Json;
}

/** Whether a value is an object of JSON: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deep equality of two values of JSON; the order of an object's members does not count. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  );
}

/** Adds one segment to a JSON pointer, escaped as RFC 6901 section 3 asks. */
export function pointerTo(parent: string, segment: string | number): string {
  return `${parent}/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The segments of a JSON pointer (RFC 6901). */
export function segmentsOf(pointer: string): readonly string[] {
  const segments = pointer.split("/").slice(1);
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Writes a path as a JSON pointer (RFC 6901); the empty path is the whole document. */
export function pointer(path: readonly (string | number)[]): string {
  return path.reduce<string>((whole, segment) => pointerTo(whole, segment), "");
}

/** The length of a value's JSON text in UTF-8, in bytes. */
export function jsonBytes(value: Json): number {
  return utf8Bytes(JSON.stringify(value));
}

/** The length of a text in UTF-8, in bytes. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  // Most texts are ASCII alone, and a photo is long.
  for (const [run] of text.matchAll(/[\u0080-\uffff]+/g)) {
    for (const character of run) bytes += beyondLength(character.codePointAt(0) ?? 0);
  }
  return bytes;
}

/** By how much a character's bytes outnumber its UTF-16 code units. */
function beyondLength(codePoint: number): number {
  if (codePoint < 0x800) return 1;
  return 2;
}
