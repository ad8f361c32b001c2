import type { ParkedRecord } from "@fieldroll/sync";
import { expect, it } from "vitest";
import { questionLabels } from "./question-label.ts";

const person = (value: string) => `Individual/s|${value}`;
const member = (value: string, code: string) => ({
  entity: { reference: person(value) },
  role: { coding: [{ system: "urn:service:vocab:relationship", code }] },
});
const household = (...members: object[]) => ({
  ...{ type: "Group", identifier: [{ system: "s", value: "1" }], groupType: "household", name: "Reyes" },
  active: true,
  member: members,
});
const roleOf = (code: string) => member("", code).role;

it("says which member a question is about, in whatever order the copies have them", () => {
  const parked = {
    type: "Group",
    base: household(member("A", "child"), member("B", "child"), member("C", "head")),
    ours: household(member("A", "spouse"), member("B", "spouse"), member("C", "head")),
    theirs: household(member("C", "head"), member("B", "parent"), member("A", "sibling")),
    conflicts: [
      { path: "/member/1/role", base: roleOf("child"), ours: roleOf("spouse"), theirs: roleOf("parent") },
      { path: "/member/2/role", base: roleOf("child"), ours: roleOf("spouse"), theirs: roleOf("sibling") },
    ],
  } as unknown as ParkedRecord;
  const labels = questionLabels(parked, (reference) => (reference === person("A") ? "Ana Reyes" : undefined));
  expect(labels("/member/1/role")).toBe("Member: role (A person who is not on this device)");
  expect(labels("/member/2/role")).toBe("Member: role (Ana Reyes)");
  expect(labels("/name")).toBe("Name");
});

it("names all members that one choice decides on, such as two who were made the head", () => {
  const heads = { together: ["/member/0", "/member/1"] };
  const parked = {
    type: "Group",
    base: household(member("A", "child"), member("B", "child")),
    ours: household(member("A", "head"), member("B", "child")),
    theirs: household(member("A", "child"), member("B", "head")),
    conflicts: [
      {
        path: "/member/0",
        base: member("A", "child"),
        ours: member("A", "head"),
        theirs: member("A", "child"),
        ...heads,
      },
      {
        path: "/member/1",
        base: member("B", "child"),
        ours: member("B", "child"),
        theirs: member("B", "head"),
        ...heads,
      },
    ],
  } as unknown as ParkedRecord;
  const names: Record<string, string> = { [person("A")]: "Xenia Hless", [person("B")]: "Yolo Hless" };
  expect(questionLabels(parked, (one) => names[one])("/member/0")).toBe("Members (Xenia Hless, Yolo Hless)");
});

it("names nobody where a member was taken away here, whose place is not in the merged record", () => {
  const parked = {
    type: "Group",
    base: household(member("A", "child"), member("B", "child")),
    ours: household(member("B", "child")),
    theirs: household(member("A", "spouse"), member("B", "child")),
    conflicts: [{ path: "/member/1", base: member("A", "child"), theirs: member("A", "spouse") }],
  } as unknown as ParkedRecord;
  expect(questionLabels(parked, () => "Ana Reyes")("/member/1")).toBe("Member");
});
