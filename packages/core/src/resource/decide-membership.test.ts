import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { decideMembership } from "./decide-membership.ts";

const today = "2026-06-15";
const base = {
  type: "ProgramMembership",
  program: { reference: "Program/urn:p|1" },
  beneficiary: { reference: "Individual/urn:i|1" },
};
const record = (members: JsonObject): JsonObject => ({ ...base, ...members });
const decide = (before: JsonObject | null, after: JsonObject) =>
  decideMembership({ before: before && record(before), after: record(after), today });

interface Accepted {
  readonly name: string;
  readonly before: JsonObject | null;
  readonly after: JsonObject;
  readonly value: JsonObject;
}

const accepted: readonly Accepted[] = [
  {
    name: "a pause after a state that is not known here",
    before: { status: "suspended" },
    after: { status: "paused" },
    value: { status: "paused" },
  },
  { name: "a draft without dates", before: null, after: { status: "draft" }, value: { status: "draft" } },
  {
    name: "an enrollment, from today on",
    before: null,
    after: { status: "enrolled" },
    value: { status: "enrolled", enrollmentDate: today },
  },
  {
    name: "an enrollment on a given day",
    before: null,
    after: { status: "enrolled", enrollmentDate: "2026-01-02" },
    value: { status: "enrolled", enrollmentDate: "2026-01-02" },
  },
  {
    name: "a draft that is enrolled today",
    before: { status: "draft" },
    after: { status: "enrolled" },
    value: { status: "enrolled", enrollmentDate: today },
  },
  {
    name: "a pause, which keeps the day of enrollment",
    before: { status: "enrolled", enrollmentDate: "2026-01-02" },
    after: { status: "paused" },
    value: { status: "paused", enrollmentDate: "2026-01-02" },
  },
  {
    name: "a return from a pause, which keeps the day of enrollment",
    before: { status: "paused", enrollmentDate: "2026-01-02" },
    after: { status: "enrolled" },
    value: { status: "enrolled", enrollmentDate: "2026-01-02" },
  },
  {
    name: "an exit today",
    before: { status: "enrolled", enrollmentDate: "2026-01-02" },
    after: { status: "exited", exitReason: "moved away", exitDate: null },
    value: { status: "exited", exitReason: "moved away", enrollmentDate: "2026-01-02", exitDate: today },
  },
  {
    name: "an exit on the day of enrollment",
    before: { status: "enrolled", enrollmentDate: "2026-01-02" },
    after: { status: "exited", exitReason: "error", enrollmentDate: "2026-01-02", exitDate: "2026-01-02" },
    value: { status: "exited", exitReason: "error", enrollmentDate: "2026-01-02", exitDate: "2026-01-02" },
  },
  {
    name: "the same exit again, on the day it had",
    before: { status: "exited", exitReason: "moved", exitDate: "2026-02-01" },
    after: { status: "exited", exitReason: "moved" },
    value: { status: "exited", exitReason: "moved", exitDate: "2026-02-01" },
  },
  {
    name: "a second stay after not_eligible, from today on",
    before: { status: "not_eligible", enrollmentDate: "2025-01-02" },
    after: { status: "enrolled" },
    value: { status: "enrolled", enrollmentDate: today },
  },
  {
    name: "the same enrollment again, without a day that nobody knows",
    before: { status: "enrolled" },
    after: { status: "enrolled" },
    value: { status: "enrolled" },
  },
  {
    name: "an enrollment from tomorrow on, with no exit told",
    before: null,
    after: { status: "enrolled", enrollmentDate: "2026-06-16", exitDate: null, exitReason: null },
    value: { status: "enrolled", enrollmentDate: "2026-06-16", exitDate: null, exitReason: null },
  },
  {
    name: "a pause of an enrollment whose stored day lies ahead",
    before: { status: "enrolled", enrollmentDate: "2027-06-15" },
    after: { status: "paused", enrollmentDate: "2027-06-15" },
    value: { status: "paused", enrollmentDate: "2027-06-15" },
  },
  {
    name: "no reason, as an empty text",
    before: null,
    after: { status: "draft", exitReason: " " },
    value: { status: "draft", exitReason: " " },
  },
];

