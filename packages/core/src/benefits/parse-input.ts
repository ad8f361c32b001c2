import type { z } from "zod";
import { failure, invalid, type Outcome, success } from "../problem.ts";
import { fieldErrors } from "../resource/issues.ts";
import { withNearest } from "../resource/nearest-name.ts";
import { readPlain } from "../resource/plain.ts";

/** Reads a body by its schema; fails with `validation` and every fault at its JSON pointer. */
export function parseInput<T>(schema: z.ZodType<T>, body: unknown): Outcome<T> {
  const { value, errors } = readPlain(body);
  if (errors.length > 0) return failure(invalid(errors));
  const parsed = schema.safeParse(value);
  if (parsed.success) return success(parsed.data);
  return failure(invalid(withNearest(fieldErrors(parsed.error.issues, value), schema)));
}
