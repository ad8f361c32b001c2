import { describe, expect, it } from "vitest";
import { addressFaults, emptyAddress } from "./address-form.ts";
import { lengthFaults } from "./length.ts";
import { emptyPerson, personFaults } from "./person-form.ts";
import { householdFaults } from "./registration.ts";
import { shortened } from "./shortened.ts";

const long = "x".repeat(256);

describe("a text that is too long", () => {
  it.each([
    ["as long as may be", "x".repeat(255), 0],
    ["with blanks around it, which are not kept", ` ${"x".repeat(255)} `, 0],
    ["of characters beyond the first plane", "𞤀".repeat(255), 0],
    ["one character longer", long, 1],
  ])("is told of, and none is cut: %s", (_, text, faults) => {
    expect(lengthFaults("given", "Given name", text)).toHaveLength(faults);
  });

  it("is told with how many characters there are, and may be", () => {
    expect(lengthFaults("given", "Given name", `${long} `)).toEqual([
      {
        field: "given",
        code: "too_long",
        message: "Given name has 256 characters, and may have at most 255. Shorten it",
      },
    ]);
  });

  it("is told of in every form", () => {
    const address = {
      ...emptyAddress,
      line: long,
      district: long,
      city: long,
      state: long,
      postalCode: long,
    };
    const parts = ["line", "district", "city", "state", "postalCode"];
    const person = { ...emptyPerson, given: long, middle: long, family: long, nationalId: long, address };
    const fields = personFaults({ ...person, birthKind: "unknown" }, "2026-11-21", "p-").map(
      ({ field }) => field,
    );
    expect(fields).toEqual(["given", "middle", "family", "nationalId", ...parts].map((part) => `p-${part}`));
    expect(householdFaults(long, address).map(({ field }) => field)).toEqual(["name", ...parts]);
  });

  it("is none of several lines that are shown as one", () => {
    const line = `${"x".repeat(200)}, ${"y".repeat(200)}`;
    expect(addressFaults({ ...emptyAddress, line }, "")).toEqual([]);
  });
});

describe("a name in a message about something else", () => {
  it.each([
    ["a short one whole", "Ana Reyes", "Ana Reyes"],
    ["one of 40 characters whole", "x".repeat(40), "x".repeat(40)],
    ["the beginning of a long one", "x".repeat(41), `${"x".repeat(40)}…`],
    ["no blank before the sign", `${"x".repeat(39)} y`, `${"x".repeat(39)}…`],
    ["vowels with their letters", "सी".repeat(41), `${"सी".repeat(40)}…`],
  ])("has %s", (_, name, said) => {
    expect(shortened(name)).toBe(said);
  });
});
