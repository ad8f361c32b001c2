import { expect, it } from "vitest";
import { parseInput } from "../resource/parse-input.ts";
import { amountSchema } from "./money.ts";

function faultsOf(value: unknown, currency: unknown): readonly string[] {
  const parsed = parseInput(amountSchema, { value, currency });
  return parsed.ok ? [] : (parsed.problem.errors ?? []).map(({ field, code }) => `${field} ${code}`);
}

it.each<[string, string, string, readonly string[]]>([
  ["a currency of two decimals", "1200.50", "PHP", []],
  ["fewer decimals than there may be", "5", "USD", []],
  ["three decimals where there are three", "0.001", "KWD", []],
  ["four decimals where there are four", "1.0001", "CLF", []],
  ["the currency of 2025", "1.00", "XCG", []],
  ["a third decimal of a peso", "0.001", "PHP", ["/value invalid_value"]],
  ["a third decimal that is zero", "0.010", "PHP", ["/value invalid_value"]],
  ["a hundredth of a yen", "1.00", "JPY", ["/value invalid_value"]],
  ["a code of three letters that is no currency", "1", "ABC", ["/currency invalid_code"]],
  ["small letters", "1", "php", ["/currency invalid_code"]],
  ["a currency that is no more", "1", "HRK", ["/currency invalid_code"]],
  ["gold", "1", "XAU", ["/currency invalid_code"]],
  ["no currency", "1", "XXX", ["/currency invalid_code"]],
  ["what every object has", "1", "constructor", ["/currency invalid_code"]],
  ["two faults at once", "1,5", "ABC", ["/value invalid_value", "/currency invalid_code"]],
])("an amount of %s: %s %s", (_name, value, currency, faults) => {
  expect(faultsOf(value, currency)).toEqual(faults);
});
