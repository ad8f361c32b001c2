import { describe, expect, it } from "vitest";
import { fieldLabel, valueText } from "./conflict-text.ts";
import { editedPlaces } from "./edited.ts";

const told = (...patches: Parameters<typeof editedPlaces>[0]) =>
  editedPlaces(patches).map(({ path, value }) => `${fieldLabel(path)}: ${valueText(path, value)}`);

describe("what edits changed", () => {
  it("is told field by field, as it is after the last of them", () => {
    const [first, second] = [
      { name: { family: "Cruz", middle: "B" } },
      { name: { family: "Reyes" }, active: false },
    ];
    expect(told(first, second)).toEqual(["Family name: Reyes", "Middle name: B", "In use: No"]);
  });

  it("is told of what was taken out", () => {
    expect(told({ photo: null, name: { middle: null } })).toEqual([
      "Photo: Not given",
      "Middle name: Not given",
    ]);
  });

  it("is one of a date of birth and whether it is an estimate", () => {
    expect(told({ birthDate: "1986-01-01" }, { birthDateEstimated: true })).toEqual([
      "Date of birth: About 1986 (estimated)",
    ]);
    expect(told({ birthDateEstimated: false })).toEqual(["Date of birth is an estimate: No"]);
    expect(told({ birthDate: null, birthDateEstimated: null })).toEqual(["Date of birth: Not given"]);
  });

  it("is one of a status and the day and reason of leaving", () => {
    expect(told({ status: "exited", exitDate: "2026-01-05", exitReason: "Moved" })).toEqual([
      "Status: Left the program on 5 January 2026: Moved",
    ]);
  });

  it("has a household's name, and lists as they are now", () => {
    expect(told({ name: "Reyes", telecom: [{ system: "phone", value: "1" }], address: [] })).toEqual([
      "Name: Reyes",
      "Phone or email: 1",
      "Address: None",
    ]);
  });
});
