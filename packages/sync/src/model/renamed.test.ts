import { describe, expect, it } from "vitest";
import { addEdit, replay } from "./edits.ts";
import { renamed } from "./renamed.ts";

const at = "2026-01-15T08:00:00.000Z";
const names = new Map([["Individual/urn:t|1", "Individual/urn:t|2"]]);
const member = (value: string) => ({ entity: { reference: `Individual/urn:t|${value}` } });

function household(before: readonly string[] | null, after: readonly string[]) {
  const record = (people: readonly string[]) => ({
    type: "Group",
    identifier: [{ system: "urn:t", value: "g" }],
    member: people.map(member),
  });
  const local = record(after);
  const change = {
    type: "Group",
    key: "k",
    before: before && record(before),
    after: local,
    by: "t",
    at,
  } as const;
  return { entry: addEdit(null, change, "e1"), local };
}

describe("renamed", () => {
  it("puts a new reference in terms of what the server calls its record now", () => {
    const { entry, local } = household(null, ["1", "3"]);
    const known = renamed(entry, local, names);
    const expected = { member: [member("2"), member("3")] };
    expect(known.local).toMatchObject(expected);
    expect(known.entry).toMatchObject({
      needs: ["Individual/urn:t|2", "Individual/urn:t|3"],
      edits: [{ patch: expected }],
    });
  });

  it("calls somebody whom base holds as everywhere else, so that nothing is changed by it", () => {
    const { entry, local } = household(["1"], ["1", "3"]);
    const known = renamed(entry, local, names);
    expect(known.entry.base).toMatchObject({ member: [member("2")] });
    expect(known.local).toMatchObject({ member: [member("2"), member("3")] });
  });

  it("knows two who exchanged their numbers, one of whom was taken out, at once", () => {
    const { entry, local } = household(["1", "2"], ["1"]);
    const called = new Map([...names, ["Individual/urn:t|2", "Individual/urn:t|1"]]);
    const known = renamed(entry, local, called);
    expect(known.entry.base).toMatchObject({ member: [member("2"), member("1")] });
    expect(known.local.member).toEqual([member("2")]);
  });

  it.each([
    ["once", "child", ["3", "2"]],
    ["twice, where they say another role", "head", ["3", "2", "2"]],
  ])("lists somebody whom both sides added %s", (_, there, expected) => {
    const role = (code: string) => ({ role: { coding: [{ system: "urn:t:role", code }] } });
    const { entry, local } = household(["3", "2"], ["3", "2", "1"]);
    const [first, second, third] = local.member;
    const member = [{ ...first }, { ...second, ...role(there) }, { ...third, ...role("child") }];
    const base = { ...local, member: member.slice(0, 2) };
    const known = renamed({ ...entry, base }, { ...local, member }, names);
    const listed = known.local.member as typeof member;
    expect(listed.map(({ entity }) => entity?.reference)).toEqual(
      expected.map((value) => `Individual/urn:t|${value}`),
    );
    expect(replay(known.entry)).toMatchObject({ member: listed });
  });

  it("lists somebody once who was listed twice before", () => {
    const { entry, local } = household(["2"], ["2", "2"]);
    expect(renamed(entry, local, new Map()).local.member).toEqual([member("2")]);
  });

  it("adds nothing to a patch that speaks of no reference", () => {
    const enrollment = { program: { reference: "Program/urn:t|p" }, beneficiary: member("1").entity };
    const before = { ...enrollment, beneficiary: member("3").entity };
    const paused = { ...enrollment, status: "paused" };
    const change = { type: "ProgramMembership", key: "k", by: "t", at } as const;
    const first = addEdit(null, { ...change, before, after: enrollment }, "e1");
    const entry = addEdit(first, { ...change, before: enrollment, after: paused }, "e2");
    expect(renamed(entry, paused, names).entry.edits[1]?.patch).toEqual({ status: "paused" });
  });
});
