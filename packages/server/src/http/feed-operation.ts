import { failure, type Outcome, pageSize, success } from "@fieldroll/core";
import { badParameter, type CallerExchange, unknownParameter } from "./exchange.ts";

/** GET `/$changes`: contract section 5. */
export async function changes(exchange: CallerExchange): Promise<Outcome<Response>> {
  const unknown = unknownParameter(exchange.url, ["feed", "cursor", "limit"]);
  if (unknown) return failure(unknown);
  const query = exchange.url.searchParams;
  const repeated = ["feed", "cursor", "limit"].find((name) => query.getAll(name).length > 1);
  if (repeated) return badParameter(repeated, "is given more than once");
  const limit = query.get("limit");
  if (limit !== null && (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > pageSize.max)) {
    return badParameter("limit", `must be a whole number from 1 to ${pageSize.max}`);
  }
  const cursor = query.get("cursor");
  const feed = query.get("feed") ?? "all";
  if (feed === "") return badParameter("feed", "must name a feed, such as all");
  const page = await exchange.view.changes({
    feed,
    ...(limit === null ? {} : { limit: Number(limit) }),
    ...(cursor === null ? {} : { cursor }),
  });
  if (!page.ok) return page;
  const { data, nextCursor, hasMore, epoch } = page.value;
  return success(Response.json({ data, pagination: { next_cursor: nextCursor, has_more: hasMore }, epoch }));
}
