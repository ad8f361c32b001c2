import { sameJson } from "../../json.ts";
import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Condition, Position, Query } from "../../store/port.ts";
import type { ReadOptions, SearchParameters } from "../types.ts";
import { isPosition, readCursor, writeCursor } from "./cursor.ts";
import type { GroupChoice, Meaning, ParameterContext } from "./parameter-kinds.ts";
import { answerParameters, searchParameters, sortIndexes } from "./search-parameters.ts";
import { type Walk, walkIn } from "./walk.ts";

/** What records must meet to be found. */
export interface Criteria {
  readonly where: readonly Condition[];
  /** Conditions that no value of a record may meet. */
  readonly not: readonly Condition[];
  readonly groups: readonly GroupChoice[];
  readonly roles: readonly (readonly string[])[];
  /** Index values of persons; of each list one must be an active member. */
  readonly members: readonly (readonly string[])[];
  /** Whether archived records are left out without having been asked about. */
  readonly withoutArchived: boolean;
}

/** A search understood. */
export interface PlannedSearch extends Pick<Query, "sort" | "limit" | "after"> {
  readonly type: ResourceType;
  readonly criteria: Criteria;
  readonly total: boolean;
  readonly options: ReadOptions;
  /** What the walk's first page saw, as the cursor tells it. */
  readonly walk?: Walk;
  /** @param position where the next page begins; at the beginning without one */
  cursorFor(position: Position | undefined, walk?: Walk): string;
}

/** Page size when none is asked for, and the largest one: contract section 4. */
export const pageSize = { default: 20, max: 500 } as const;

type Given = readonly (readonly [name: string, values: readonly string[]])[];

/**
 * Understands search parameters (contract section 4). Anything unknown or malformed is a `bad-request` that names
 * the parameter: an answer is never silently wider than the question.
 *
 * @param view names what the caller may see; a cursor belongs to it
 */
export async function planSearch(
  type: ResourceType,
  parameters: SearchParameters,
  { view, ...context }: ParameterContext & { view: string },
): Promise<Outcome<PlannedSearch>> {
  const given: Given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === "string" ? [value] : value] as const],
  );
  const wrong =
    unknownParameter(type, given) ??
    otherThanText(given) ??
    unstorableValue(given) ??
    repeatedAnswerParameter(given) ??
    tooManyValues(given);
  if (wrong) return failure(wrong);
  const answer = answerOf(type, parameters);
  if (!answer.ok) return answer;
  const meanings = await meaningsOf(type, given, context);
  if (!meanings.ok) return meanings;
  const { cursor, ...rest } = answer.value;
  const belongsTo = JSON.stringify([view, type, rest.sort ?? null, choosing(given).sort(byName)]);
  const after = positionIn(belongsTo, cursor);
  if (!after.ok) return after;
  return success({
    type,
    criteria: criteriaOf(type, given, meanings.value),
    ...rest,
    ...after.value,
    cursorFor: (position, walk) => writeCursor(belongsTo, position ? { ...position, ...walk } : atBeginning),
  });
}

/** The position of a page before which nothing was read yet: its budget was spent by others. */
const atBeginning = { beginning: true };

async function meaningsOf(
  type: ResourceType,
  given: Given,
  context: ParameterContext,
): Promise<Outcome<readonly Meaning[]>> {
  const meanings: Meaning[] = [];
  for (const [name, values] of choosing(given)) {
    for (const value of values) {
      const meaning = (await searchParameters[type][name]?.read(value, context)) ?? {};
      if (typeof meaning === "string") return failure(badParameter(name, meaning));
      meanings.push(meaning);
    }
  }
  return success(meanings);
}

function criteriaOf(type: ResourceType, given: Given, meanings: readonly Meaning[]): Criteria {
  // Archived records are found only when asked for, and ended programs include the archived ones.
  const says = given.some(([name]) => name === "active" || (type === "Program" && name === "status"));
  return {
    where: meanings.flatMap(({ where = [] }) => where),
    not: meanings.flatMap(({ not = [] }) => not),
    groups: meanings.flatMap(({ group }) => group ?? []),
    roles: meanings.flatMap(({ role }) => (role ? [role] : [])),
    members: meanings.flatMap(({ member }) => (member ? [member] : [])),
    withoutArchived: type !== "ProgramMembership" && !says,
  };
}

