import type { ParkedRecord } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { valueText } from "./conflict-text.ts";
import { choicesOf, chosenSide, questionsOf, shownPlaces, type Versions } from "./questions.ts";
import { differences } from "./record-title.ts";

const about1986 = { birthDate: "1986-01-01", birthDateEstimated: true };
const exact1985 = { birthDate: "1985-05-05", birthDateEstimated: false };
const birth = { together: ["/birthDate", "/birthDateEstimated"] };
const date = { path: "/birthDate", base: "1980-01-01", ours: "1986-01-01", theirs: "1985-05-05", ...birth };
const estimate = { path: "/birthDateEstimated", ours: true, theirs: false, ...birth };
const exit = { together: ["/status", "/exitDate", "/exitReason"] };
const status = { path: "/status", base: "enrolled", ours: "paused", theirs: "exited", ...exit };
const day = { path: "/exitDate", theirs: "2026-01-05", ...exit };
const reason = { path: "/exitReason", theirs: "Moved", ...exit };
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

  it("are one about a number that both corrected, with what it was", () => {
    const number = (value: string, system = "urn:a") => ({ system, value });
    const both = { together: ["/identifier/2", "/identifier/1"] };
    const conflicts = [
      { path: "/identifier/2", theirs: number("3"), ...both },
      { path: "/identifier/1", ours: number("2"), ...both },
    ];
    const copies = ["1", "2", "3"].map((value) => ({
      identifier: [number("7", "urn:b"), number("8"), number(value)],
    }));
    const [base, ours, theirs] = copies;
    const questions = questionsOf(parked(conflicts, { base, ours, theirs } as Partial<ParkedRecord>));
    expect(questions).toEqual([
      { path: "/identifier/2", base: [number("1")], ours: [number("2")], theirs: [number("3")] },
    ]);
  });

  it("say of no date of birth that it was not given", () => {
    const [question] = questionsOf(parked([date], { base: null, theirs: { birthDateEstimated: true } }));
    expect([question?.base, question?.theirs].map((value) => valueText("/birthDate", value))).toEqual([
      "Not given",
      "Not given",
    ]);
  });
});

describe("the question about an exit", () => {
  const copies = {
    base: { status: "enrolled" },
    ours: { status: "paused" },
    theirs: { status: "exited", exitDate: "2026-01-05", exitReason: "Moved" },
  } as const;
  const words = ({ path, base, ours, theirs }: Versions) =>
    [base, ours, theirs].map((value) => valueText(path, value));

  it("is one, of the status with its day and reason, in words", () => {
    const questions = questionsOf(parked([reason, family, status, day], copies));
    expect(questions.map(({ path }) => path)).toEqual(["/status", "/name/family"]);
    expect(questions.slice(0, 1).map(words)).toEqual([
      ["Enrolled", "Paused", "Left the program on 5 January 2026: Moved"],
    ]);
  });

  it("says all of it where only the reason differs", () => {
    const elsewhere = { ...copies.theirs, exitReason: "Died" };
    const conflict = { path: "/exitReason", ours: "Died", theirs: "Moved", ...exit };
    const questions = questionsOf(parked([conflict], { ...copies, ours: elsewhere }));
    expect(questions.map(words)).toEqual([
      ["Enrolled", "Left the program on 5 January 2026: Died", "Left the program on 5 January 2026: Moved"],
    ]);
  });

  it("is one place where two records are compared", () => {
    const { ours, theirs } = copies;
    const places = shownPlaces(differences("ProgramMembership", ours, theirs), { ours, theirs });
    expect(places.map(({ path }) => path)).toEqual(["/status"]);
  });
});

describe("the question about two heads", () => {
  it("is one, of both members", () => {
    const member = (name: string, role: string) => ({
      entity: { reference: name },
      role: { coding: [{ code: role }] },
    });
    const heads = { together: ["/member/2", "/member/0"] };
    const conflicts = [
      { path: "/member/0", ours: member("Ana", "head"), theirs: member("Ana", "child"), ...heads },
      { path: "/member/2", ours: member("Ben", "child"), theirs: member("Ben", "head"), ...heads },
    ];
    const questions = questionsOf(parked(conflicts));
    const text = (path: string, value: unknown) => valueText(path, value, (reference) => reference);
    expect(questions.map(({ path, ours, theirs }) => [path, text(path, ours), text(path, theirs)])).toEqual([
      ["/member/2", "Ana, head; Ben, child", "Ana, child; Ben, head"],
    ]);
    expect(choicesOf({ conflicts }, { "/member/2": "theirs" })).toEqual({
      "/member/0": "theirs",
      "/member/2": "theirs",
    });
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
  it("takes all that is decided together from one side", () => {
    const sides = { "/birthDate": "theirs", "/name/family": "ours" } as const;
    expect(choicesOf(parked([date, estimate, family]), sides)).toEqual({
      "/birthDate": "theirs",
      "/birthDateEstimated": "theirs",
      "/name/family": "ours",
    });
    expect(choicesOf(parked([estimate]), sides)).toEqual({ "/birthDateEstimated": "theirs" });
    expect(choicesOf(parked([status, day, reason]), { "/status": "theirs" })).toEqual({
      "/status": "theirs",
      "/exitDate": "theirs",
      "/exitReason": "theirs",
    });
  });
});
