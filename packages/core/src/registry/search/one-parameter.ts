import { failure, type Outcome, type Problem, success } from "../../problem.ts";

/** Page size when none is asked for, and the largest one: contract section 4. */
export const pageSize = { default: 20, max: 500 } as const;

/** Reads a page size; shared by searches and feeds. */
export function limitOf(value: string | undefined, name = "limit"): Outcome<number> {
  if (value === undefined) return success(pageSize.default);
  const limit = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (limit >= 1 && limit <= pageSize.max) return success(limit);
  return failure(badParameter(name, `must be a whole number from 1 to ${pageSize.max}`));
}

/** The fault of a list of words where one of them is unknown. */
export function faultOfWords(
  name: string,
  words: readonly string[] | undefined,
  known: readonly string[],
): Problem | undefined {
  if (words?.every((word) => known.includes(word)) ?? true) return undefined;
  return badParameter(name, `must be one of ${known.join(", ")}, or several separated by commas`);
}

/** A `bad-request` about one parameter. */
export function badParameter(name: string, message: string): Problem {
  return {
    kind: "bad-request",
    detail: `The parameter ${name} ${message}.`,
    errors: [{ field: name, code: "invalid_parameter", message }],
  };
}
