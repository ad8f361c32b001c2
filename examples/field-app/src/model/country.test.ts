import { describe, expect, it } from "vitest";
import { countryChoices, countryName } from "./country.ts";
import { addressLines } from "./person-text.ts";

describe("countries", () => {
  it.each([
    ["NP", "Nepal"],
    ["PH", "Philippines"],
    ["QQ", "QQ"],
    ["Nepal", "Nepal"],
  ])("calls %s “%s”", (code, name) => {
    expect(countryName(code)).toBe(name);
  });

  it("are chosen by name, with the code as the value and nothing first", () => {
    const [none, first] = countryChoices("");
    expect([none?.value, first]).toEqual(["", { value: "AF", text: "Afghanistan" }]);
    expect(countryChoices("PH")).toContainEqual({ value: "PH", text: "Philippines" });
  });

  it("keep a code that is no country as a choice", () => {
    expect(countryChoices("QQ")).toContainEqual({ value: "QQ", text: "QQ" });
  });

  it("are named in addresses", () => {
    expect(addressLines({ city: "Imus", country: "PH" })).toEqual(["Imus", "Philippines"]);
  });
});
