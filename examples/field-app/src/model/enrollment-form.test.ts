import { membershipStatuses, type ProgramMembership } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { texts } from "../texts.ts";
import { dayTyped, dayValues } from "./day-form.ts";
import {
  changedEnrollment,
  type EnrollmentValues,
  endsForGood,
  enrollmentFaults,
  enrollmentValues,
  hasDays,
  moveFaults,
} from "./enrollment-form.ts";

const enrolled = { status: "enrolled", enrollmentDate: "2026-03-07" } as ProgramMembership;
const exited = { ...enrolled, status: "exited", exitDate: "2026-05-01", exitReason: "Moved" } as const;
const judged = { today: "2026-11-26", firstDay: "2026-01-15" };
const day = (year: string, month = "3", date = "7") => ({ day: date, month, year });

describe("a day", () => {
  it.each([
    [day("2026"), { date: "2026-03-07" }],
    [day(" 2026 ", "12", "31"), { date: "2026-12-31" }],
    [day("٢٠٢٦", "३", "۷"), { date: "2026-03-07" }],
    [day("2026", "2", "29"), { is: "unreal" }],
    [day("20266"), { is: "unreal" }],
    [day("2026", "x"), { is: "unreal" }],
    [day("2026", ""), { is: "incomplete" }],
    [day("", "", " "), { is: "empty" }],
  ])("of %j is %j", (typed, is) => {
    expect(dayTyped(typed)).toEqual(is);
  });

  it("is filled in as it is written by hand", () => {
    expect(dayValues("2026-03-07")).toEqual(day("2026"));
    expect(dayValues(null)).toEqual(day("", "", ""));
  });
});

describe("the form of an enrollment's days", () => {
  it("changes nothing where nothing was typed", () => {
    for (const record of [enrolled, exited]) {
      expect(enrollmentFaults(record, enrollmentValues(record), judged)).toEqual([]);
      expect(changedEnrollment(record, enrollmentValues(record))).toEqual(record);
    }
  });

  it("changes the days, and the reason for leaving", () => {
    const values = { enrolled: day("2025"), left: day("2026", "4"), reason: " Died " };
    expect(changedEnrollment(exited, values)).toEqual({
      ...exited,
      enrollmentDate: "2025-03-07",
      exitDate: "2026-04-07",
      exitReason: "Died",
    });
    expect(changedEnrollment(enrolled, values)).toEqual({ ...enrolled, enrollmentDate: "2025-03-07" });
  });

  it("wants whole days, and those of an exit of who has left only", () => {
    const values = { enrolled: day("", "", ""), left: day("2026", "13"), reason: " " };
    expect(enrollmentFaults(exited, values, judged).map(({ field, message }) => [field, message])).toEqual([
      ["enrolledDay", "Enrolled on: enter the day"],
      ["leftDay", "Left on: this must be a real date"],
      ["exitReason", "Enter the reason for leaving"],
    ]);
    expect(enrollmentFaults(enrolled, values, judged).map(({ field }) => field)).toEqual(["enrolledDay"]);
    const draft = { status: "draft" } as ProgramMembership;
    expect(enrollmentFaults(draft, values, judged)).toEqual([]);
    expect(changedEnrollment(draft, values)).toEqual(draft);
  });

  it.each<readonly [string, Partial<EnrollmentValues>, string | undefined, readonly string[]]>([
    ["a day of the program", { enrolled: day("2026", "1", "15") }, "2026-01-15", []],
    [
      "a day before the program",
      { enrolled: day("2026", "1", "14"), left: day("1800") },
      "2026-01-15",
      [
        "Enrolled on: this must not be before 15 January 2026, the first day of the program",
        "Left on: this must not be before 15 January 2026, the first day of the program",
      ],
    ],
    ["an old day of a program that is old", { enrolled: day("1985") }, "1980-01-01", []],
    ["a day of a program that is not known", { enrolled: day("1990", "1", "1") }, undefined, []],
    [
      "an old day where the program is not known",
      { enrolled: day("1989", "12", "31") },
      undefined,
      ["Enrolled on: the year must be 1990 or later"],
    ],
    ["leaving today", { left: day("2026", "11", "26") }, undefined, []],
    [
      "leaving tomorrow",
      { left: day("2026", "11", "27") },
      undefined,
      ["Left on: this must not be in the future"],
    ],
    ["an enrollment that begins tomorrow", { enrolled: day("2026", "11", "27") }, undefined, []],
    [
      "too long a reason",
      { reason: "x".repeat(300) },
      undefined,
      ["Reason for leaving has 300 characters, and may have at most 255. Shorten it"],
    ],
  ])("judges %s", (_, change, firstDay, messages) => {
    const faults = enrollmentFaults(
      exited,
      { ...enrollmentValues(exited), ...change },
      { ...judged, firstDay },
    );
    expect(faults.map(({ message }) => message)).toEqual(messages);
  });

  it("leaves days as they were, whoever took them", () => {
    const odd = { ...exited, enrollmentDate: "1800-01-01", exitDate: "2027-01-01" };
    const values = { ...enrollmentValues(odd), reason: "Died" };
    expect(enrollmentFaults(odd, values, judged)).toEqual([]);
  });

  it("is offered of who is or was enrolled", () => {
    expect(
      [enrolled, exited, { status: "exited" }, { status: "draft" }].map((each) =>
        hasDays(each as ProgramMembership),
      ),
    ).toEqual([true, true, true, false]);
  });
});

describe("the form of an enrollment's status", () => {
  it.each([
    ["", "", [texts.enrollment.missingNext]],
    ["paused", "", []],
    ["exited", " ", [texts.enrollment.missingReason]],
    ["exited", "Moved", []],
    ["exited", "x".repeat(256), [texts.faults.tooLong("Reason for leaving", 256, 255)]],
  ] as const)("moved to “%s” for “%s” has the faults %j", (status, reason, messages) => {
    expect(moveFaults(status, reason).map(({ message }) => message)).toEqual(messages);
  });

  it("knows the one status that ends an enrollment", () => {
    expect(membershipStatuses.filter(endsForGood)).toEqual(["exited"]);
  });
});
