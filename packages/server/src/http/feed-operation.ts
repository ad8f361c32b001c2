import { type Outcome, pageSize, success } from "@fieldroll/core";
import { type Answer, jsonAnswer } from "./answer.ts";
import { badParameter, type CallerExchange } from "./exchange.ts";
import { cursorOf, paginationOf } from "./paging.ts";
import { readOptions } from "./write-request.ts";

/** GET `/$changes`: contract section 5. */
export async function changes(exchange: CallerExchange): Promise<Outcome<Answer>> {
  const query = exchange.url.searchParams;
  const limit = query.get("limit");
  const feed = query.get("feed") ?? "all";
  const isLimit =
    limit === null || (/^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= pageSize.max);
  const options = readOptions(
    exchange,
    ["feed", "cursor", "limit"],
    [
      isLimit ? undefined : badParameter("limit", `must be a whole number from 1 to ${pageSize.max}`),
      feed === "" ? badParameter("feed", "must name a feed, such as all") : undefined,
    ],
  );
  if (!options.ok) return options;
  const cursor = await cursorOf(exchange);
  if (!cursor.ok) return cursor;
  const page = await exchange.view.changes({
    ...options.value,
    feed,
    ...(limit === null ? {} : { limit: Number(limit) }),
    ...(cursor.value === undefined ? {} : { cursor: cursor.value }),
  });
  if (!page.ok) return page;
  const { data, epoch } = page.value;
  return success(jsonAnswer({ data, pagination: await paginationOf(exchange, page.value), epoch }));
}
