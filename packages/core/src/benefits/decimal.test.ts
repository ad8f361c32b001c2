import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDecimals, compareDecimals, isDecimal, subtractDecimals } from "./decimal.ts";

describe("decimals", () => {
  it.each([
    ["cents that floats can't add", "0.10", "0.20", "0.30"],
    ["nothing", "0", "0", "0"],
    ["different numbers of digits", "5000", "0.125", "5000.125"],
    ["a carry over the point", "9.99", "0.01", "10.00"],
    ["more digits than a float holds", "999999999999999999.999999", "0.000001", "1000000000000000000.000000"],
  ])("add %s", (_name, a, b, sum) => {
    expect(addDecimals(a, b)).toBe(sum);
    expect(addDecimals(b, a)).toBe(sum);
  });

  it.each([
    ["to nothing", "5000.00", "5000", "0.00"],
    ["below zero", "1.00", "1.01", "-0.01"],
    ["from what is below zero already", "-1.50", "0.5", "-2.00"],
    ["over the point", "10.00", "0.01", "9.99"],
  ])("subtract %s", (_name, a, b, rest) => {
    expect(subtractDecimals(a, b)).toBe(rest);
  });

  it.each([
    ["equal, written differently", "1.50", "1.5", 0],
    ["one unit less", "9007199254740992.00", "9007199254740992.01", -1],
    ["not in the order of text", "10", "9", 1],
    ["below zero", "-1", "0", -1],
  ])("compare %s", (_name, a, b, order) => {
    expect(compareDecimals(a, b)).toBe(order);
  });

  it.each(["0", "0.01", "5000.00", "999999999999999999"])("%s is one", (text) => {
    expect(isDecimal(text)).toBe(true);
  });

  it.each([
    "",
    "-1",
    "+1",
    "01",
    "1.",
    ".5",
    "1e3",
    "1,5",
    " 1",
    "1.1234567",
    "1000000000000000000",
    "NaN",
    "１",
  ])("%j is none", (text) => {
    expect(isDecimal(text)).toBe(false);
  });

  const cents = fc.bigInt({ min: 0n, max: 10n ** 17n });
  const decimal = cents.map((units) => `${units / 100n}.${String(units % 100n).padStart(2, "0")}`);
  it("leave what was there when what was added is taken away", () => {
    fc.assert(fc.property(decimal, decimal, (a, b) => subtractDecimals(addDecimals(a, b), b) === a));
  });
});
