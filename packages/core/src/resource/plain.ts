import { type Json, pointer } from "../json.ts";
import {
  type FieldError,
  failure,
  invalid,
  maxErrors,
  type Outcome,
  type Problem,
  success,
} from "../problem.ts";

/** The shape of a body, whatever it is about: contract section 8. */
export const bodyLimits = {
  /** The deepest nesting. */
  depth: 32,
  /** The most values in all: objects, lists, texts, numbers, `true`, `false` and `null`. */
  values: 50_000,
  /** The most members of one object, and the most entries of one list. */
  width: 1_000,
} as const;

/** The longest name of a member, in UTF-16 code units. */
const maxNameLength = 255;

const forbiddenNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
// With the u flag, surrogates that form a pair are one character of another category.
const unstorable = /[\0\p{Cs}]/u;

/**
 * Reads a body as plain JSON: a copy with members that are `undefined` left out. More values than {@link bodyLimits} allows are
 * `payload-too-large`. Refused as `validation`, each at its place, are nesting deeper than allowed, members named `__proto__`,
 * `constructor` or `prototype`, names longer than 255 UTF-16 code units, strings with U+0000 or lone surrogates, and whatever JSON
 * can't hold; after {@link maxErrors} of them nothing more is read.
 */
export function readPlain(body: unknown): Outcome<Json> {
  const reading: Reading = { errors: [], values: 0 };
  const value = copy(body, { path: null, depth: 1, reading });
  if (reading.excess) return failure(reading.excess);
  return reading.errors.length > 0 ? failure(invalid(reading.errors)) : success(value);
}

/** What a reading has found so far. */
interface Reading {
  readonly errors: FieldError[];
  values: number;
  /** Why the body is too large; nothing more of it is read then. */
  excess?: Problem;
}

interface Place {
  /** The way here, last segment first: a pointer is only written out for a fault. */
  readonly path: Path;
  readonly depth: number;
  readonly reading: Reading;
}

type Path = { readonly segment: string | number; readonly parent: Path } | null;

function copy(value: unknown, place: Place): Json {
  const { reading } = place;
  reading.values += 1;
  if (reading.values > bodyLimits.values) reading.excess ??= tooManyValues;
  if (reading.excess || reading.errors.length > maxErrors) return null;
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

/** The problem of a body that has more values than {@link bodyLimits} allows. */
export const tooManyValues: Problem = {
  kind: "payload-too-large",
  detail: `The body has more than ${bodyLimits.values} values. Send less at a time.`,
};

/** The problem of an object or a list that has more in it than {@link bodyLimits} allows. */
export function tooWide(
  kind: "object" | "list",
  found: { readonly field: string; readonly size: string },
): Problem {
  const things = kind === "object" ? "members" : "entries";
  const message = `must have at most ${bodyLimits.width} ${things}, and has ${found.size}`;
  const errors = [{ field: found.field, code: "too_many", message }];
  return { kind: "payload-too-large", detail: `${invalid(errors).detail}. Send fewer.`, errors };
}

function copyTree(value: object, place: Place): Json {
  if (place.depth > bodyLimits.depth)
    return refuse(place, "too_deep", `must not be nested deeper than ${bodyLimits.depth} levels`);
  if (Array.isArray(value)) {
    if (value.length > bodyLimits.width) return exceed(place, "list", value.length);
    return value.map((item: unknown, index) => copy(item, below(place, index)));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && !isPlainPrototype(prototype)) {
    const wanted = value instanceof Date ? "text, not a Date" : "a plain object";
    return refuse(place, "invalid_type", `must be ${wanted}`);
  }
  const members = Object.entries(value);
  if (members.length > bodyLimits.width) return exceed(place, "object", members.length);
  const result: Record<string, Json> = {};
  for (const [name, item] of members) {
    const there = below(place, name);
    const fault = faultOfName(name);
    if (fault) refuse(there, fault.code, fault.message);
    else if (item !== undefined) result[name] = copy(item, there);
  }
  return result;
}

function faultOfName(name: string): Pick<FieldError, "code" | "message"> | undefined {
  if (forbiddenNames.has(name))
    return { code: "unknown_field", message: `a member must not be named ${name}` };
  if (name.length > maxNameLength)
    return { code: "too_long", message: `must have a name of at most ${maxNameLength} characters` };
  return unstorable.test(name)
    ? { code: "invalid_characters", message: "must have a name of whole characters" }
    : undefined;
}

/** Objects of another realm (a worker, a frame) have another Object.prototype, and that has no prototype either. */
function isPlainPrototype(prototype: unknown): boolean {
  return prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function below(place: Place, segment: string | number): Place {
  return { path: { segment, parent: place.path }, depth: place.depth + 1, reading: place.reading };
}

function refuse({ path, reading }: Place, code: string, message: string): null {
  reading.errors.push({ field: pointer(segmentsOf(path)), code, message });
  return null;
}

function exceed({ path, reading }: Place, kind: "object" | "list", size: number): null {
  reading.excess ??= tooWide(kind, { field: pointer(segmentsOf(path)), size: String(size) });
  return null;
}

function segmentsOf(path: Path): (string | number)[] {
  return path === null ? [] : [...segmentsOf(path.parent), path.segment];
}
