import { describe, expect, it } from "vitest";
import { texts } from "../texts.ts";
import { adoptText, helpsApart } from "./refused.ts";

const { parked } = texts;

describe("bringing a duplicate together with the registered record", () => {
  it.each([
    ["nothing is added where both say the same", { differs: false, asks: false }, parked.adoptIntro],
    ["what is added", { differs: true, asks: false }, `${parked.adoptIntro} ${parked.adoptAdds}`],
    [
      "that there is a choice",
      { differs: true, asks: true },
      `${parked.adoptIntro} ${parked.adoptAddsAndAsks}`,
    ],
  ])("says no more than comes of it: %s", (_, found, text) => {
    expect(adoptText(found)).toBe(text);
  });
});

describe("what may help where a record is not the registered one", () => {
  const numbered = { identifier: [{ system: "urn:service:national-id", value: "7" }] };
  it.each([
    ["nothing of an enrollment", "ProgramMembership", {}, null],
    [
      "another number of a person who has one",
      "Individual",
      numbered,
      { edit: true, retry: true, first: parked.apartNumber },
    ],
    ["the office of any other", "Individual", {}, { edit: false, retry: true, first: parked.apartOffice }],
    ["the office of a household", "Group", numbered, { edit: false, retry: true, first: parked.apartOffice }],
  ] as const)("is %s", (_, type, ours, helps) => {
    expect(helpsApart({ type, ours: JSON.parse(JSON.stringify(ours)) })).toEqual(helps);
  });
});
