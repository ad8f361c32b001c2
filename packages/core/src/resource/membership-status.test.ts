import { describe, expect, it } from "vitest";
import { membershipStatuses, membershipTransitions, transition } from "./membership-status.ts";

/** The contract's table, written out once more: every pair that is not here is refused. */
const allowed = new Set([
  "null>draft",
  "null>enrolled",
  "draft>enrolled",
  "draft>not_eligible",
  "draft>duplicated",
  "enrolled>paused",
  "enrolled>exited",
  "enrolled>not_eligible",
  "enrolled>duplicated",
  "paused>enrolled",
  "paused>exited",
  "paused>not_eligible",
  "paused>duplicated",
  "not_eligible>draft",
  "not_eligible>enrolled",
  "duplicated>draft",
]);

const pairs = [null, ...membershipStatuses].flatMap((from) => membershipStatuses.map((to) => ({ from, to })));

describe("transition", () => {
  it.each(pairs)("decides $from to $to as the contract has it", ({ from, to }) => {
    expect(transition(from, to).ok).toBe(from === to || allowed.has(`${from}>${to}`));
  });

  it("names the states that are allowed instead", () => {
    expect(transition("duplicated", "enrolled")).toEqual({ ok: false, allowed: ["draft"] });
    expect(transition("exited", "enrolled")).toEqual({ ok: false, allowed: [] });
    expect(transition(null, "paused")).toEqual({ ok: false, allowed: ["draft", "enrolled"] });
  });

  it("knows every state", () => {
    expect(Object.keys(membershipTransitions).sort()).toEqual([...membershipStatuses].sort());
  });
});
