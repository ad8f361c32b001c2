import { failure, type Outcome, success } from "../problem.ts";
import { viewOf } from "../registry/feed/changes.ts";
import { isPosition, readCursor, writeCursor } from "../registry/search/cursor.ts";
import { limitOf } from "../registry/search/search.ts";
import type { Caller } from "../registry/types.ts";
import type { Position } from "../store/port.ts";
import type { ListRequest } from "./types.ts";

/** A place to go on from, and how many are wanted. */
export interface Paging {
  readonly limit: number;
  readonly after?: Position;
  cursorFor(position: Position): string;
}

/**
 * Reads `limit` and `cursor` of a list; a malformed one is a `bad-request`.
 *
 * @param list names the list: a cursor belongs to it and to what its caller may see
 */
export function pagingOf(caller: Caller, list: string, request: ListRequest): Outcome<Paging> {
  const limit = limitOf(request.limit);
  if (!limit.ok) return limit;
  const belongsTo = `${viewOf(caller)}\nlist\n${list}`;
  const cursorFor = (position: Position) =>
    writeCursor(belongsTo, { value: position.value, key: position.key });
  if (request.cursor === undefined) return success({ limit: limit.value, cursorFor });
  const position = readCursor(belongsTo, request.cursor);
  if (!position.ok) return position;
  if (isPosition(position.value)) return success({ limit: limit.value, cursorFor, after: position.value });
  const message = "is not a cursor of this list";
  const errors = [{ field: "cursor", code: "invalid_cursor", message }];
  return failure({
    kind: "bad-request",
    detail: "The cursor is not one of this list. Start again without it.",
    errors,
  });
}
