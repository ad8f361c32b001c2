import { isExempt } from "../../consent/visible-fields.ts";
import { type Outcome, success } from "../../problem.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Query } from "../../store/port.ts";
import { pagesOf } from "../every-page.ts";
import { viewOf } from "../feed/changes.ts";
import { checkReadOptions } from "../present.ts";
import { shownPhotos } from "../record/stored-photo.ts";
import { mayUse } from "../scopes.ts";
import type { Settings } from "../settings.ts";
import type { Caller, Page, SearchParameters } from "../types.ts";
import { type Approach, approachTo } from "./approach.ts";
import { scan } from "./scan.ts";
import { planSearch } from "./search.ts";
import type { FoundPage } from "./show-page.ts";
import { findTarget, findVisibleTarget } from "./target.ts";

/** Searches one type, a page at a time: contract section 4. */
export async function search<T>(
  settings: Settings,
  caller: Caller,
  { type, parameters }: { readonly type: ResourceType; readonly parameters: SearchParameters },
): Promise<Outcome<Page<T>>> {
  const allowed = mayUse(settings, caller, { type, access: "read" });
  if (!allowed.ok) return allowed;
  const planned = await planSearch(type, parameters, {
    view: viewOf(caller),
    today: settings.today(),
    vocabularies: settings.schemas.context,
    checkOptions: (options) => checkReadOptions([type], options, settings),
    find: (reference) =>
      isExempt(caller) ? findTarget(settings, reference) : findVisibleTarget(settings, caller, reference),
  });
  if (!planned.ok) return planned;
  const approach = approachTo(settings, caller, planned.value);
  const page = await foundPage(settings, caller, approach);
  if (!page.ok) return page;
  const { shown, more, next, walk, total } = page.value;
  settings.governance?.tellRead(settings, caller, { action: "search", shown });
  const data = await shownPhotos(
    settings,
    shown.map(({ record }) => record),
  );
  return success({
    data: data as unknown as T[],
    hasMore: more,
    keys: shown.map(({ key }) => key),
    ...(more && { nextCursor: planned.value.cursorFor(next, walk) }),
    ...(total !== undefined && { total }),
  });
}

async function foundPage(
  settings: Settings,
  caller: Caller,
  approach: Approach,
): Promise<Outcome<FoundPage>> {
  const { search, where, isEmpty, isWhole } = approach;
  if (isEmpty) return success({ shown: [], more: false, ...(search.total && { total: 0 }) });
  const page = await scan(settings, caller, approach);
  if (!page.ok || !search.total || isWhole) return page;
  // What a store can decide it also counts.
  const total = await countOf(settings, { collection: search.type, where });
  return success({ ...page.value, ...(total !== undefined && { total }) });
}

/** How many documents a query finds; `undefined` where the caller went away meanwhile. */
async function countOf(
  { store, budget }: Settings,
  query: Pick<Query, "collection" | "where">,
): Promise<number | undefined> {
  if (store.count) return store.count(query, () => !budget.isGone());
  let count = 0;
  for await (const documents of pagesOf(store, query)) {
    count += documents.length;
    if (budget.isGone()) return undefined;
    await budget.pause();
  }
  return count;
}