function choosing(given: Given): [string, readonly string[]][] {
  return given.flatMap(([name, values]) => (Object.hasOwn(answerParameters, name) ? [] : [[name, values]]));
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function unknownParameter(type: ResourceType, given: Given): Problem | undefined {
  const known = { ...searchParameters[type], ...answerParameters };
  const wrong = given.find(([name]) => !Object.hasOwn(known, name));
  if (!wrong) return undefined;
  const [name] = wrong;
  return {
    kind: "bad-request",
    detail: `${type} has no search parameter ${name}. Known are: ${Object.keys(known).join(", ")}.`,
    errors: [{ field: name, code: "unknown_parameter", message: `is not a search parameter of ${type}` }],
  };
}

/** Each value is a condition or two of the store's query, which may have 500 of them ({@link Query}). */
const mostValues = 200;

function tooManyValues(given: Given): Problem | undefined {
  const chosen = choosing(given);
  const count = chosen.reduce((sum, [, values]) => sum + values.length, 0);
  const [most] = [...chosen].sort(([, a], [, b]) => b.length - a.length);
  if (!most || count <= mostValues) return undefined;
  return badParameter(most[0], `is one of ${count} conditions, and a search has ${mostValues} at most`);
}

/** What plain JavaScript may give, such as the number 10. */
function otherThanText(given: Given): Problem | undefined {
  const wrong = given.find(
    ([, values]: readonly [string, unknown]) =>
      !Array.isArray(values) || values.some((value) => typeof value !== "string"),
  );
  return wrong && badParameter(wrong[0], 'must be text, such as "10", or a list of texts');
}

/** What no record can hold, no store is asked for. */
function unstorableValue(given: Given): Problem | undefined {
  const wrong = given.find(([, values]) => values.some((value) => /\0|\p{Surrogate}/u.test(value)));
  return wrong && badParameter(wrong[0], "must be well-formed text without NUL characters");
}

/** Of two sizes or two cursors, neither may be passed over in silence. */
function repeatedAnswerParameter(given: Given): Problem | undefined {
  const own = given.filter(([name]) => Object.hasOwn(answerParameters, name));
  const twice = own.find(([, values]) => values.length !== 1);
  if (twice) return badParameter(twice[0], "must be given once");
  const sizes = own.filter(([name]) => name === "limit" || name === "_count");
  return sizes.length > 1 ? badParameter("_count", "is another word for limit; give one of them") : undefined;
}

type Answer = Omit<PlannedSearch, "type" | "criteria" | "after" | "walk" | "cursorFor"> & {
  readonly cursor?: string;
};

function answerOf(type: ResourceType, parameters: SearchParameters): Outcome<Answer> {
  const limitName = parameters.limit === undefined ? "_count" : "limit";
  const limit = limitOf(only(parameters[limitName]), limitName);
  if (!limit.ok) return limit;
  const sort = sortOf(type, only(parameters._sort));
  if (!sort.ok) return sort;
  const total = only(parameters._total);
  if (total !== undefined && total !== "accurate") return failure(badParameter("_total", "must be accurate"));
  const [elements, extensions] = [only(parameters._elements), only(parameters._extensions)];
  const cursor = only(parameters.cursor);
  return success({
    limit: limit.value,
    ...sort.value,
    total: total !== undefined,
    options: { ...(elements !== undefined && { elements }), ...(extensions !== undefined && { extensions }) },
    ...(cursor !== undefined && { cursor }),
  });
}

function positionIn(
  belongsTo: string,
  cursor: string | undefined,
): Outcome<Pick<PlannedSearch, "after" | "walk">> {
  if (cursor === undefined) return success({});
  const position = readCursor(belongsTo, cursor);
  if (!position.ok) return position;
  if (sameJson(position.value, atBeginning)) return success({});
  if (!isPosition(position.value)) return failure(badParameter("cursor", "is not a cursor of this query"));
  const { value, key } = position.value;
  const walk = walkIn(position.value);
  return success({ after: { value, key }, ...(walk && { walk }) });
}

/** Reads a page size; shared by searches and feeds. */
export function limitOf(value: string | undefined, name = "limit"): Outcome<number> {
  if (value === undefined) return success(pageSize.default);
  const limit = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (limit >= 1 && limit <= pageSize.max) return success(limit);
  return failure(badParameter(name, `must be a whole number from 1 to ${pageSize.max}`));
}

function sortOf(type: ResourceType, value: string | undefined): Outcome<Pick<Query, "sort">> {
  if (value === undefined) return success({});
  const descending = value.startsWith("-");
  const name = descending ? value.slice(1) : value;
  const indexes = sortIndexes[type];
  const index = Object.hasOwn(indexes, name) ? indexes[name] : undefined;
  if (index !== undefined) return success({ sort: { index, descending } });
  const known = Object.keys(indexes).join(", ");
  return failure(badParameter("_sort", `must be one of ${known}, a minus sign before it if wanted`));
}

function only(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" || value === undefined ? value : value[0];
}

/** A `bad-request` about one parameter. */
export function badParameter(name: string, message: string): Problem {
  return {
    kind: "bad-request",
    detail: `The parameter ${name} ${message}.`,
    errors: [{ field: name, code: "invalid_parameter", message }],
  };
}
