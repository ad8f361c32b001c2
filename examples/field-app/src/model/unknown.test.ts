import { expect, it } from "vitest";
import { valueText } from "./conflict-text.ts";
import { nameLoaded, nameOrKind } from "./unknown.ts";

const reference = "Individual/urn:service:registrant|01a21507-0000-7000-8000-000000000000";

it.each([
  ["Ana Reyes", reference, "Ana Reyes"],
  [undefined, reference, "A person who is not on this device"],
  [undefined, "Group/urn:service:group|HH-1", "A household that is not on this device"],
  [undefined, "Program/urn:service:program|P1", "A program that is not on this device"],
  [undefined, "Farm/1", "A record that is not on this device"],
])("calls %s with %s so that a person can read it", (name, of, words) => {
  expect(nameOrKind(name, of)).toBe(words);
});

it("calls nobody unknown who is still being looked up", () => {
  expect(nameLoaded("loading", undefined, reference)).toBe("Loading…");
  expect(nameLoaded("loading", "Ana", reference)).toBe("Ana");
  expect(nameLoaded("failed", undefined, reference)).toBe("A person who is not on this device");
});

it("shows no reference among the values of a record, whose name is not known", () => {
  const head = { coding: [{ system: "roles", code: "head" }] };
  const member = { entity: { reference }, role: head };
  expect(valueText("/member", [member])).toBe("A person who is not on this device, head");
  expect(valueText("/member/0/entity/reference", reference)).toBe("A person who is not on this device");
  expect(valueText("/member/0/entity", { reference, display: "Ana" })).toBe("Ana");
  expect(valueText("/name/family", "Reyes/Cruz")).toBe("Reyes/Cruz");
});