const refused = [
  {
    name: "an enrollment after tomorrow",
    before: null,
    after: { status: "enrolled", enrollmentDate: "2026-06-17" },
    errors: [{ field: "/enrollmentDate", code: "future_date", message: /tomorrow, 2026-06-16/ }],
  },
  {
    name: "an exit more than a year ahead",
    before: { status: "enrolled" },
    after: { status: "exited", exitReason: "moved", exitDate: "2062-01-01" },
    errors: [{ field: "/exitDate", code: "future_date", message: /a year from today/ }],
  },
  ...["draft", "enrolled"].map((status) => ({
    name: `${status} with an exit`,
    before: null,
    after: { status, exitDate: "2026-08-01", exitReason: "moved" },
    errors: ["/exitDate", "/exitReason"].map((field) => ({
      ...{ field, code: "not_exited", message: new RegExp(`exited only, and this is ${status}`) },
    })),
  })),
  {
    name: "a pause with an exit",
    before: { status: "enrolled" },
    after: { status: "paused", exitDate: "2026-03-01" },
    errors: [{ field: "/exitDate", code: "not_exited", message: /this is paused/ }],
  },
  {
    name: "a creation as paused",
    before: null,
    after: { status: "paused" },
    errors: [{ field: "/status", code: "invalid_transition", message: /paused.*draft, enrolled/ }],
  },
  {
    name: "a return from exited",
    before: { status: "exited" },
    after: { status: "enrolled" },
    errors: [{ field: "/status", code: "invalid_transition", message: /exited to enrolled; nothing/ }],
  },
  {
    name: "a duplicated one that is enrolled",
    before: { status: "duplicated" },
    after: { status: "enrolled" },
    errors: [{ field: "/status", code: "invalid_transition", message: /duplicated to enrolled.*: draft$/ }],
  },
  {
    name: "an exit without a reason",
    before: { status: "enrolled" },
    after: { status: "exited", exitReason: " " },
    errors: [{ field: "/exitReason", code: "required", message: /why/ }],
  },
  {
    name: "an exit before the enrollment",
    before: { status: "enrolled" },
    after: { status: "exited", exitReason: "x", enrollmentDate: "2026-02-01", exitDate: "2026-01-31" },
    errors: [{ field: "/exitDate", code: "invalid_period", message: /2026-02-01/ }],
  },
  {
    name: "another program and beneficiary, and a forbidden move, all at once",
    before: { status: "draft" },
    after: {
      status: "paused",
      program: { reference: "Program/urn:p|2" },
      beneficiary: { reference: "Group/urn:i|1" },
    },
    errors: [
      { field: "/status", code: "invalid_transition", message: /draft to paused/ },
      { field: "/program", code: "immutable", message: /urn:p\|1/ },
      { field: "/beneficiary", code: "immutable", message: /urn:i\|1/ },
    ],
  },
];

describe("decideMembership", () => {
  it.each(accepted)("accepts $name", ({ before, after, value }) => {
    expect(decide(before, after)).toEqual({ ok: true, value: record(value) });
  });

  it.each(refused)("refuses $name", ({ before, after, errors }) => {
    const outcome = decide(before, after);
    expect(outcome).toMatchObject({
      ok: false,
      problem: {
        kind: "validation",
        errors: errors.map(({ field, code, message }) => ({
          field,
          code,
          message: expect.stringMatching(message),
        })),
      },
    });
  });

  it("tells stored references apart that would be the same decoded, and prints them", () => {
    const before = record({ status: "draft", program: { reference: "Program/urn:p|%31" } });
    const decided = decideMembership({ before, after: record({ status: "draft" }), today });
    expect(decided).toMatchObject({
      problem: {
        errors: [{ field: "/program", message: "never changes after create; it is Program/urn:p|%2531" }],
      },
    });
  });

  it("leaves it to the caller which references name one record", () => {
    const after = record({ status: "draft", program: { reference: "Program/urn:other|1" } });
    const change = { before: record({ status: "draft" }), after, today, sameRecord: () => true };
    expect(decideMembership(change).ok).toBe(true);
  });
});

const gone = { status: "exited", enrollmentDate: "2026-05-01", exitDate: "2026-06-01" };
const left = { status: "withdrawn", enrollmentDate: "2026-05-01", exitDate: "2026-06-01" };

describe("decideMembership, where only the faults count that a change brings", () => {
  it.each([
    {
      name: "a day of exit that a state allows which is not known here",
      before: left,
      after: { extension: {} },
    },
    { name: "a missing reason for an exit", before: gone, after: { exitDate: "2026-06-02" } },
    {
      name: "a state that is not known here left for another way",
      before: left,
      after: { status: "paused" },
      faults: ["/exitDate"],
    },
    {
      name: "a reason that is taken away",
      before: { ...gone, exitReason: "died" },
      after: { exitReason: null },
      faults: ["/exitReason"],
    },
    {
      name: "an exit too early, of one too late",
      before: { ...gone, exitDate: "2027-06-16" },
      after: { exitDate: "2026-04-01" },
      faults: ["/exitDate"],
    },
    {
      name: "a forbidden move",
      before: { status: "draft", exitReason: "died" },
      after: { status: "paused" },
      faults: ["/status", "/exitReason"],
    },
  ])("judges $name", ({ before, after, faults = [] }) => {
    const change = { before: record(before), after: record({ ...before, ...after } as JsonObject), today };
    const outcome = decideMembership({ ...change, onlyBrought: true });
    const told = outcome.ok ? [] : (outcome.problem.errors ?? []);
    expect(told.map(({ field }) => field)).toEqual(faults);
    expect(decideMembership(change).ok).toBe(false);
  });
});

describe("decideMembership, of a record from a trusted copy", () => {
  it.each([
    ["a state that no new one has, without days", null, { status: "paused" }, []],
    ["a state that does not follow", { status: "exited" }, { status: "draft" }, []],
    ["an exit without a reason", null, { status: "exited" }, ["/exitReason"]],
    ["a draft with an exit", null, { status: "draft", exitDate: "2026-01-01" }, ["/exitDate"]],
    [
      "an enrollment far ahead",
      null,
      { status: "enrolled", enrollmentDate: "2099-01-01" },
      ["/enrollmentDate"],
    ],
  ] as const)("judges %s", (_, before, after, faults) => {
    const change = { before: before && record(before), after: record(after), today, trusted: true };
    const decided = decideMembership(change);
    expect(decided.ok ? [] : decided.problem.errors?.map(({ field }) => field)).toEqual(faults);
    if (decided.ok) expect(decided.value).toEqual(record(after));
  });
});
