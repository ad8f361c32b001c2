import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { type FieldError, failure, invalid, type Outcome, success } from "../problem.ts";
import { faultsBrought } from "./brought.ts";
import { futureStart } from "./dates.ts";
import { type MembershipStatus, membershipStatuses, transition } from "./membership-status.ts";
import { printRaw, type StoredReference } from "./reference.ts";

/** A change of an enrollment, as far as the rules need it. */
export interface MembershipChange {
  /** The record before, in stored form; `null` when it is being created. */
  readonly before: JsonObject | null;
  /** The validated record as it should become, in stored form. */
  readonly after: JsonObject;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** Whether two references name one record. Default: by identifier; a registry also knows a record's other ones. */
  readonly sameRecord?: (a: StoredReference, b: StoredReference) => boolean;
  /** Whether faults that it had before, and that the change leaves as they are, are none. */
  readonly onlyBrought?: boolean;
  /**
   * Whether the record comes from a trusted copy of a register: it says how the enrollment stands, not what is done today. The moves
   * between states, and the dates that they give, do not count then.
   */
  readonly trusted?: boolean;
}

/**
 * Completes and judges a change of an enrollment: contract section 2, "ProgramMembership.status". The value is
 * `after` with its dates filled in. Fails with `validation` and every rule that is broken.
 */
export function decideMembership(change: MembershipChange): Outcome<JsonObject> {
  const { before, today, onlyBrought, trusted } = change;
  const record = trusted ? change.after : withDates(change);
  const moves = trusted ? [] : moveFaults(change);
  const faults = [
    ...moves,
    ...fixedFaults(change),
    ...dateFaults(record, today),
    ...startFaults(before, record, today),
  ];
  const errors =
    before && onlyBrought
      ? faultsBrought(
          "ProgramMembership",
          { record: before, faults: dateFaults(before, today) },
          { record, faults },
        )
      : faults;
  return errors.length > 0 ? failure(invalid(errors)) : success(record);
}

function withDates({ before, after, today }: MembershipChange): JsonObject {
  const record = before ? withKeptDates(before, after) : after;
  const status = statusOf(after);
  if (before && statusOf(before) === status) return record;
  return {
    ...record,
    ...(status === "enrolled" && { enrollmentDate: record.enrollmentDate ?? today }),
    ...(status === "exited" && { exitDate: record.exitDate ?? today }),
  };
}

/**
 * An enrollment with the days that its registry keeps of it where a change says none: the one it began on stays known while it lasts,
 * and after, and the one of its exit while it is exited. Entering `enrolled` anew begins another day.
 */
export function withKeptDates(before: JsonObject, after: JsonObject): JsonObject {
  const [then, now] = [statusOf(before), statusOf(after)];
  const lasts = begun.has(then) && begun.has(now);
  const isOut = then === "exited" && now === "exited";
  const enrollmentDate = after.enrollmentDate ?? (lasts ? before.enrollmentDate : undefined);
  const exitDate = after.exitDate ?? (isOut ? before.exitDate : undefined);
  return {
    ...after,
    ...(enrollmentDate !== undefined && { enrollmentDate }),
    ...(exitDate !== undefined && { exitDate }),
  };
}

const begun: ReadonlySet<MembershipStatus | null> = new Set(["enrolled", "paused", "exited"] as const);

function moveFaults({ before, after }: MembershipChange): FieldError[] {
  const [from, to] = [before && statusOf(before), statusOf(after)];
  // From a state that is not known here, where one leads is for the server to say.
  if (!to || (before && !from)) return [];
  const move = transition(from, to);
  if (move.ok) return [];
  const allowed = move.allowed.join(", ");
  const message = from
    ? `can't move from ${from} to ${to}; ${allowed ? `allowed from ${from}: ${allowed}` : `nothing is allowed from ${from}`}`
    : `a new enrollment can't start in ${to}; allowed: ${allowed}`;
  return [{ field: "/status", code: "invalid_transition", message }];
}

function fixedFaults({ before, after, sameRecord }: MembershipChange): FieldError[] {
  if (!before) return [];
  return ["program", "beneficiary"].flatMap((name) => {
    const [then, now] = [referenceOf(before[name]), referenceOf(after[name])];
    if (then === undefined || now === undefined || then === now || sameRecord?.(then, now)) return [];
    return [
      {
        field: `/${name}`,
        code: "immutable",
        message: `never changes after create; it is ${printRaw(then)}`,
      },
    ];
  });
}

function dateFaults(record: JsonObject, today: string): FieldError[] {
  const errors: FieldError[] = [];
  const report = (field: string, code: string, message: string) => errors.push({ field, code, message });
  const { enrollmentDate, exitDate, exitReason } = record;
  const exited = statusOf(record) === "exited";
  const reason = typeof exitReason === "string" && exitReason.trim() !== "";
  if (exited && !reason) report("/exitReason", "required", "must say why when the status is exited");
  for (const [name, given] of [
    ["exitDate", typeof exitDate === "string"],
    ["exitReason", reason],
  ] as const) {
    if (given && !exited) report(`/${name}`, "not_exited", notExited(record));
  }
  if (typeof exitDate === "string" && typeof enrollmentDate === "string" && exitDate < enrollmentDate) {
    const message = `must not be before the enrollment date, ${enrollmentDate}; it is ${exitDate}`;
    report("/exitDate", "invalid_period", message);
  }
  // As texts, also from a 29 February on.
  const last = `${Number(today.slice(0, 4)) + 1}${today.slice(4)}`;
  if (String(exitDate ?? "") > last) {
    report("/exitDate", "future_date", `must be at most a year from today, ${today}`);
  }
  return errors;
}

/** A day that was stored before stays as it is. */
function startFaults(before: JsonObject | null, { enrollmentDate }: JsonObject, today: string): FieldError[] {
  if (typeof enrollmentDate !== "string" || enrollmentDate === before?.enrollmentDate) return [];
  const message = futureStart(enrollmentDate, today);
  return message === undefined ? [] : [{ field: "/enrollmentDate", code: "future_date", message }];
}

function notExited({ status }: JsonObject): string {
  return `goes with the status exited only, and this is ${String(status)}; leave it out, or exit`;
}

function statusOf(record: JsonObject): MembershipStatus | null {
  return membershipStatuses.find((status) => status === record.status) ?? null;
}

function referenceOf(value: Json | undefined): StoredReference | undefined {
  return isJsonObject(value) && typeof value.reference === "string"
    ? (value.reference as StoredReference)
    : undefined;
}
