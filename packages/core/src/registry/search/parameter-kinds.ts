import type { SchemaContext } from "../../resource/context.ts";
import { isCalendarDate } from "../../resource/dates.ts";
import { readReference } from "../../resource/read-reference.ts";
import { canonicalReference } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import { listed, vocabularyOf } from "../../resource/vocabularies.ts";
import type { Condition } from "../../store/port.ts";
import { searchText } from "../../text.ts";
import type { Found } from "./target.ts";

export interface ParameterContext {
  /** The present date, YYYY-MM-DD. */
  readonly today: string;
  /** Finds the record behind a raw reference, `Type/system|value`, as far as the caller may know of it. */
  find(reference: string): Promise<Found>;
  /** The closed vocabularies, and the namespace of the deployment's own. */
  readonly vocabularies: SchemaContext;
}

/** The groups of which a person must belong to one: contract section 4, `group`. */
export interface GroupChoice {
  readonly groups: readonly Found[];
  /** Belonging to no group will do as well. */
  readonly none: boolean;
}

/** What a value of a parameter asks for. Everything in it must hold. */
export interface Meaning {
  readonly where?: readonly Condition[];
  /** Conditions that no value may meet. */
  readonly not?: readonly Condition[];
  readonly group?: GroupChoice;
  /** Codes, alone or `system|code`, one of which must be the person's role in a group. */
  readonly role?: readonly string[];
  /** What a group's active member must be one of: values of the index `member`. */
  readonly member?: readonly string[];
}

/** A search parameter: what it is to callers, and how its values are understood. */
export interface SearchParameter {
  readonly kind: "token" | "text" | "date" | "reference" | "number";
  /** What it means, in a sentence for people. */
  readonly description: string;
  readonly example: string;
  /** The only values it takes, where they are so few. */
  readonly codes?: readonly string[];
}

/** A parameter that chooses records. `read` says (a sentence's end) what is wrong with a value. */
export interface ChoosingParameter extends SearchParameter {
  read(value: string, context: ParameterContext): Meaning | string | Promise<Meaning | string>;
}

type Told = Pick<SearchParameter, "description" | "example">;

/**
 * The alternatives of a token. A comma parts them; one that belongs to a value is written `\,`.
 */
export function alternatives(value: string): readonly string[] {
  const parts = [""];
  for (const piece of value.split(/(\\,|,)/)) {
    if (piece === ",") parts.push("");
    else parts.push((parts.pop() ?? "") + (piece === "\\," ? "," : piece));
  }
  return parts;
}

/** Matches any of the codes. */
export function token(index: string, told: Told & { readonly codes?: readonly string[] }): ChoosingParameter {
  const { codes } = told;
  return {
    kind: "token",
    ...told,
    read: (value) => {
      const anyOf = alternatives(value).map((code) => code.trim());
      const wrong = anyOf.some((code) => code === "" || (codes && !codes.includes(code)));
      if (!wrong) return { where: [{ index, anyOf }] };
      return codes ? `must be one of ${listed(codes)}` : "must not be empty";
    },
  };
}

/** Part of a text; case and accents do not count. */
export function contains(index: string, told: Told): ChoosingParameter {
  return {
    kind: "text",
    ...told,
    read: (value) => withText(value, (text) => ({ index, contains: text })),
  };
}

/** The whole text; case and accents do not count. */
export function exactly(index: string, told: Told): ChoosingParameter {
  return {
    kind: "text",
    ...told,
    read: (value) => withText(value, (text) => ({ index, anyOf: [text] })),
  };
}

function withText(value: string, condition: (text: string) => Condition): Meaning | string {
  const text = searchText(value);
  return text === "" ? "must not be empty" : { where: [condition(text)] };
}

/**
 * A code alone, or `system|code`. One that its system's closed vocabulary has not is refused: contract section 4.
 *
 * @param own the system that a code alone is of; without one, of any
 */
export function concept(
  index: string,
  { own, ...told }: Told & { readonly own?: (namespace: string) => string },
): ChoosingParameter {
  return {
    kind: "token",
    ...told,
    read: (value, { vocabularies }) => {
      const anyOf = codesIn(value, { vocabularies, own: own?.(vocabularies.namespace) });
      return typeof anyOf === "string" ? anyOf : { where: [{ index, anyOf }] };
    },
  };
}

