import type { History } from "../audit/types.ts";
import type { JsonObject } from "../json.ts";
import { failure, type Outcome, success } from "../problem.ts";
import type { ResourceType } from "../resource/types.ts";
import { viewOf, withoutPhoto } from "./feed/changes.ts";
import { storedRecord } from "./record/document.ts";
import { claimOf, loadByClaim, notFound } from "./record/load.ts";
import { render } from "./record/render.ts";
import { mayUse } from "./scopes.ts";
import { planSearch } from "./search/search.ts";
import type { Settings } from "./settings.ts";
import type { Address, Caller, Disclosed, Page, ReadOptions, SearchParameters } from "./types.ts";

interface ReadRequest {
  readonly type: ResourceType;
  readonly address: Address;
  readonly options: ReadOptions;
}

/** Reads one record by any of its identifiers. */
export async function read(
  settings: Settings,
  caller: Caller,
  request: ReadRequest,
): Promise<Outcome<JsonObject>> {
  const found = await disclose(settings, caller, request);
  return found.ok ? success(found.value.record) : found;
}

/** The versions of one record: contract section 5. */
export async function history(
  settings: Settings,
  caller: Caller,
  { type }: { readonly type: ResourceType; readonly address: Address },
): Promise<Outcome<History>> {
  const allowed = mayUse(settings, caller, { type, access: "read" });
  if (!allowed.ok) return allowed;
  return success({ data: [] });
}

/** Reads one record, and says under which right. */
export async function disclose(
  settings: Settings,
  caller: Caller,
  { type, address }: ReadRequest,
): Promise<Outcome<Disclosed<JsonObject>>> {
  const allowed = mayUse(settings, caller, { type, access: "read" });
  if (!allowed.ok) return allowed;
  const claim = claimOf(type, address);
  if (!claim.ok) return claim;
  const stored = (await loadByClaim(settings, [claim.value])).get(claim.value);
  const [record] = stored ? await render([stored], contextOf(settings)) : [];
  if (!record) return failure(notFound(type, address));
  return success({ record, disclosure: { status: "legal_basis", scope: ["all"] } });
}

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
    resolve: async (claim) => (await settings.store.resolve([claim]))[0],
  });
  if (!planned.ok) return planned;
  const { query, cursorFor } = planned.value;
  const page = await settings.store.query(query);
  const records = await render(page.documents.map(storedRecord), contextOf(settings));
  const data = records.map(withoutPhoto) as unknown as T[];
  return success({
    data,
    hasMore: page.next !== undefined,
    ...(page.next && { nextCursor: cursorFor(page.next) }),
  });
}

function contextOf(settings: Settings) {
  return { store: settings.store, today: settings.today() };
}
