import { describe, expect, it } from "vitest";
import { asciiDigits } from "./digits.ts";

describe("digits", () => {
  it.each([
    ["Arabic-Indic", "٠١٢٣٤٥٦٧٨٩"],
    ["Extended Arabic-Indic", "۰۱۲۳۴۵۶۷۸۹"],
    ["Devanagari", "०१२३४५६७८९"],
    ["Bengali", "০১২৩৪৫৬৭৮৯"],
    ["Burmese", "၀၁၂၃၄၅၆၇၈၉"],
    ["Khmer", "០១២៣៤៥៦៧៨៩"],
    ["Adlam, beyond the first plane", "𞥐𞥑𞥒𞥓𞥔𞥕𞥖𞥗𞥘𞥙"],
    ["full-width", "０１２３４５６７８９"],
    ["ASCII", "0123456789"],
  ])("are taken as what they are: %s", (_, digits) => {
    expect(asciiDigits(digits)).toBe("0123456789");
  });

  it("change nothing else of a text", () => {
    expect(asciiDigits("+٩٦٣ (11) رقم Ⅳ½²")).toBe("+963 (11) رقم Ⅳ½²");
  });
});
