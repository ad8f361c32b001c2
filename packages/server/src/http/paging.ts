import { failure, type Outcome, type Page, success } from "@fieldroll/core";
import { badParameter, type CallerExchange } from "./exchange.ts";

/** The cursor of the query, opened; `undefined` without one. */
export async function cursorOf({ url, service }: CallerExchange): Promise<Outcome<string | undefined>> {
  const [sealed, ...more] = url.searchParams.getAll("cursor");
  if (sealed === undefined) return success(undefined);
  if (more.length > 0) return failure(badParameter("cursor", "is given more than once"));
  return service.cursors.open(sealed);
}

/** What a list says of its pages: specification, "Registry-style endpoints". */
export interface Pagination {
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** Prints where a page ends, its cursor sealed. */
export async function paginationOf(
  { service }: CallerExchange,
  { nextCursor, hasMore }: Pick<Page<unknown>, "nextCursor" | "hasMore">,
): Promise<Pagination> {
  const next = nextCursor === undefined ? null : await service.cursors.seal(nextCursor);
  return { next_cursor: next, has_more: hasMore };
}

/** This page and the next as addresses, with everything else of the query as it was sent. */
export function linksOf(
  { baseUrl, url, route }: CallerExchange,
  { next_cursor: next }: Pagination,
): { readonly self: string; readonly next: string | null } {
  const here = `${baseUrl}${route.template}`;
  if (next === null) return { self: `${here}${url.search}`, next: null };
  const kept = url.search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && !/^cursor(=|$)/.test(pair));
  const query = [...kept, `cursor=${encodeURIComponent(next)}`].join("&");
  return { self: `${here}${url.search}`, next: `${here}?${query}` };
}