/** The codes of a token, alone or `system|code`, or what is wrong with it. */
export function codesIn(
  value: string,
  { vocabularies, own = "" }: { readonly vocabularies: SchemaContext; readonly own?: string | undefined },
): readonly string[] | string {
  const codes = alternatives(value).map((part) => part.trim());
  if (codes.some((part) => part === "" || part.startsWith("|") || part.endsWith("|")))
    return "must be a code, or system|code";
  for (const part of codes) {
    const bar = part.indexOf("|");
    const vocabulary = vocabularyOf(bar < 0 ? own : part.slice(0, bar), vocabularies);
    if (vocabulary && !vocabulary.open && !vocabulary.codes.includes(part.slice(bar + 1)))
      return `must be one of ${listed(vocabulary.codes)}`;
  }
  return codes;
}

// Of an address line a plus sign arrives as a space.
const dateForm =
  /^(eq|ne|lt|le|gt|ge)?(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+ -]\d{2}:\d{2}))?$/;

/**
 * A date or an instant with a prefix; a whole day stands for every instant in it (in UTC).
 *
 * @param finest what the index holds: of an instant, days are compared with the day as it is written
 */
export function date(index: string, finest: "day" | "instant", told: Told): ChoosingParameter {
  return {
    kind: "date",
    ...told,
    read: (value) => {
      const [, prefix = "eq", day = "", time = ""] = dateForm.exec(value) ?? [];
      const instant = new Date(`${day}${time.replace(" ", "+")}`);
      if (day === "" || Number.isNaN(instant.getTime()))
        return "must be a date (YYYY-MM-DD) or an instant, after eq, ne, lt, le, gt or ge if wanted";
      if (!isCalendarDate(day)) return "must be a day of the calendar";
      return dated(index, prefix, time === "" || finest === "day" ? day : instant.toISOString());
    },
  };
}

function dated(index: string, prefix: string, first: string): Meaning {
  const past = `${first}~`;
  switch (prefix) {
    case "lt":
      return { where: [{ index, below: first }] };
    case "le":
      return { where: [{ index, below: past }] };
    case "gt":
      return { where: [{ index, from: past }] };
    case "ge":
      return { where: [{ index, from: first }] };
    case "ne":
      return { where: [{ index }], not: [{ index, from: first, below: past }] };
    default:
      return { where: [{ index, from: first, below: past }] };
  }
}

/** `system|value`, or a value alone for any system. Both kinds in one parameter are refused: no index has both. */
export function identifier(told: Told): ChoosingParameter {
  return {
    kind: "token",
    ...told,
    read: (value) => {
      const anyOf = alternatives(value);
      if (anyOf.includes("")) return "must be system|value, or a value alone";
      const whole = anyOf.filter((part) => part.includes("|"));
      if (!whole.every(isWhole)) return "must have a system and a value";
      if (whole.length === 0) return { where: [{ index: "identifier", anyOf }] };
      return whole.length === anyOf.length
        ? { where: [{ index: "identity", anyOf }] }
        : "must not mix values with and without a system";
    },
  };
}

/** Whether a text is `system|value` with neither part empty. */
export function isWhole(text: string): boolean {
  const bar = text.indexOf("|");
  return bar > 0 && bar < text.length - 1;
}

/** References to records; commas separate alternatives. */
export function reference(index: string, types: readonly ResourceType[], told: Told): ChoosingParameter {
  return {
    kind: "reference",
    ...told,
    read: async (value, context) => {
      const values = await targetsOf(value, types, context);
      return values ? { where: [{ index, anyOf: values }] } : mustRefer(types);
    },
  };
}

/** Each is looked up: so many may stand in one parameter. */
const mostReferences = 100;

/** The index values of what the references in a parameter lead to; `undefined` when one is malformed, or there are too many. */
export async function targetsOf(
  value: string,
  types: readonly ResourceType[],
  { find }: ParameterContext,
): Promise<readonly string[] | undefined> {
  const values: string[] = [];
  const parts = alternatives(value);
  if (parts.length > mostReferences) return undefined;
  for (const part of parts) {
    const read = readReference(part, types);
    if (!read) return undefined;
    values.push(...(await find(canonicalReference(read.type, read))).values);
  }
  return values;
}

/** What is wrong with a value that is no reference to one of these types. */
export function mustRefer(types: readonly ResourceType[]): string {
  return `must be a reference such as ${types[0]}/system|value, or ${mostReferences} of them at most, separated by commas`;
}
