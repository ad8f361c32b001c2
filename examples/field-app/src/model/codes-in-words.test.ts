import { decideMembership } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { codesInWords } from "./codes-in-words.ts";

describe("codes in a sentence", () => {
  it.each([
    [
      "a day",
      "must be at most a year from today, 2026-11-26",
      "must be at most a year from today, 26 November 2026",
    ],
    ["a place in a record", "/birthDate: must not be after today", "Date of birth must not be after today"],
    [
      "a place further in, of several",
      "/address/0/city: must have at most 255 characters (and 1 more)",
      "Address: town or municipality must have at most 255 characters (and 1 more)",
    ],
    [
      "a new status",
      "/status: a new enrollment can't start in paused; allowed: draft",
      "Status a new enrollment can't start in “Paused”; allowed: “Draft”",
    ],
    ["no identifier", "HH-2026-11-26 is taken", "HH-2026-11-26 is taken"],
    ["no address", "Ask https://example.org/help: it is free.", "Ask https://example.org/help: it is free."],
    ["no word that is none", "This household is enrolled already.", "This household is enrolled already."],
  ])("are said in words: %s", (_, sentence, words) => {
    expect(codesInWords(sentence)).toBe(words);
  });

  it("are those of the registry's own rules", () => {
    const decided = decideMembership({
      before: { status: "exited", exitReason: "Moved" },
      after: { status: "paused", exitReason: "Moved" },
      today: "2026-11-26",
    });
    expect(decided.ok ? [] : decided.problem.errors?.map(({ message }) => codesInWords(message))).toEqual([
      "can't move from “Left the program” to “Paused”; nothing is allowed from “Left the program”",
      "goes with the status “Left the program” only, and this is “Paused”; leave it out, or exit",
    ]);
  });
});
