import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counted, searchText } from "./text.ts";

it.each([
  [0, "0 seconds"],
  [1, "1 second"],
  [2, "2 seconds"],
])("counts %i in the singular or the plural", (count, text) => {
  expect(counted(count, "second")).toBe(text);
  expect(counted(1, "entry", "entries")).toBe("1 entry");
});

describe("searchText", () => {
  it.each([
    ["lowers case", "Reyes", "reyes"],
    ["takes Latin accents away", "José Muñoz Ångström", "jose munoz angstrom"],
    ["takes decomposed accents away", "Jose\u0301", "jose"],
    ["takes Vietnamese stacked marks away", "Nguyễn Thị Hồng", "nguyen thi hong"],
    ["takes Greek accents away and levels the final sigma", "Γιώργος", "γιωργοσ"],
    ["levels Cyrillic й and ё", "Йёлкин", "иелкин"],
    ["lowers a dotted capital I", "İpek", "ipek"],
    ["takes Arabic vowel marks away", "مُحَمَّد", "محمد"],
    ["takes tatweel away", "محـــمد", "محمد"],
    ["keeps hamza as part of its letter", "أحمد", "أحمد"],
    ["keeps Devanagari vowel signs", "सीता देवी", "सीता देवी"],
    ["keeps virama and nukta", "क़ृष्ण", "क़ृष्ण".normalize("NFKC")],
    ["takes invisible joiners away", "می\u200cخواهم", "میخواهم"],
    ["levels full-width forms", "ＡＢＣ１２３", "abc123"],
    ["levels presentation forms", "ﻣﺤﻤﺪ", "محمد"],
    ["keeps Hangul composed", "김민준", "김민준"],
    ["collapses white space", "  Ana \t\n Maria\u00a0Cruz ", "ana maria cruz"],
    ["leaves nothing of nothing", "   ", ""],
  ])("%s", (_name, text, folded) => {
    expect(searchText(text)).toBe(folded);
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(searchText(searchText(text))).toBe(searchText(text));
      }),
    );
  });

  it("tells Devanagari names apart that differ by a vowel sign", () => {
    expect(searchText("राम")).not.toBe(searchText("रमा"));
  });
});
