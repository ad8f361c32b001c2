import { describe, expect, it } from "vitest";
import { isActiveMember, memberCount, nameText, primaryIdentifier, programStatus } from "./derived.ts";

const today = "2026-06-15";

describe("nameText", () => {
  it.each([
    ["its text when it has one", { text: "Ana R.", given: "Ana" }, "Ana R."],
    ["given, middle and family", { family: "Reyes", given: "Ana", middle: "Cruz" }, "Ana Cruz Reyes"],
    ["what there is", { family: "Reyes", text: " " }, "Reyes"],
    ["nothing of prefixes alone", { prefix: "Dr" }, ""],
  ])("is %s", (_name, name, text) => {
    expect(nameText(name)).toBe(text);
  });
});

describe("programStatus", () => {
  it.each([
    ["without an end", {}, "active"],
    ["on its last day", { period: { end: today } }, "active"],
    ["the day after", { period: { end: "2026-06-14" } }, "ended"],
    ["when made inactive", { active: false, period: { end: "2030-01-01" } }, "ended"],
  ])("%s", (_name, program, status) => {
    expect(programStatus(program, today)).toBe(status);
  });
});

describe("members", () => {
  it("are active unless set inactive or past their period", () => {
    const member = [{}, { inactive: false }, { inactive: true }, { period: { end: "2026-06-14" } }];
    expect(member.map((one) => isActiveMember(one, today))).toEqual([true, true, false, false]);
    expect(isActiveMember({ period: { start: "2026-07-01" } }, today)).toBe(true);
    expect(memberCount({ member }, today)).toBe(2);
    expect(memberCount({}, today)).toBe(0);
  });
});

describe("primaryIdentifier", () => {
  it("is the first one, without its period", () => {
    const identifier = [
      { system: "a", value: "1", period: {} },
      { system: "b", value: "2" },
    ];
    expect(primaryIdentifier({ identifier })).toEqual({ system: "a", value: "1" });
    expect(primaryIdentifier({ identifier: [] })).toBeUndefined();
    expect(primaryIdentifier({})).toBeUndefined();
  });
});
