import { one, type Rule, stay } from "./rules.ts";

const enrolled = { status: "enrolled", enrollmentDate: "2026-01-10" };
const exited = { ...enrolled, status: "exited", exitDate: "2026-02-01", exitReason: "moved" };
const over = { program: { reference: "Program/urn:r|over" } };

export const ofEnrollments: readonly Rule[] = [
  {
    rule: "an enrollment is of those whom the program is for",
    violating: stay({ ...enrolled, beneficiary: { reference: "Group/urn:g|home" } }),
    sound: stay(enrolled),
    faults: ["/beneficiary wrong_target_type"],
    only: "creates",
  },
  {
    rule: "an enrollment begins by tomorrow",
    violating: stay({ status: "enrolled", enrollmentDate: "2026-03-03" }),
    sound: stay({ status: "enrolled", enrollmentDate: "2026-03-02" }),
    faults: ["/enrollmentDate future_date"],
  },
  {
    rule: "an exit comes after the enrollment",
    violating: stay({ ...exited, exitDate: "2026-01-09" }),
    sound: stay(exited),
    before: stay(enrolled),
    faults: ["/exitDate invalid_period"],
    only: "changes",
  },
  {
    rule: "an exit has a reason",
    violating: stay({ ...exited, exitReason: " " }),
    sound: stay(exited),
    before: stay(enrolled),
    faults: ["/exitReason required"],
    only: "changes",
  },
  ...(["draft", "enrolled"] as const).map(
    (status): Rule => ({
      rule: `an enrollment that is ${status} has no exit`,
      violating: stay({ ...exited, status }),
      sound: stay({ status }),
      faults: ["/exitDate not_exited", "/exitReason not_exited"],
    }),
  ),
  {
    rule: "the program of an enrollment never changes",
    violating: stay({ program: { reference: "Program/urn:r|short" } }),
    sound: stay(enrolled),
    before: stay(),
    faults: ["/program immutable"],
    only: "changes",
  },
  {
    rule: "the beneficiary of an enrollment never changes",
    violating: stay({ beneficiary: { reference: "Individual/urn:p|ben" } }),
    sound: stay({ ...enrolled, beneficiary: { reference: "Individual/urn:q|ana" } }),
    before: stay(),
    faults: ["/beneficiary immutable"],
    only: "changes",
  },
  {
    rule: "an enrollment's program and beneficiary are there",
    violating: stay({ program: { reference: "Program/urn:r|none" } }),
    sound: stay(),
    faults: ["/program/reference unknown_reference"],
    only: "creates",
  },
  {
    rule: "an enrollment begins as draft or enrolled",
    violating: stay({ ...enrolled, status: "paused" }),
    sound: stay(enrolled),
    faults: ["/status invalid_transition"],
    only: "creates",
    ofTheMove: true,
  },
  {
    rule: "an enrollment moves as its states allow",
    violating: stay(enrolled),
    sound: stay({ ...exited, exitReason: "died" }),
    before: stay(exited),
    faults: ["/status invalid_transition"],
    only: "changes",
    ofTheMove: true,
  },
  {
    rule: "nobody is enrolled in a program that is over",
    violating: stay({ ...enrolled, ...over, enrollmentDate: "2020-06-01" }),
    sound: stay({ ...over, status: "draft" }),
    faults: ["/program program_ended"],
    before: stay({ ...over, status: "draft" }),
    only: "changes",
    ofTheMove: true,
  },
  {
    rule: "nobody is enrolled after a program's last day",
    violating: stay({
      status: "enrolled",
      enrollmentDate: "2026-03-02",
      program: { reference: "Program/urn:r|short" },
    }),
    sound: stay({
      status: "enrolled",
      enrollmentDate: "2026-03-01",
      program: { reference: "Program/urn:r|short" },
    }),
    faults: ["/enrollmentDate program_ended"],
    ofTheMove: true,
  },
  {
    rule: "nobody archived is enrolled",
    violating: stay({
      ...enrolled,
      identifier: one("urn:m", "gone"),
      beneficiary: { reference: "Individual/urn:p|gone" },
    }),
    sound: stay({ status: "draft" }),
    faults: ["/beneficiary archived"],
    only: "creates",
    ofTheMove: true,
  },
];
