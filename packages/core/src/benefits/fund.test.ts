import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDecimals, compareDecimals } from "./decimal.ts";
import { committedOf, type Fund, fundWith, movedFund } from "./fund.ts";
import { checkMove, entitlementMoves, takesFromFund } from "./states.ts";
import { type EntitlementState, entitlementStates, type Money } from "./types.ts";

const pesos = (value: string): Money => ({ value, currency: "PHP" });
const empty: Fund = { total: null, committed: {} };

describe("a fund", () => {
  it.each<[string, Fund, Money, string | null]>([
    ["none at all", empty, pesos("0.01"), "no_fund"],
    ["exactly enough", { total: pesos("1.00"), committed: { PHP: "0.9" } }, pesos("0.1"), null],
    [
      "one unit too little",
      { total: pesos("1.00"), committed: { PHP: "0.9" } },
      pesos("0.100001"),
      "fund_exceeded",
    ],
    [
      "what was overspent by an import",
      { total: pesos("1"), committed: { PHP: "2" } },
      pesos("0.01"),
      "fund_exceeded",
    ],
    [
      "another currency",
      { total: { value: "9", currency: "USD" }, committed: {} },
      pesos("1"),
      "wrong_currency",
    ],
  ])("of %s", (_name, fund, amount, code) => {
    const moved = movedFund(fund, { from: "pending_validation", to: "approved", amount }, { checked: true });
    const codes = moved.ok ? [] : (moved.problem.errors ?? []).map((error) => error.code);
    expect(codes).toEqual(code === null ? [] : [code]);
  });

  it.each([
    [true, /^40\.00 PHP is more than the 30\.50 PHP that remain of the program's fund of 100\.00 PHP\. Have/],
    [false, /^40\.00 PHP is more than what remains of the program's fund\. Have/],
  ])("says what is left and what to do, the former to its readers only: %s", (told, message) => {
    const fund = { total: pesos("100.00"), committed: { PHP: "69.50" } };
    const move = { from: "pending_validation", to: "approved", amount: pesos("40.00") } as const;
    const refused = movedFund(fund, move, { checked: true, told });
    expect(refused.ok ? "" : refused.problem.errors?.[0]?.message).toMatch(message);
    const other = movedFund(
      fund,
      { ...move, amount: { value: "1.00", currency: "USD" } },
      { checked: true, told },
    );
    expect(JSON.stringify(other).includes("fund is in PHP")).toBe(told);
  });

  it.each<[string, Fund, Money, boolean]>([
    ["first", empty, pesos("1"), true],
    ["first, below what an import took", { total: null, committed: { PHP: "5" } }, pesos("1"), true],
    ["higher", { total: pesos("5"), committed: { PHP: "5" } }, pesos("6"), true],
    ["to what is taken", { total: pesos("9"), committed: { PHP: "5.00" } }, pesos("5"), true],
    ["below what is taken", { total: pesos("9"), committed: { PHP: "5.00" } }, pesos("4.99"), false],
    [
      "in another currency, nothing taken",
      { total: pesos("9"), committed: {} },
      { value: "9", currency: "USD" },
      true,
    ],
    [
      "in another currency, some taken",
      { total: pesos("9"), committed: { PHP: "1" } },
      { value: "9", currency: "USD" },
      false,
    ],
  ])("is set %s", (_name, fund, total, allowed) => {
    expect(fundWith(fund, total).ok).toBe(allowed);
  });

  const amount = fc
    .bigInt({ min: 1n, max: 500n })
    .map((units) => pesos(`${units / 100n}.${String(units % 100n).padStart(2, "0")}`));
  const moves = fc.array(fc.tuple(fc.nat(4), fc.constantFrom(...entitlementStates)), { maxLength: 60 });

  it("has always given what those that take from it hold, and never more than it has", () => {
    const total = pesos("10.00");
    fc.assert(
      fc.property(fc.array(amount, { minLength: 5, maxLength: 5 }), moves, (amounts, steps) => {
        const states: EntitlementState[] = amounts.map(() => "pending_validation");
        let fund: Fund = { total, committed: {} };
        for (const [i, to] of steps) {
          const [from, money] = [states[i] ?? "draft", amounts[i] ?? pesos("0")];
          if (!checkMove(entitlementMoves, { what: "entitlement", from, to }).ok) continue;
          const moved = movedFund(fund, { from, to, amount: money }, { checked: true });
          if (!moved.ok) continue;
          fund = moved.value;
          states[i] = to;
        }
        const held = amounts.filter((_, i) => takesFromFund(states[i] ?? "draft"));
        const sum = held.reduce((so, { value }) => addDecimals(so, value), "0.00");
        expect(committedOf(fund, total)).toBe(sum);
        expect(compareDecimals(sum, total.value)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
