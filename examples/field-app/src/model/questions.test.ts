import type { ParkedRecord } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { valueText } from "./conflict-text.ts";
import { chosenSide, decisionOf, questionsOf, withBirthOf } from "./questions.ts";

const about1986 = { birthDate: "1986-01-01", birthDateEstimated: true };
const exact1985 = { birthDate: "1985-05-05", birthDateEstimated: false };
const date = { path: "/birthDate", base: "1980-01-01", ours: "1986-01-01", theirs: "1985-05-05" };
const estimate = { path: "/birthDateEstimated", ours: true, theirs: false };
const family = { path: "/name/family", base: "A", ours: "B", theirs: "C" };

const parked = (conflicts: ParkedRecord["conflicts"], more: Partial<ParkedRecord> = {}) =>
  ({
    base: { birthDate: "1980-01-01" },
    ours: about1986,
    theirs: exact1985,
    conflicts,
    ...more,
  }) as unknown as ParkedRecord;

describe("the questions of a decision", () => {
  it("are one about the date of birth and whether it is an estimate, in words", () => {
    for (const conflicts of [
      [date, family, estimate],
      [date, family],
      [estimate, family],
    ]) {
      const questions = questionsOf(parked(conflicts));
      expect(questions.map(({ path }) => path)).toEqual(["/birthDate", "/name/family"]);
      const { path = "", base, ours, theirs } = questions[0] ?? {};
      expect([base, ours, theirs].map((value) => valueText(path, value))).toEqual([
        "1 January 1980",
        "About 1986 (estimated)",
        "5 May 1985",
      ]);
    }
  });

  it("say of no date of birth that it was not given", () => {
    const [question] = questionsOf(parked([date], { base: null, theirs: { birthDateEstimated: true } }));
    expect([question?.base, question?.theirs].map((value) => valueText("/birthDate", value))).toEqual([
      "Not given",
      "Not given",
    ]);
  });
});

describe("a choice", () => {
  const [question = family] = questionsOf(parked([family]));
  const chosen = { [family.path]: { side: "ours", of: question } } as const;

  it("stays while the three values are the same", () => {
    expect(chosenSide(chosen, { ...question })).toBe("ours");
  });

  it.each(["base", "ours", "theirs"])("counts no longer once %s is another", (copy) => {
    expect(chosenSide(chosen, { ...question, [copy]: "D" })).toBeUndefined();
    expect(chosenSide(chosen, { ...question, [copy]: undefined })).toBeUndefined();
  });
});

describe("a decision", () => {
  const sides = { "/birthDate": "theirs", "/name/family": "ours" } as const;

  it("takes date and estimate from one side, of those that are in conflict", () => {
    expect(decisionOf(parked([date, estimate, family]), sides)).toEqual({
      choices: { "/birthDate": "theirs", "/birthDateEstimated": "theirs", "/name/family": "ours" },
    });
    expect(decisionOf(parked([date]), sides)).toEqual({ choices: { "/birthDate": "theirs" } });
  });

  it.each([
    { of: "ours, whose date it is", dated: exact1985, side: "ours", estimated: "ours", after: undefined },
    { of: "theirs, ours dated it", dated: exact1985, side: "theirs", estimated: "ours", after: exact1985 },
    {
      of: "theirs, whose date it is",
      dated: about1986,
      side: "theirs",
      estimated: "theirs",
      after: undefined,
    },
    { of: "ours, theirs dated it", dated: about1986, side: "ours", estimated: "theirs", after: about1986 },
  ] as const)("mixes no date with another one’s estimate: $of", ({ dated, side, estimated, after }) => {
    const before = { base: { birthDate: dated.birthDate } };
    expect(decisionOf(parked([estimate], before), { "/birthDate": side })).toEqual({
      choices: { "/birthDateEstimated": estimated },
      ...(after && { birthOf: after }),
    });
  });
});

describe("withBirthOf", () => {
  it("gives both, and takes away what is not there", () => {
    expect(withBirthOf(exact1985, { gender: "1", ...about1986 })).toEqual({ gender: "1", ...exact1985 });
    expect(withBirthOf({}, { gender: "1", ...about1986 })).toEqual({ gender: "1" });
  });
});
