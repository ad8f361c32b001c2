import { describe, expect, it } from "vitest";
import { texts } from "../texts.ts";
import { isInVain, limitText, mayChange, rightsOf } from "./rights.ts";

const all = { seesRecords: true, changesRecords: true, seesPrograms: true, changesPrograms: true };

describe("rightsOf", () => {
  it.each([
    ["unknown scopes", null, all],
    [
      "the scopes of a partner",
      ["registry:read", "program:read", "entitlement:read"],
      { ...all, changesRecords: false, changesPrograms: false },
    ],
    [
      "the scopes of people alone",
      ["registry:read", "registry:write"],
      { ...all, seesPrograms: false, changesPrograms: false },
    ],
    [
      "no scope of the field's",
      ["payment:read"],
      { seesRecords: false, changesRecords: false, seesPrograms: false, changesPrograms: false },
    ],
  ])("reads %s", (_, scopes, rights) => {
    expect(rightsOf(scopes)).toEqual(rights);
  });
});

describe("limitText", () => {
  it.each([
    ["who may do all", all, undefined],
    ["who may read", { ...all, changesRecords: false, changesPrograms: false }, texts.rights.readOnly],
    ["who may enroll alone", { ...all, changesRecords: false }, texts.rights.recordsReadOnly],
    ["who sees nobody", { ...all, seesRecords: false }, texts.rights.unseen],
    ["who does not enroll", { ...all, changesPrograms: false }, undefined],
  ])("is said to one %s", (_, rights, text) => {
    expect(limitText(rights)).toBe(text);
  });
});

describe("what can't be sent", () => {
  const reader = { ...all, changesRecords: false };
  const withoutPrograms = { ...all, changesPrograms: false };
  it.each([
    ["register", reader, true],
    ["register", withoutPrograms, false],
    ["find", reader, false],
    ["sync", reader, false],
  ] as const)("on the screen %s", (screen, rights, inVain) => {
    expect(isInVain({ screen }, rights)).toBe(inVain);
  });

  it.each([
    ["edit-person", reader, true],
    ["household", reader, false],
    ["enroll", reader, false],
    ["enroll", withoutPrograms, true],
    ["enrollment", withoutPrograms, false],
    ["edit-enrollment", reader, false],
    ["edit-enrollment", withoutPrograms, true],
  ] as const)("on the screen %s of a record", (screen, rights, inVain) => {
    expect(isInVain({ screen, reference: "Group/a|1" }, rights)).toBe(inVain);
  });

  it.each([
    ["Group/a|1", reader, false],
    ["Individual/a|1", reader, false],
    ["ProgramMembership/a|1", reader, true],
    ["ProgramMembership/a|1", withoutPrograms, false],
    ["Individual/a|1", withoutPrograms, true],
  ])("of %s", (reference, rights, may) => {
    expect(mayChange(reference, rights)).toBe(may);
  });
});
