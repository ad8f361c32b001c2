import {
  type FieldError,
  type MembershipStatus,
  membershipTransitions,
  type ProgramMembership,
} from "@fieldroll/core";
import { texts } from "../texts.ts";
import { type DayTyped, type DayValues, dayTyped, dayValues } from "./day-form.ts";
import { lengthFaults } from "./length.ts";
import { dayText } from "./person-text.ts";

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

/** What the days of an enrollment are judged by. Days `YYYY-MM-DD`. */
export interface DaysJudged {
  readonly today: string;
  /** The first day of the program, as far as it is known on this device. */
  readonly firstDay: string | undefined;
}

/** Where the program's first day is not known, days before this year are mistyped. */
const earliestYear = 1990;

/** What is wrong with a form, by field name. What else of days the registry does not take it says itself. */
export function enrollmentFaults(
  record: ProgramMembership,
  { enrolled, left, reason }: EnrollmentValues,
  judged: DaysJudged,
): readonly FieldError[] {
  const { enrolledOn, exitedOn } = texts.enrollment;
  const begun = dayTyped(enrolled);
  // Who was not enrolled yet has no such day.
  const isNone = "is" in begun && begun.is === "empty" && record.enrollmentDate === undefined;
  const faults = isNone
    ? []
    : dayFaults("enrolledDay", begun, { label: enrolledOn, before: record.enrollmentDate, judged });
  if (!asksOfExit(record)) return faults;
  const exit = { label: exitedOn, before: record.exitDate, judged, last: judged.today };
  return [...faults, ...dayFaults("leftDay", dayTyped(left), exit), ...reasonFaults(reason)];
}

interface DayAsked {
  readonly label: string;
  /** The day as it was: whoever took it then, it is not for this form to refuse. */
  readonly before: string | null | undefined;
  readonly judged: DaysJudged;
  /** The last day that may be, if there is one. */
  readonly last?: string;
}

function dayFaults(field: string, typed: DayTyped, asked: DayAsked): readonly FieldError[] {
  const message = "is" in typed ? texts.enrollment.days[typed.is](asked.label) : outOfTime(typed.date, asked);
  return message === undefined ? [] : [{ field, code: "invalid", message }];
}

function outOfTime(day: string, { label, before, judged, last }: DayAsked): string | undefined {
  const { future, beforeProgram, tooEarly } = texts.enrollment.days;
  const { firstDay } = judged;
  if (day === before) return undefined;
  if (last !== undefined && day > last) return future(label);
  if (firstDay !== undefined) return day < firstDay ? beforeProgram(label, dayText(firstDay)) : undefined;
  return Number(day.slice(0, 4)) < earliestYear ? tooEarly(label, earliestYear) : undefined;
}

/** What is wrong with a move to another status. */
export function moveFaults(status: MembershipStatus | "", reason: string): readonly FieldError[] {
  if (!status) return [{ field: "status", code: "required", message: texts.enrollment.missingNext }];
  return status === "exited" ? reasonFaults(reason) : [];
}

function reasonFaults(reason: string): readonly FieldError[] {
  const { missingReason, exitReason } = texts.enrollment;
  if (!reason.trim()) return [{ field: "exitReason", code: "required", message: missingReason }];
  return lengthFaults("exitReason", exitReason, reason);
}

/** Whether no other status can follow: then the enrollment has ended, and only an office opens it again. */
export function endsForGood(status: MembershipStatus): boolean {
  return membershipTransitions[status].length === 0;
}

/**
 * Whether the days of an enrollment can be corrected: the server takes that for as long as it lasts, and after. Of one that has none,
 * only as long as it is not sent, for the server may have refused that.
 */
export function hasDays({
  status,
  enrollmentDate,
}: Pick<ProgramMembership, "status" | "enrollmentDate">): boolean {
  return enrollmentDate !== undefined || asksOfExit({ status });
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
