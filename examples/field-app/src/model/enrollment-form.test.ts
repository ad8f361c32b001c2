import type { ProgramMembership } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { dayTyped, dayValues } from "./day-form.ts";
import { changedEnrollment, enrollmentFaults, enrollmentValues } from "./enrollment-form.ts";

const enrolled = { status: "enrolled", enrollmentDate: "2026-03-07" } as ProgramMembership;
const exited = { ...enrolled, status: "exited", exitDate: "2026-05-01", exitReason: "Moved" } as const;
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
      expect(enrollmentFaults(record, enrollmentValues(record))).toEqual([]);
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
    expect(enrollmentFaults(exited, values).map(({ field, message }) => [field, message])).toEqual([
      ["enrolledDay", "Enrolled on: enter the day"],
      ["leftDay", "Left on: this must be a real date"],
      ["exitReason", "Enter the reason for leaving"],
    ]);
    expect(enrollmentFaults(enrolled, values).map(({ field }) => field)).toEqual(["enrolledDay"]);
    const draft = { status: "draft" } as ProgramMembership;
    expect(enrollmentFaults(draft, values)).toEqual([]);
    expect(changedEnrollment(draft, values)).toEqual(draft);
  });
});
