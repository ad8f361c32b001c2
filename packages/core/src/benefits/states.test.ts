import { describe, expect, it } from "vitest";
import { checkMove, cycleMoves, entitlementMoves, takesFromFund } from "./states.ts";
import { cycleStates, entitlementStates } from "./types.ts";

const cycles = [
  "draft to_approve",
  "draft cancelled",
  "to_approve approved",
  "to_approve cancelled",
  "approved distributed",
  "distributed ended",
];

const entitlements = [
  "draft pending_validation",
  "draft cancelled",
  "pending_validation approved",
  "pending_validation rejected",
  "pending_validation cancelled",
  "pending_validation expired",
  "pending_validation draft",
  "approved transferred",
  "approved redeemed",
  "approved cancelled",
  "approved expired",
  "transferred redeemed",
  "transferred expired",
];

describe("a cycle", () => {
  const pairs = cycleStates.flatMap((from) => cycleStates.map((to) => [from, to] as const));
  it.each(pairs)("from %s to %s moves only where the table says so", (from, to) => {
    expect(checkMove(cycleMoves, { what: "cycle", from, to }).ok).toBe(cycles.includes(`${from} ${to}`));
  });
});

describe("an entitlement", () => {
  const pairs = entitlementStates.flatMap((from) => entitlementStates.map((to) => [from, to] as const));
  it.each(pairs)("from %s to %s moves only where the table says so", (from, to) => {
    const moved = checkMove(entitlementMoves, { what: "entitlement", from, to });
    expect(moved.ok).toBe(entitlements.includes(`${from} ${to}`));
  });

  it("is approved only from pending_validation", () => {
    expect(entitlementStates.filter((from) => entitlementMoves[from].includes("approved"))).toEqual([
      "pending_validation",
    ]);
  });

  it("takes from the fund while it is approved, transferred or redeemed", () => {
    expect(entitlementStates.filter(takesFromFund)).toEqual(["approved", "transferred", "redeemed"]);
  });

  it("is told where it may go instead", () => {
    const moved = checkMove(entitlementMoves, { what: "entitlement", from: "transferred", to: "approved" });
    expect(moved).toMatchObject({
      ok: false,
      problem: {
        kind: "invalid-state",
        detail:
          "The entitlement is transferred and can't become approved; from there it may become redeemed, expired.",
      },
    });
  });

  it("is told that it is there already", () => {
    const moved = checkMove(entitlementMoves, { what: "entitlement", from: "approved", to: "approved" });
    expect(moved).toMatchObject({
      problem: {
        detail:
          "The entitlement is approved already; from there it may become transferred, redeemed, cancelled, expired.",
      },
    });
  });
});
