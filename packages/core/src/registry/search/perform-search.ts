import { type Outcome, success } from "../../problem.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Query, Store } from "../../store/port.ts";
import { viewOf } from "../feed/changes.ts";
import { checkReadOptions, present } from "../present.ts";
import { render } from "../record/render.ts";
import { mayUse } from "../scopes.ts";
import type { Settings } from "../settings.ts";
import { isBound } from "../sight.ts";
import type { Caller, Page, SearchParameters } from "../types.ts";
import type { Candidate } from "./candidate.ts";
import { needsLook } from "./meets.ts";
import { type FoundPage, scan } from "./scan.ts";
import { type PlannedSearch, planSearch } from "./search.ts";
import { indexedConditions } from "./sources.ts";
import { findTarget, findVisibleTarget } from "./target.ts";

/** Searches one type, a page at a time: contract section 4. */
export async function search<T>(
  settings: Settings,
  caller: Caller,
  { type, parameters }: { readonly type: ResourceType; readonly parameters: SearchParameters },
): Promise<Outcome<Page<T>>> {
  const allowed = mayUse(settings, caller, { type, access: "read" });
  if (!allowed.ok) return allowed;
  const bound = isBound(caller);
  const planned = await planSearch(type, parameters, {
    view: viewOf(caller),
    today: settings.today(),
    vocabularies: settings.schemas.context,
    find: (reference) =>
      bound ? findVisibleTarget(settings, caller, reference) : findTarget(settings, reference),
  });
  if (!planned.ok) return planned;
  const understood = checkReadOptions([type], planned.value.options, settings);
  if (!understood.ok) return understood;
  const page = await foundPage(settings, caller, planned.value);
  return success(await shownPage(settings, caller, { planned: planned.value, page }));
}

/** Counting looks at all that is found, but for what a store can decide and count by itself. */
async function foundPage(settings: Settings, caller: Caller, search: PlannedSearch): Promise<FoundPage> {
  if (!search.total || isBound(caller) || needsLook(search.criteria)) return scan(settings, caller, search);
  const page = await scan(settings, caller, { ...search, total: false });
  const query = { collection: search.type, where: indexedConditions(search.criteria) };
  return { ...page, total: await countOf(settings.store, query) };
}

async function countOf(store: Store, query: Pick<Query, "collection" | "where">): Promise<number> {
  if (store.count) return store.count(query);
  let count = 0;
  let after: Query["after"];
  do {
    const page = await store.query({ ...query, limit: 2000, ...(after && { after }) });
    count += page.documents.length;
    after = page.next;
  } while (after);
  return count;
}

async function shownPage<T>(
  settings: Settings,
  caller: Caller,
  { planned, page }: { readonly planned: PlannedSearch; readonly page: FoundPage },
): Promise<Page<T>> {
  const { type, options, cursorFor } = planned;
  const { found, next, walk, total } = page;
  const records = await rendered(settings, found);
  const shown = found.map(({ stored, visibility }, i) => {
    const record = present(
      { type, record: records[i] ?? {}, visibility },
      { ...options, photo: false },
      settings,
    );
    return { type, key: stored.key, record, visibility };
  });
  settings.governance?.tellRead(settings, caller, { action: "search", shown });
  return {
    data: shown.map(({ record }) => record) as unknown as T[],
    hasMore: next !== undefined,
    keys: shown.map(({ key }) => key),
    ...(next && { nextCursor: cursorFor(next, walk) }),
    ...(total !== undefined && { total }),
  };
}

async function rendered({ store, today }: Settings, found: readonly Candidate[]) {
  const missing = found.filter((candidate) => !candidate.rendered).map(({ stored }) => stored);
  const records = await render(missing, { store, today: today() });
  const byKey = new Map(missing.map(({ key }, i) => [key, records[i]]));
  return found.map((candidate) => candidate.rendered ?? byKey.get(candidate.stored.key));
}
