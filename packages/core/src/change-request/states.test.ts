import { describe, expect, it } from "vitest";
import { checkMove } from "../benefits/states.ts";
import { changeRequestMoves } from "./states.ts";
import { changeRequestStates } from "./types.ts";

const allowed = [
  "draft pending",
  "pending approved",
  "pending rejected",
  "pending revision",
  "revision draft",
  "approved applied",
];

describe("a change request", () => {
  const pairs = changeRequestStates.flatMap((from) => changeRequestStates.map((to) => [from, to] as const));
  it.each(pairs)("from %s to %s moves only where the table says so", (from, to) => {
    const moved = checkMove(changeRequestMoves, { what: "change request", from, to });
    expect(moved.ok).toBe(allowed.includes(`${from} ${to}`));
  });
});
