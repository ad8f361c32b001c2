import { auditOf } from "../audit/types.ts";
import type { Visibility } from "../consent/visibility.ts";
import { type Outcome, success } from "../problem.ts";
import { everyPageOf } from "../registry/every-page.ts";
import { declaredAt } from "../registry/record/declared.ts";
import type { Settings } from "../registry/settings.ts";
import { absentKey } from "../registry/sight.ts";
import type { Caller, Page } from "../registry/types.ts";
import { compareCodeUnits } from "../store/match.ts";
import type { Condition, Position } from "../store/port.ts";
import {
  entitlementCollection,
  entitlementOf,
  loadEntitlement,
  type StoredEntitlement,
  storedEntitlement,
} from "./entitlement-document.ts";
import { conditionsOf } from "./entitlement-filter.ts";
import { keyOf } from "./ext-id.ts";
import { membershipsSeen, personsCovered } from "./membership-sight.ts";
import { pageWith, pagingOf } from "./paging.ts";
import type { Entitlement, EntitlementListRequest } from "./types.ts";

/**
 * The entitlement with an `ext_id`, if the caller may see it. The calls to the store are the same whether it is hidden or not
 * there, and what is hidden is not loaded.
 */
export async function seenEntitlement(
  settings: Settings,
  caller: Caller,
  extId: string,
): Promise<{ readonly found: StoredEntitlement; readonly visibility: Visibility } | undefined> {
  const key = keyOf(extId);
  if (key === undefined) return undefined;
  const declared = await declaredAt(settings, { collection: entitlementCollection, key });
  const [person = absentKey("Individual").key] = declared?.entries.registrant ?? [];
  const visibility = (await membershipsSeen(settings, caller, [person])).get(person);
  const found = visibility && (await loadEntitlement(settings, key));
  return found && { found, visibility };
}

/** One page of the entitlements that are asked for and that the caller may see, in the order of `ext_id`. */
export async function listEntitlements(
  settings: Settings,
  caller: Caller,
  request: EntitlementListRequest,
): Promise<Outcome<Page<Entitlement>>> {
  const conditions = conditionsOf(request);
  if (!conditions.ok) return conditions;
  const where = conditions.value;
  const paging = pagingOf(caller, listName(where), request);
  if (!paging.ok) return paging;
  const { limit, after, cursorFor } = paging.value;
  const persons = await personsCovered(settings, caller);
  const page =
    persons === "all"
      ? await pageOfAll(settings, caller, { where, limit, after })
      : await pageOfPersons(settings, caller, { persons, where, limit, after });
  tellShown(settings, caller, { action: "search", shown: page.shown });
  const data = page.shown.map(({ found }) => entitlementOf(settings, found));
  return success(pageWith(data, page.next, cursorFor));
}

/** A cursor belongs to what was asked for. */
function listName(where: readonly Condition[]): string {
  return where.length === 0 ? "entitlements" : `entitlements\n${JSON.stringify(where)}`;
}

interface Shown {
  readonly found: StoredEntitlement;
  readonly visibility: Visibility;
}

interface ShownPage {
  readonly shown: readonly Shown[];
  readonly next?: Position | undefined;
}

interface Wanted {
  readonly where: readonly Condition[];
  readonly limit: number;
  readonly after: Position | undefined;
}

/** For callers whom no consent binds: they see all entitlements, or none where their own `fields` say so. */
async function pageOfAll(
  settings: Settings,
  caller: Caller,
  { where, limit, after }: Wanted,
): Promise<ShownPage> {
  const page = await settings.store.query({
    collection: entitlementCollection,
    where,
    limit,
    ...(after && { after: { value: null, key: after.key } }),
  });
  const shown = await onlySeen(settings, caller, page.documents.map(storedEntitlement));
  return { shown, next: shown.length > 0 ? page.next : undefined };
}

async function pageOfPersons(
  settings: Settings,
  caller: Caller,
  { persons, where, limit, after }: Wanted & { readonly persons: readonly string[] },
): Promise<ShownPage> {
  const documents = await everyPageOf(settings.store, {
    collection: entitlementCollection,
    index: "registrant",
    anyOf: persons,
    where,
  });
  const seen = await onlySeen(settings, caller, documents.map(storedEntitlement));
  const rest = seen
    .toSorted((a, b) => compareCodeUnits(a.found.key, b.found.key))
    .filter(({ found }) => after === undefined || compareCodeUnits(found.key, after.key) > 0);
  const shown = rest.slice(0, limit);
  const last = shown.at(-1)?.found.key;
  return { shown, next: rest.length > limit && last !== undefined ? { value: null, key: last } : undefined };
}

async function onlySeen(
  settings: Settings,
  caller: Caller,
  entitlements: readonly StoredEntitlement[],
): Promise<readonly Shown[]> {
  const persons = entitlements.map(({ body }) => body.registrant);
  const seen = await membershipsSeen(settings, caller, persons);
  return entitlements.flatMap((found) => {
    const visibility = seen.get(found.body.registrant);
    return visibility ? [{ found, visibility }] : [];
  });
}

/** Tells the audit trail which entitlements an answer shows, and under which consents. */
export function tellShown(
  { config, now }: Settings,
  caller: Caller,
  { action, shown }: { readonly action: "read" | "search"; readonly shown: readonly Shown[] },
): void {
  if (shown.length === 0) return;
  const consents = [...new Set(shown.flatMap(({ visibility }) => visibility.consents))];
  config.onRead?.({
    at: now(),
    action,
    ...auditOf(caller),
    ...(consents.length > 0 && { consents }),
    records: shown.map(({ found }) => `Entitlement/${found.key}`),
    fields: "all",
  });
}
