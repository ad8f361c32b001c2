import type { Random } from "./random.ts";

/** Largest body that the server takes: contract section 8. */
const most = 8 * 1024 * 1024;

const members = [
  "identifier",
  "telecom",
  "address",
  "member",
  "scope",
  "entry",
  "data",
  "name",
  "extension",
  "x",
] as const;
const items = [
  "{}",
  "[]",
  "0",
  '""',
  "null",
  '{"system":"urn:x","value":"1"}',
  '{"entity":{"reference":"a"}}',
] as const;

/** Makes bodies that are wide, deep, long or repetitive, up to the largest that is taken. */
const shapes = [
  (random: Random, size: number) =>
    `{"type":"Individual","${random.of(members)}":[${repeated(random.of(items), size)}]}`,
  (random: Random, size: number) =>
    `{"resourceType":"Bundle","type":"batch","${random.of(members)}":[${repeated(random.of(items), size)}]}`,
  (_: Random, size: number) => `{${numbered((nth) => `"unknown${nth}":0`, size)}}`,
  (_: Random, size: number) => `{"name":{${numbered((nth) => `"familie${nth}":"x"`, size)}}}`,
  (random: Random, size: number) =>
    random.of(["[", '{"a":', '[{"b":']).repeat(Math.max(1, Math.floor(size / 8))),
  (_: Random, size: number) => `{"type":"Individual","name":{"family":"${"x".repeat(size)}"}}`,
  (_: Random, size: number) => `{"type":"Individual","name":{"family":"${"\\u00e9".repeat(size / 6)}"}}`,
  (_: Random, size: number) => `{${repeated('"identifier":1', size)}}`,
  (_: Random, size: number) => `{"a":${"9".repeat(size)}}`,
  (_: Random, size: number) => `{"${"k".repeat(size)}":1}`,
  (_: Random, size: number) => " ".repeat(size),
] as const;

/** A hostile body of JSON, of some size up to the largest. */
export function hostileBody(random: Random): string {
  const size = Math.floor(most ** random.next() * 0.99);
  return random.of(shapes as unknown as [(typeof shapes)[number]])(random, size);
}

function repeated(item: string, size: number): string {
  return Array.from({ length: Math.max(1, Math.floor(size / (item.length + 1))) }, () => item).join(",");
}

function numbered(item: (nth: number) => string, size: number): string {
  const parts: string[] = [];
  for (let length = 0, nth = 0; length < size - 20; nth++) {
    const part = item(nth);
    parts.push(part);
    length += part.length + 1;
  }
  return parts.join(",");
}
