import { describe, expect, it } from "vitest";
import { plainWords, referencesInText } from "./plain-words.ts";

const rose = "Individual/urn:example:office|o-1";
const nameOf = (reference: string) => (reference === rose ? "Rose Achieng" : undefined);

describe("plainWords", () => {
  it.each([
    [
      "an identity number and a name",
      `Individual/urn:service:national-id|KE-3003 is taken: see ${rose}.`,
      "Identity number KE-3003 is taken: see Rose Achieng.",
    ],
    [
      "nothing of whom nobody knows here",
      "This beneficiary already has an enrollment in the program: see ProgramMembership/urn:service:program-membership|01a2-75db.",
      "This beneficiary already has an enrollment in the program.",
    ],
    [
      "what a nameless record is",
      "Group/urn:x|1, Program/urn:y|2 are archived.",
      "Household, Program are archived.",
    ],
    [
      "what a sign-in may not do",
      "This needs the scope registry:write, which the access token does not have. Ask for a token with it.",
      "This sign-in may not make this change. Ask your office for the right to, then sign in again.",
    ],
    [
      "any other sentence as it is",
      "The list of codes could not be loaded.",
      "The list of codes could not be loaded.",
    ],
  ])("says %s", (_, text, words) => {
    expect(plainWords(text, nameOf)).toBe(words);
  });
});

it("finds what a sentence refers to", () => {
  expect(referencesInText(`${rose} is taken: see ${rose}, or Group/s|a b.`)).toEqual([rose, "Group/s|a"]);
  expect(referencesInText("Nothing here/there|or there.")).toEqual([]);
});
