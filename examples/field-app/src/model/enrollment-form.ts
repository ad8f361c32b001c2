import type { FieldError, ProgramMembership } from "@fieldroll/core";
import { texts } from "../texts.ts";
import { type DayTyped, type DayValues, dayTyped, dayValues } from "./day-form.ts";

/** What an enrollment says of its time, as a form holds it: every field as typed. */
export interface EnrollmentValues {
  readonly enrolled: DayValues;
  readonly left: DayValues;
  readonly reason: string;
}

/** Fills the form from a record. */
export function enrollmentValues({
  enrollmentDate,
  exitDate,
  exitReason,
}: ProgramMembership): EnrollmentValues {
  return { enrolled: dayValues(enrollmentDate), left: dayValues(exitDate), reason: exitReason ?? "" };
}

/** Whether the form asks when and why somebody left. */
export function asksOfExit({ status }: Pick<ProgramMembership, "status">): boolean {
  return status === "exited";
}

/** What is wrong with a form, by field name. What days the registry takes it says itself. */
export function enrollmentFaults(
  record: ProgramMembership,
  { enrolled, left, reason }: EnrollmentValues,
): readonly FieldError[] {
  const faults: FieldError[] = [];
  const fault = (field: string, message: string) => faults.push({ field, code: "invalid", message });
  const texted = texts.enrollment.days;
  const begun = dayTyped(enrolled);
  // Who was not enrolled yet has no such day.
  const isNone = "is" in begun && begun.is === "empty" && record.enrollmentDate === undefined;
  if ("is" in begun && !isNone) fault("enrolledDay", texted[begun.is](texts.enrollment.enrolledOn));
  if (!asksOfExit(record)) return faults;
  const ended = dayTyped(left);
  if ("is" in ended) fault("leftDay", texted[ended.is](texts.enrollment.exitedOn));
  if (!reason.trim()) fault("exitReason", texts.enrollment.missingReason);
  return faults;
}

/** The record after the form, which must have no faults. */
export function changedEnrollment(
  record: ProgramMembership,
  { enrolled, left, reason }: EnrollmentValues,
): ProgramMembership {
  const [enrollmentDate, exitDate] = [dateOf(dayTyped(enrolled)), dateOf(dayTyped(left))];
  return {
    ...record,
    ...(enrollmentDate !== undefined && { enrollmentDate }),
    ...(asksOfExit(record) && { ...(exitDate !== undefined && { exitDate }), exitReason: reason.trim() }),
  };
}

function dateOf(typed: DayTyped): string | undefined {
  return "date" in typed ? typed.date : undefined;
}
