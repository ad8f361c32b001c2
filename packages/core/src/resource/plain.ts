import { type Json, pointer } from "../json.ts";
import type { FieldError } from "../problem.ts";

/** The deepest nesting a body may have: contract section 8. */
export const maxDepth = 32;

const forbiddenNames: ReadonlySet<string> = new Set(["__proto__", "constructor"]);
// With the u flag, surrogates that form a pair are one character of another category.
const unstorable = /[\0\p{Cs}]/u;

/**
 * Reads a body as plain JSON: a copy with members that are `undefined` left out. Refused are nesting deeper than
 * {@link maxDepth}, members named `__proto__` or `constructor`, strings with U+0000 or lone surrogates, and whatever
 * JSON can't hold.
 */
export function readPlain(body: unknown): { readonly value: Json; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  return { value: copy(body, { path: null, depth: 1, errors }), errors };
}

interface Place {
  /** The way here, last segment first: a pointer is only written out for a fault. */
  readonly path: Path;
  readonly depth: number;
  readonly errors: FieldError[];
}

type Path = { readonly segment: string | number; readonly parent: Path } | null;

function copy(value: unknown, place: Place): Json {
  switch (typeof value) {
    case "string":
      return unstorable.test(value)
        ? refuse(place, "invalid_characters", "must not contain U+0000 or half of a surrogate pair")
        : value;
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : refuse(place, "invalid_type", "must be a finite number");
    case "object":
      return value === null ? null : copyTree(value, place);
    default:
      return refuse(place, "invalid_type", `must be a value of JSON, not a ${typeof value}`);
  }
}

function copyTree(value: object, place: Place): Json {
  if (place.depth > maxDepth)
    return refuse(place, "too_deep", `must not be nested deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => copy(item, below(place, index)));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && !isPlainPrototype(prototype)) {
    const wanted = value instanceof Date ? "text, not a Date" : "a plain object";
    return refuse(place, "invalid_type", `must be ${wanted}`);
  }
  const result: Record<string, Json> = {};
  for (const [name, item] of Object.entries(value)) {
    const there = below(place, name);
    if (forbiddenNames.has(name)) refuse(there, "unknown_field", `a member must not be named ${name}`);
    else if (unstorable.test(name))
      refuse(there, "invalid_characters", "must have a name of whole characters");
    else if (item !== undefined) result[name] = copy(item, there);
  }
  return result;
}

/** Objects of another realm (a worker, a frame) have another Object.prototype, and that has no prototype either. */
function isPlainPrototype(prototype: unknown): boolean {
  return prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function below(place: Place, segment: string | number): Place {
  return { path: { segment, parent: place.path }, depth: place.depth + 1, errors: place.errors };
}

function refuse(place: Place, code: string, message: string): null {
  place.errors.push({ field: pointer(segmentsOf(place.path)), code, message });
  return null;
}

function segmentsOf(path: Path): (string | number)[] {
  return path === null ? [] : [...segmentsOf(path.parent), path.segment];
}
