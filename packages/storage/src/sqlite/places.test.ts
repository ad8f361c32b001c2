import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toColumn } from "../text.ts";
import {
  bucketOf,
  bucketsOf,
  firstAside,
  lastPlace,
  placeColumns,
  placeOf,
  placesOf,
  rowAt,
  startInBucket,
} from "./places.ts";

const letters = fc.constantFrom(
  ..."az m-AÑñzéЯяابتيसीताकमあ漢字\ud7ff\ue000\uffff\ud83d\ude00\u0000\u001f~٣\u027b\u127b\u067f",
);
const value = fc.oneof(
  fc.array(letters, { maxLength: 14 }).map((all) => all.join("")),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
    .map((units) => String.fromCharCode(...units)),
  fc
    .tuple(fc.constantFrom("maria ", "सीता ", "محمد "), fc.array(letters, { maxLength: 4 }))
    .map(([a, b]) => a + b.join("")),
);

describe("buckets", () => {
  it("are in the order of UTF-16 code units", () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [first, second] = a < b ? [a, b] : [b, a];
        expect(bucketOf("c", toColumn(first))).toBeLessThanOrEqual(bucketOf("c", toColumn(second)));
      }),
      { numRuns: 5000 },
    );
  });

  it("have values that begin alike", () => {
    const tail = fc.array(letters, { maxLength: 4 }).map((all) => all.join(""));
    fc.assert(
      fc.property(value, tail, tail, (start, a, b) => {
        const [one, other] = [toColumn(start + a), toColumn(start + b)];
        if (bucketOf("c", one) === bucketOf("c", other)) {
          expect(other.startsWith(startInBucket(one))).toBe(true);
          expect(startInBucket(other)).toBe(startInBucket(one));
        }
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ["six Latin letters", "santos", "santos maria", "santot"],
    ["two Arabic ones", "مح", "محمد علي", "مخ"],
    ["two Devanagari ones", "सी", "सीता", "सु"],
  ])("tell %s apart", (_, start, same, other) => {
    expect(bucketOf("c", other)).toBeGreaterThan(bucketOf("c", same));
    expect(startInBucket(same).startsWith(start)).toBe(true);
  });

  it("are of one collection, and numbers that JavaScript holds exactly", () => {
    for (const collection of ["Individual", "Group", ""]) {
      const [first, last] = bucketsOf(collection);
      for (const name of ["", "zz\u{10ffff}", "\u{127ff}\u{127ff}"]) {
        const bucket = bucketOf(collection, name);
        expect(bucket >= first && bucket <= last).toBe(true);
      }
      expect(Number.isSafeInteger(last)).toBe(true);
    }
  });
});

describe("places", () => {
  const client = new Database(":memory:");
  const selected = (sql: string) => client.prepare(`SELECT ${sql}`).get();

  it.each([1, 2 ** 28 - 1, 2 ** 28, 2 ** 52])(
    "tell the row numbered %d, and fit into SQLite's integers",
    (row) => {
      for (const collection of ["Individual", "Group", "a", "b", "c", "d", "e", "f"]) {
        const place = placeOf(collection, "zz\u{10ffff}", row);
        expect(selected(`typeof(${place}) AS type, ${rowAt(place)} AS row`)).toEqual({
          type: "integer",
          row,
        });
        expect(BigInt(place) >= BigInt(firstAside)).toBe(row >= 2 ** 28);
        expect(BigInt(place) <= BigInt(lastPlace)).toBe(true);
      }
    },
  );

  it("tell their bucket", () => {
    const place = placeOf("Individual", "maria", 77);
    const bucket = bucketOf("Individual", "maria");
    expect(selected(placeColumns(place))).toEqual({ bucket, nth: 77 });
    const [first, last] = placesOf(bucket).map(BigInt);
    expect([first, last].map((each) => (each ?? 0n) >> 28n)).toEqual([BigInt(bucket), BigInt(bucket)]);
  });
});
