import { sameJson } from "../../json.ts";
import { failure, type Outcome, type Problem, problemIn, success, together } from "../../problem.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Condition, Position, Query } from "../../store/port.ts";
import { quoted } from "../../text.ts";
import type { ReadOptions, SearchParameters } from "../types.ts";
import { isPosition, readCursor, writeCursor } from "./cursor.ts";
import { badParameter, limitOf, pageSize } from "./one-parameter.ts";
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

type Given = readonly (readonly [name: string, values: readonly string[]])[];

/**
 * Understands search parameters (contract section 4). Anything unknown or malformed is a `bad-request` that names
 * every such parameter: an answer is never silently wider than the question.
 *
 * @param view names what the caller may see; a cursor belongs to it
 * @param checkOptions refuses unknown names in `_elements` and `_extensions`
 */
export async function planSearch(
  type: ResourceType,
  parameters: SearchParameters,
  {
    view,
    checkOptions,
    ...context
  }: ParameterContext & { view: string; checkOptions: (options: ReadOptions) => Outcome<void> },
): Promise<Outcome<PlannedSearch>> {
  const given: Given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === "string" ? [value] : value] as const],
  );
  const unread = together(otherThanText(given));
  if (unread) return unread;
  const known = given.filter((one) => isKnown(type, one));
  const tooMany = tooManyValues(known);
  const readable = tooMany ? [] : known.filter(isStorable);
  const { faults, meanings } = await meaningsOf(type, readable, context);
  const answer = answerOf(type, parameters);
  const refused = together([
    ...unknownParameters(type, given),
    ...unstorableValues(given),
    ...repeatedAnswerParameters(given),
    tooMany,
    ...answer.faults,
    problemIn(checkOptions(answer.options)),
    ...faults,
  ]);
  if (refused) return refused;
  const { cursor, faults: _, ...rest } = answer;
  const belongsTo = JSON.stringify([view, type, rest.sort ?? null, choosing(given).sort(byName)]);
  const after = positionIn(belongsTo, cursor);
  if (!after.ok) return after;
  return success({
    type,
    criteria: criteriaOf(type, given, meanings),
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
): Promise<{ readonly meanings: readonly Meaning[]; readonly faults: readonly Problem[] }> {
  const meanings: Meaning[] = [];
  const faults: Problem[] = [];
  for (const [name, values] of choosing(given)) {
    for (const value of values) {
      const meaning = (await searchParameters[type][name]?.read(value, context)) ?? {};
      if (typeof meaning === "string") faults.push(badParameter(name, meaning));
      else meanings.push(meaning);
    }
  }
  return { meanings, faults };
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

function isKnown(type: ResourceType, [name]: Given[number]): boolean {
  return Object.hasOwn(searchParameters[type], name) || Object.hasOwn(answerParameters, name);
}

function unknownParameters(type: ResourceType, given: Given): readonly Problem[] {
  const known = Object.keys({ ...searchParameters[type], ...answerParameters }).join(", ");
  const unknown = given.filter((one) => !isKnown(type, one));
  return unknown.map(([name]) => ({
    kind: "bad-request",
    detail: `${type} has no search parameter ${quoted(name)}. Known are: ${known}.`,
    errors: [{ field: name, code: "unknown_parameter", message: `is not a search parameter of ${type}` }],
  }));
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
function otherThanText(given: Given): readonly Problem[] {
  const wrong = given.filter(
    ([, values]: readonly [string, unknown]) =>
      !Array.isArray(values) || values.some((value) => typeof value !== "string"),
  );
  return wrong.map(([name]) => badParameter(name, 'must be text, such as "10", or a list of texts'));
}

/** What no record can hold, no store is asked for. */
function isStorable([, values]: Given[number]): boolean {
  return !values.some((value) => /\0|\p{Surrogate}/u.test(value));
}

function unstorableValues(given: Given): readonly Problem[] {
  const wrong = given.filter((one) => !isStorable(one));
  return wrong.map(([name]) => badParameter(name, "must be well-formed text without NUL characters"));
}

/** Of two sizes or two cursors, neither may be passed over in silence. */
function repeatedAnswerParameters(given: Given): readonly Problem[] {
  const own = given.filter(([name]) => Object.hasOwn(answerParameters, name));
  const twice = own.filter(([, values]) => values.length !== 1);
  const sizes = own.filter(([name]) => name === "limit" || name === "_count");
  const both = badParameter("_count", "is another word for limit; give one of them");
  return [
    ...twice.map(([name]) => badParameter(name, "must be given once")),
    ...(sizes.length > 1 ? [both] : []),
  ];
}

type Answer = Omit<PlannedSearch, "type" | "criteria" | "after" | "walk" | "cursorFor"> & {
  readonly cursor?: string;
  readonly faults: readonly (Problem | undefined)[];
};

function answerOf(type: ResourceType, parameters: SearchParameters): Answer {
  const limitName = parameters.limit === undefined ? "_count" : "limit";
  const limit = limitOf(only(parameters[limitName]), limitName);
  const sort = sortOf(type, only(parameters._sort));
  const total = only(parameters._total);
  const isTotal = total === undefined || total === "accurate";
  const [elements, extensions] = [only(parameters._elements), only(parameters._extensions)];
  const cursor = only(parameters.cursor);
  return {
    faults: [
      problemIn(limit),
      problemIn(sort),
      isTotal ? undefined : badParameter("_total", "must be accurate"),
    ],
    limit: limit.ok ? limit.value : pageSize.default,
    ...(sort.ok && sort.value),
    total: total !== undefined,
    options: { ...(elements !== undefined && { elements }), ...(extensions !== undefined && { extensions }) },
    ...(cursor !== undefined && { cursor }),
  };
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
