import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pastAll, toColumn } from "../text.ts";
import { codesOf, trigramsAsked } from "./codes.ts";
import { textOf } from "./substrings.ts";

const text = (...values: readonly string[]) => values.map((value) => value + pastAll).join("");
const pointsIn = (codes: string) => [...codes].map((code) => code.codePointAt(0) ?? 0);

describe("the codes of a text", () => {
  it.each([
    ["no value", "", 0],
    ["an empty value", text(""), 0],
    ["a value", text("ana reyes"), 9],
    ["two values, parted", text("ana", "reyes"), 9],
    ["an empty one between two, parted twice", text("ana", "", "bo"), 7],
    ["characters beyond the first plane", text(toColumn("😀a")), 3],
  ])("of %s are one for each character", (_, values, count) => {
    expect([...codesOf(values)]).toHaveLength(count);
  });

  it("of Latin letters and spaces take two bytes each", () => {
    expect(Buffer.byteLength(codesOf(text("the quick brown fox")))).toBe(2 * 19);
  });

  it("are of no character that SQLite or FTS5 take for something else", () => {
    const all = fc.integer({ min: 0, max: 0x10ffff }).filter((point) => point < 0xd800 || point > 0xffff);
    const values = fc.array(fc.array(all, { maxLength: 6 }).map((points) => String.fromCodePoint(...points)));
    fc.assert(
      fc.property(values, (some) => {
        const odd = pointsIn(codesOf(text(...some))).filter(
          (point) => point < 0x80 || (point >= 0xd800 && point < 0x10000),
        );
        expect(odd).toEqual([]);
      }),
    );
  });
});

describe("what is asked for a term", () => {
  it.each([
    ["of less than three characters is nothing", "an", []],
    ["of three is one in 32 ways", "ana", [32]],
    ["of four is one in 4 ways", "anab", [4]],
    ["of five is one", "ana r", [1]],
    ["of seven is three", "ana rey", [1, 1, 1]],
    ["of three beyond the first plane is one in 32 ways", "😀a", [32]],
  ])("%s", (_, term, ways) => {
    const counted = trigramsAsked(toColumn(term)).map((asked) => asked.split(" OR ").length);
    expect(counted).toEqual(ways);
  });
});

/** What FTS5 finds for each of the terms, by the number of the text. */
function foundBy(texts: readonly string[], terms: readonly string[]): readonly (readonly number[])[] {
  const client = new Database(":memory:");
  try {
    client.exec(
      "CREATE VIRTUAL TABLE t USING fts5 (codes, content = '', detail = none, tokenize = 'trigram case_sensitive 1')",
    );
    const insert = client.prepare("INSERT INTO t (rowid, codes) VALUES (?, ?)");
    for (const [nth, one] of texts.entries()) insert.run(nth, codesOf(one));
    const find = client.prepare("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid").pluck();
    return terms.map((term) => find.all(trigramsAsked(term).join(" AND ")) as number[]);
  } finally {
    client.close();
  }
}

describe("a search by trigrams of codes", () => {
  it("finds what has the term, and less that has it not than one by three characters would", () => {
    const names = ["maria reyes", "mariano cruz", "ana maria", "maricel lim", "amar rizal", "mario"];
    const found = foundBy(
      names.map((name) => text(name)),
      ["mar", "mari", "maria", "a mar"],
    );
    expect(found).toEqual([[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 5], [0, 1, 2], [2]]);
  });

  it("misses nothing that has the term, of any characters, wherever it stands", () => {
    const character = fc.oneof(
      fc.constantFrom(..."aeinr -.'0"),
      fc.constantFrom("é", "ع", "م", "क", "ि", "王", "小", "😀", "\u0000", "\uD83D", "\uFFFF"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    );
    const value = fc.array(character, { maxLength: 9 }).map((all) => all.join(""));
    const one = fc.tuple(value, value, value).map(([before, term, after]) => ({ before, term, after }));
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 12 }), (all) => {
        const texts = all.map(({ before, term, after }) => textOf(["x", before + term + after, "y"]));
        const asked = all.flatMap(({ term }, nth) => {
          const column = toColumn(term);
          return trigramsAsked(column).length > 0 ? [{ column, nth }] : [];
        });
        const found = foundBy(
          texts,
          asked.map(({ column }) => column),
        );
        for (const [at, { nth }] of asked.entries()) expect(found[at]).toContain(nth);
      }),
    );
  });
});
