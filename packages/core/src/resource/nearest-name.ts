import type * as z from "zod";
import { segmentsOf } from "../json.ts";
import { type FieldError, maxErrors } from "../problem.ts";
import type { SchemaContext } from "./context.ts";
import type { ResourceType } from "./types.ts";

type Definition = z.core.$ZodTypes["_zod"]["def"];

/** Says of each member that is none which one was meant, where one of the schema has nearly its name. */
export function withNearest(errors: readonly FieldError[], schema: z.core.$ZodType): FieldError[] {
  return errors.map((error, i) => (i < maxErrors ? suggested(error, schema) : error));
}

/** As {@link withNearest}, of a record: what is in an extension is looked for among its fields. */
export function nearestInRecord(
  errors: readonly FieldError[],
  { type, schema, context }: { type: ResourceType; schema: z.core.$ZodType; context: SchemaContext },
): FieldError[] {
  return errors.map((error, i) => {
    if (i >= maxErrors) return error;
    const [member, name, ...below] = segmentsOf(error.field);
    const declared = context.extensions?.find((one) => one.name === name && one.appliesTo.includes(type));
    return member === "extension" && declared
      ? suggested(error, declared.schema, below)
      : suggested(error, schema);
  });
}

/** @param path where the error is, below the schema */
function suggested(
  error: FieldError,
  schema: z.core.$ZodType,
  path: readonly string[] = segmentsOf(error.field),
): FieldError {
  if (error.code !== "unknown_field") return error;
  const meant = nearestName(path.at(-1) ?? "", namesAt(schema, path.slice(0, -1)));
  return meant === undefined ? error : { ...error, message: `${error.message}: did you mean "${meant}"?` };
}

/** The names that an object within a schema may have. */
function namesAt(schema: z.core.$ZodType | undefined, path: readonly string[]): readonly string[] {
  const def = schema?._zod.def as Definition | undefined;
  if (!def) return [];
  if ("innerType" in def) return namesAt(def.innerType, path);
  const [first, ...rest] = path;
  if (def.type === "array") return namesAt(def.element, rest);
  if (def.type !== "object") return [];
  if (first === undefined) return Object.keys(def.shape);
  return Object.hasOwn(def.shape, first) ? namesAt(def.shape[first], rest) : [];
}

/** The most letters that may be wrong, missing or too many. */
const mostFaults = 2;

/** The first of the names that is nearest; capitals and marks, as in `birth_date`, do not count. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const wanted = plainly(name);
  const most = Math.min(mostFaults, Math.floor(wanted.length / 3));
  const far = names.map((known) => distance(wanted, plainly(known)));
  const least = Math.min(...far);
  return least <= most ? names[far.indexOf(least)] : undefined;
}

function plainly(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** How many letters must be put in, taken out or replaced to make one word of another (Levenshtein). */
function distance(from: string, to: string): number {
  // What is that much longer or shorter is far, and a name that was sent may be very long.
  if (Math.abs(from.length - to.length) > mostFaults) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + Number(from[i - 1] !== to[j - 1]);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
