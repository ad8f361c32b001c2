import { expect, it } from "vitest";
import { ownChanges } from "./own-changes.ts";

const member = (value: string, code: string) => ({
  entity: { reference: `Individual/s|${value}` },
  role: { coding: [{ system: "urn:service:vocab:relationship", code }] },
});
const household = { type: "Group", identifier: [{ system: "s", value: "1" }], groupType: "household" };

it("tells what was changed here, of a list only what is not the same in both", () => {
  const base = {
    ...household,
    name: "Reyes",
    active: true,
    member: [member("A", "head"), member("B", "child")],
  };
  const ours = {
    ...base,
    name: "Reyes-Cruz",
    member: [member("A", "head"), member("B", "spouse"), member("C", "child")],
  };
  expect(ownChanges("Group", base, ours)).toEqual([
    { path: "/name", base: "Reyes", ours: "Reyes-Cruz" },
    { path: "/member", base: [member("B", "child")], ours: [member("B", "spouse"), member("C", "child")] },
  ]);
});
