import * as z from "zod";
import { rule } from "./rule.ts";

/**
 * A whole number. Not `z.int()`: a fault that it finds keeps the rules above it from being asked, and all faults of a body are
 * told at once (contract section 2).
 */
export function wholeNumber({ min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number }) {
  return z
    .number()
    .meta({ type: "integer", minimum: min, maximum: max })
    .check(
      rule((value, report) => {
        if (typeof value !== "number") return;
        if (!Number.isInteger(value)) report([], "invalid_type", "must be a whole number");
        if (value < min) report([], "out_of_range", `must be at least ${min}`);
        if (value > max) report([], "out_of_range", `must be at most ${max}`);
      }),
    );
}
