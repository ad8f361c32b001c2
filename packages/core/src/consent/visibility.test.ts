import { describe, expect, it } from "vitest";
import {
  hiddenMembers,
  identifiersOnly,
  shownFields,
  sightFrom,
  type Visibility,
  visiblePart,
  wholeVisibility,
  withHidden,
} from "./visibility.ts";

const seeing = (fields: readonly string[], extensions: readonly string[] = []): Visibility => ({
  basis: "active",
  fields: new Set(["type", "identifier", ...fields]),
  extensions: new Set(extensions),
  consents: ["c"],
});

const record = {
  type: "Individual",
  identifier: [{ system: "s", value: "1" }],
  name: { family: "Reyes", given: "Ana" },
  birthDate: "1990-01-01",
  address: [{ city: "Imus", country: "PH" }, { country: "PH" }],
  extension: { farmer: { farmSize: 1 }, disability: { severity: 2 } },
};
const { type, identifier } = record;

describe("visiblePart", () => {
  it.each([
    ["nothing but type and identifier", seeing([]), {}],
    ["a whole field", seeing(["name"]), { name: record.name }],
    ["a member of a field", seeing(["name.family"]), { name: { family: "Reyes" } }],
    ["a member of each item that has it", seeing(["address.city"]), { address: [{ city: "Imus" }] }],
    ["an extension by its name", seeing([], ["farmer"]), { extension: { farmer: { farmSize: 1 } } }],
    ["no field for a member it has not", seeing(["name.prefix"]), {}],
    ["what nothing shows, saying so", identifiersOnly, { _consent: { status: "none" } }],
  ])("holds %s", (_, visibility, rest) => {
    expect(visiblePart(record, visibility)).toEqual({ type, identifier, ...rest });
  });

  it("is the record itself where all of it is seen", () => {
    expect(visiblePart(record, wholeVisibility)).toBe(record);
  });
});

describe("hiddenMembers", () => {
  it.each([
    ["nothing that is seen", { name: {}, type }, seeing(["name"]), []],
    ["a hidden field, also to clear it", { birthDate: null }, seeing(["name"]), ["/birthDate"]],
    [
      "a hidden member of a field",
      { name: { family: "A", given: "B" } },
      seeing(["name.family"]),
      ["/name/given"],
    ],
    ["a field cleared of which a member is seen", { name: null }, seeing(["name.family"]), ["/name"]],
    ["a hidden extension", { extension: { farmer: {}, x: {} } }, seeing([], ["farmer"]), ["/extension/x"]],
    ["all extensions at once", { extension: null }, seeing([], ["farmer"]), ["/extension"]],
  ])("names %s", (_, body, visibility, expected) => {
    expect(hiddenMembers(body, visibility)).toEqual(expected);
  });
});

describe("withHidden", () => {
  it("keeps hidden fields, members and extensions, and nothing that is seen", () => {
    const sent = { type, identifier, name: { family: "Cruz" } };
    expect(withHidden(sent, record, seeing(["name.family", "birthDate"], ["farmer"]))).toEqual({
      type,
      identifier,
      name: { family: "Cruz", given: "Ana" },
      address: record.address,
      extension: { disability: { severity: 2 } },
    });
  });
});

describe("shownFields", () => {
  it.each([
    ["a consent to basic fields", seeing(["name", "active", "meta"])],
    ["parts of a field", seeing(["name.family"], ["farmer"])],
    ["all core fields, and one extension", { ...wholeVisibility, extensions: new Set(["farmer"]) }],
    ["all core fields, and no extension", { ...wholeVisibility, extensions: new Set<string>() }],
    [
      "some fields, and all extensions",
      { ...wholeVisibility, fields: new Set(["type", "identifier", "birthDate"]) },
    ],
  ])("is read back as what it was made of: %s", (_, visibility) => {
    const told = shownFields(visibility) ?? [];
    expect(visiblePart(record, { ...visibility, ...sightFrom(told) })).toEqual(
      visiblePart(record, visibility),
    );
  });

  it("is not told where everything is shown", () => {
    expect(shownFields(wholeVisibility)).toBeUndefined();
  });
});
