import { isCalendarDate } from "../../resource/dates.ts";
import { parseReference } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Condition, DocumentKey } from "../../store/port.ts";
import { searchText } from "../../text.ts";

export interface ParameterContext {
  /** The present date, YYYY-MM-DD. */
  readonly today: string;
  /** Finds a record by one of its claims, `Type/system|value`. */
  resolve(claim: string): Promise<DocumentKey | undefined>;
}

/** Turns one value of a search parameter into conditions, or says (a sentence's end) what is wrong with it. */
export type Parameter = (
  value: string,
  context: ParameterContext,
) => readonly Condition[] | string | Promise<readonly Condition[] | string>;

/** Matches any of the codes, separated by commas. */
function token(index: string, allowed?: readonly string[]): Parameter {
  return (value) => {
    const anyOf = value.split(",").map((code) => code.trim());
    const wrong = anyOf.find((code) => code === "" || (allowed && !allowed.includes(code)));
    if (wrong !== undefined) return allowed ? `must be one of ${allowed.join(", ")}` : "must not be empty";
    return [{ index, anyOf }];
  };
}

function contains(index: string): Parameter {
  return (value) => {
    const text = searchText(value);
    return text === "" ? "must not be empty" : [{ index, contains: text }];
  };
}

/** A code alone, or `system|code`; commas separate alternatives. */
function concept(index: string): Parameter {
  return (value) => {
    const anyOf = value.split(",").map((part) => part.trim());
    const wrong = anyOf.some((part) => part === "" || part.startsWith("|") || part.endsWith("|"));
    return wrong ? "must be a code, or system|code" : [{ index, anyOf }];
  };
}

const dateForm =
  /^(eq|lt|le|gt|ge)?(\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?)$/;

/** A date or an instant with a prefix; a whole day stands for every instant in it (in UTC). */
function date(index: string): Parameter {
  return (value) => {
    const [, prefix = "eq", text = ""] = dateForm.exec(value) ?? [];
    const instant = new Date(text);
    if (text === "" || Number.isNaN(instant.getTime())) {
      return "must be a date (YYYY-MM-DD) or an instant, after eq, lt, le, gt or ge if wanted";
    }
    const day = text.length === 10;
    if (!isCalendarDate(text.slice(0, 10))) return "must be a day of the calendar";
    const first = day ? text : instant.toISOString();
    const past = `${first}~`;
    switch (prefix) {
      case "lt":
        return [{ index, below: first }];
      case "le":
        return [{ index, below: past }];
      case "gt":
        return [{ index, from: past }];
      case "ge":
        return [{ index, from: first }];
      default:
        return [{ index, from: first, below: past }];
    }
  };
}

/** `system|value`, or a value alone for any system; commas separate alternatives of one kind. */
const identifier: Parameter = (value) => {
  const anyOf = value.split(",");
  if (anyOf.includes("")) return "must be system|value, or a value alone";
  const whole = anyOf.filter((part) => part.includes("|"));
  if (whole.some((part) => part.startsWith("|") || part.endsWith("|")))
    return "must have a system and a value";
  if (whole.length === 0) return [{ index: "identifier", anyOf }];
  return whole.length === anyOf.length
    ? [{ index: "identity", anyOf }]
    : "must not mix values with and without a system";
};

/** A reference: found by its target's key, or by its text where the target is not here. */
function reference(index: string, types: readonly ResourceType[]): Parameter {
  return async (value, { resolve }) => {
    const parsed = parseReference(value);
    if (!parsed.ok || !types.includes(parsed.value.type))
      return `must be a reference such as ${types[0]}/system|value`;
    const raw = `${parsed.value.type}/${parsed.value.system}|${parsed.value.value}`;
    const target = await resolve(raw);
    return [{ index, anyOf: target ? [target.key, raw] : [raw] }];
  };
}

const active: Parameter = (value) => {
  if (value === "any") return [];
  return value === "true" || value === "false"
    ? [{ index: "active", anyOf: [value] }]
    : "must be true, false or any";
};

/** A program is active until its period is over or it is archived. */
const programStatus: Parameter = (value, { today }) => {
  const wanted = new Set(value.split(","));
  if ([...wanted].some((status) => status !== "active" && status !== "ended"))
    return "must be active or ended";
  if (wanted.size === 2) return [];
  return [wanted.has("active") ? { index: "endsOn", from: today } : { index: "endsOn", below: today }];
};

const membershipStates = ["draft", "enrolled", "paused", "exited", "not_eligible", "duplicated"];

/** The parameters of each type: contract section 4. */
export const searchParameters: Readonly<Record<ResourceType, Readonly<Record<string, Parameter>>>> = {
  Individual: {
    identifier,
    active,
    _lastUpdated: date("lastUpdated"),
    name: contains("name"),
    birthdate: date("birthdate"),
    gender: concept("gender"),
    address: contains("address"),
    telecom: token("telecom"),
  },
  Group: {
    identifier,
    active,
    _lastUpdated: date("lastUpdated"),
    groupType: token("groupType"),
    name: contains("name"),
    member: reference("member", ["Individual"]),
    address: contains("address"),
  },
  Program: {
    identifier,
    active,
    _lastUpdated: date("lastUpdated"),
    name: contains("name"),
    status: programStatus,
    targetType: token("targetType", ["individual", "group"]),
    programType: concept("programType"),
  },
  ProgramMembership: {
    identifier,
    _lastUpdated: date("lastUpdated"),
    beneficiary: reference("beneficiary", ["Individual", "Group"]),
    program: reference("program", ["Program"]),
    status: token("status", membershipStates),
    enrollmentDate: date("enrollmentDate"),
  },
};

const everywhere = { _lastUpdated: "lastUpdated", identifier: "identifier" };

/** What each type sorts by: the parameter's word and the index behind it. */
export const sortIndexes: Readonly<Record<ResourceType, Readonly<Record<string, string>>>> = {
  Individual: { ...everywhere, name: "name", birthdate: "birthdate" },
  Group: { ...everywhere, name: "name" },
  Program: { ...everywhere, name: "name" },
  ProgramMembership: { ...everywhere, enrollmentDate: "enrollmentDate" },
};
