import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Condition, Query } from "../../store/port.ts";
import type { SearchParameters } from "../types.ts";
import { isPosition, readCursor, writeCursor } from "./cursor.ts";
import { type Parameter, type ParameterContext, searchParameters, sortIndexes } from "./search-parameters.ts";

/** A search understood: the query for the store, and how the next page's cursor is written. */
export interface PlannedSearch {
  readonly query: Query;
  cursorFor(position: { value: string | null; key: string }): string;
}

/** Page size when none is asked for, and the largest one: contract section 4. */
export const pageSize = { default: 20, max: 500 } as const;

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
  const given = Object.entries(parameters).flatMap(([name, value]): [string, readonly string[]][] =>
    value === undefined ? [] : [[name, typeof value === "string" ? [value] : value]],
  );
  const where: Condition[] = [];
  for (const [name, values] of given.filter(([name]) => !Object.hasOwn(paging, name))) {
    const parameter: Parameter | undefined = Object.hasOwn(searchParameters[type], name)
      ? searchParameters[type][name]
      : undefined;
    if (!parameter) return failure(unknownParameter(type, name));
    for (const value of values) {
      const conditions = await parameter(value, context);
      if (typeof conditions === "string") return failure(badParameter(name, conditions));
      where.push(...conditions);
    }
  }
  const twice = repeatedPaging(given);
  if (twice) return failure(twice);
  const limit = limitOf(
    single(parameters.limit ?? parameters._count),
    parameters.limit === undefined ? "_count" : "limit",
  );
  if (!limit.ok) return limit;
  const sort = sortOf(type, single(parameters._sort));
  if (!sort.ok) return sort;
  const query = {
    collection: type,
    where: [...where, ...activeOnly(type, given)],
    limit: limit.value,
    ...sort.value,
  };
  return withCursor(
    query,
    `${view}\n${JSON.stringify([type, query.where, sort.value])}`,
    single(parameters.cursor),
  );
}

/** Of two sizes or two cursors, neither may be passed over in silence. */
function repeatedPaging(given: readonly [string, readonly string[]][]): Problem | undefined {
  const twice = given.find(([name, values]) => Object.hasOwn(paging, name) && values.length > 1);
  if (twice) return badParameter(twice[0], "must be given once");
  const sizes = given.filter(([name]) => name === "limit" || name === "_count");
  return sizes.length > 1 ? badParameter("_count", "is another word for limit; give one of them") : undefined;
}

const paging = { limit: true, _count: true, cursor: true, _sort: true };

/** Archived records are found only when asked for, and ended programs include the archived ones. */
function activeOnly(type: ResourceType, given: readonly [string, readonly string[]][]): Condition[] {
  const says = given.some(([name]) => name === "active" || (type === "Program" && name === "status"));
  return type === "ProgramMembership" || says ? [] : [{ index: "active", anyOf: ["true"] }];
}

function withCursor(query: Query, belongsTo: string, cursor: string | undefined): Outcome<PlannedSearch> {
  const cursorFor = (position: { value: string | null; key: string }) =>
    writeCursor(belongsTo, { ...position });
  if (cursor === undefined) return success({ query, cursorFor });
  const position = readCursor(belongsTo, cursor);
  if (!position.ok) return position;
  if (!isPosition(position.value)) return failure(badParameter("cursor", "is not a cursor of this query"));
  return success({ query: { ...query, after: position.value }, cursorFor });
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
  return failure(
    badParameter("_sort", `${name} is not a sort field of ${type}; use ${Object.keys(indexes).join(", ")}`),
  );
}

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" || value === undefined ? value : value.at(-1);
}

function unknownParameter(type: ResourceType, name: string): Problem {
  const known = [...Object.keys(searchParameters[type]), ...Object.keys(paging)].join(", ");
  return {
    kind: "bad-request",
    detail: `${type} has no search parameter ${name}. Known are: ${known}.`,
    errors: [{ field: name, code: "unknown_parameter", message: `is not a search parameter of ${type}` }],
  };
}

function badParameter(name: string, message: string): Problem {
  return {
    kind: "bad-request",
    detail: `The parameter ${name} ${message}.`,
    errors: [{ field: name, code: "invalid_parameter", message }],
  };
}
