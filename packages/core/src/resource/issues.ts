import type { z } from "zod";
import { isJsonObject, type Json, pointer } from "../json.ts";
import type { FieldError } from "../problem.ts";
import { counted, quoted } from "../text.ts";

type Described = Pick<FieldError, "code" | "message">;

/** A fault that a schema found, with its path below the value that was parsed. */
export interface Fault extends Described {
  readonly path: readonly (string | number)[];
}

/** Turns the faults that a schema found into field errors: contract section 8. `body` is what was parsed. */
export function fieldErrors(issues: readonly z.core.$ZodIssue[], body: unknown): FieldError[] {
  return faults(issues, body).map(({ path, code, message }) => ({ field: pointer(path), code, message }));
}

/** Gives the faults that a schema found stable codes and sentences that say what is allowed. */
export function faults(issues: readonly z.core.$ZodIssue[], body: unknown): Fault[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((segment) => (typeof segment === "number" ? segment : String(segment)));
    if (issue.code === "unrecognized_keys") return unknownMembers(path, issue.keys);
    return [{ path, ...described(issue, valueAt(body, path)) }];
  });
}

/** The most unknown members of one object that are named. */
const mostNamed = 10;

/** Says of the members of one object that no schema knows what they are called, the first of them, and how many more there are. */
export function unknownMembers(path: Fault["path"], names: readonly string[]): Fault[] {
  const code = "unknown_field";
  const named = names.slice(0, mostNamed).map((name) => {
    return {
      path: [...path, name],
      code,
      message: `is not a field here; take "${quoted(name)}" away or correct its name`,
    };
  });
  const more = names.length - named.length;
  const rest = {
    path,
    code: "unknown_fields",
    message: `has ${counted(more, "more member that is not a field", "more members that are not fields")}`,
  };
  return more > 0 ? [...named, rest] : named;
}

function described(issue: z.core.$ZodIssue, value: unknown): Described {
  if (issue.code === "custom")
    return { code: String(issue.params?.code ?? "invalid_value"), message: issue.message };
  if (value === undefined) return { code: "required", message: "must be given" };
  switch (issue.code) {
    case "invalid_type":
      return wrongType(issue.expected);
    case "invalid_value":
      return typeof value === typeof issue.values[0]
        ? { code: "invalid_value", message: `must be ${oneOf(issue.values)}` }
        : { code: "invalid_type", message: `must be ${oneOf(issue.values)}` };
    case "too_small":
      return sized(issue.origin, { bound: Number(issue.minimum), low: true, value });
    case "too_big":
      return sized(issue.origin, { bound: Number(issue.maximum), low: false, value });
    default:
      return { code: "invalid_value", message: issue.message };
  }
}

const articles: Readonly<Record<string, string>> = {
  object: "an object",
  record: "an object",
  array: "an array",
  int: "a whole number",
  boolean: "true or false",
};

function wrongType(expected: string): Described {
  return { code: "invalid_type", message: `must be ${articles[expected] ?? `a ${expected}`}` };
}

interface Bound {
  readonly bound: number;
  readonly low: boolean;
  readonly value: unknown;
}

function sized(origin: string, { bound, low, value }: Bound): Described {
  const limit = low ? "least" : "most";
  const size = (one: string, many?: string) => `must have at ${limit} ${counted(bound, one, many)}`;
  if (origin === "string") return { code: low ? "too_short" : "too_long", message: size("character") };
  if (origin === "array") {
    const found = Array.isArray(value) ? `, and has ${value.length}` : "";
    return { code: low ? "too_short" : "too_many", message: `${size("entry", "entries")}${found}` };
  }
  return { code: "out_of_range", message: `must be at ${limit} ${bound}` };
}

function oneOf(values: readonly unknown[]): string {
  const printed = values.map(String);
  return printed.length === 1 ? `${printed[0]}` : `one of ${printed.join(", ")}`;
}

function valueAt(body: unknown, path: readonly (string | number)[]): unknown {
  let value = body as Json | undefined;
  for (const segment of path) {
    if (Array.isArray(value)) value = value[Number(segment)];
    else if (isJsonObject(value) && Object.hasOwn(value, segment)) value = value[segment];
    else return undefined;
  }
  return value;
}
