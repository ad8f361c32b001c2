import type { z } from "zod";
import { failure, invalid, type Outcome, success } from "../problem.ts";
import { fieldErrors } from "./issues.ts";
import { withNearest } from "./nearest-name.ts";
import { readPlain } from "./plain.ts";

/**
 * Reads a body by its schema. Fails with `validation` and every fault at its JSON pointer, and with `payload-too-large` where it has
 * more values than a body may have.
 */
export function parseInput<T>(schema: z.ZodType<T>, body: unknown): Outcome<T> {
  const plain = readPlain(body);
  if (!plain.ok) return plain;
  const parsed = schema.safeParse(plain.value);
  if (parsed.success) return success(parsed.data);
  return failure(invalid(withNearest(fieldErrors(parsed.error.issues, plain.value), schema)));
}
