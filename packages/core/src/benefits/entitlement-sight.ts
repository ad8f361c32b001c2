import { auditOf } from "../audit/types.ts";
import type { Visibility } from "../consent/visibility.ts";
import { isExempt } from "../consent/visible-fields.ts";
import { type Outcome, success } from "../problem.ts";
import { declaredAt } from "../registry/record/declared.ts";
import type { Settings } from "../registry/settings.ts";
import { absentKey } from "../registry/sight.ts";
import type { Caller, Page } from "../registry/types.ts";
import type { Condition, Position } from "../store/port.ts";
import { coveredEntitlements } from "./covered-entitlements.ts";
import {
  entitlementCollection,
  entitlementOf,
  loadEntitlement,
  type StoredEntitlement,
  storedEntitlement,
} from "./entitlement-document.ts";
import { conditionsOf } from "./entitlement-filter.ts";
import { keyOf } from "./ext-id.ts";
import { membershipsSeen } from "./membership-sight.ts";
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

/**
 * One page of the entitlements that are asked for and that the caller may see: in the order of `ext_id`, or of the consents that show
 * them.
 */
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
  const page = await pageOf(settings, caller, { where, limit, after });
  tellShown(settings, caller, { action: "search", shown: page.shown });
  const data = page.shown.map(({ found }) => entitlementOf(settings, found));
  return success(pageWith(data, page.next, cursorFor));
}

/** For callers whom consents bind, a named registrant is looked up, and no consents of others are. */
async function pageOf(settings: Settings, caller: Caller, wanted: Wanted): Promise<ShownPage> {
  if (isExempt(caller)) return pageOfAll(settings, caller, wanted);
  const named = wanted.where.find(({ index }) => index === "registrant");
  if (!named || !("anyOf" in named)) return pageOfCovered(settings, caller, wanted);
  const seen = await membershipsSeen(settings, caller, named.anyOf);
  return seen.size > 0 ? pageOfAll(settings, caller, wanted) : { shown: [] };
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

/**
 * For callers whom consents bind, consent by consent, and person by person below each: costs what those consents cost, never what is
 * hidden. The page ends early when the budget is spent.
 */
async function pageOfCovered(
  settings: Settings,
  caller: Caller,
  { where, limit, after }: Wanted,
): Promise<ShownPage> {
  const shown: Shown[] = [];
  let last = after;
  for await (const { entitlements, next } of coveredEntitlements(settings, caller, {
    where,
    after,
    size: limit,
  })) {
    for (const { place, ...one } of entitlements) {
      if (shown.length === limit) return { shown, next: last };
      shown.push(one);
      last = place;
    }
    last = next ?? last;
    if (next && settings.budget.isSpent()) return { shown, next };
    await settings.budget.pause();
  }
  return { shown };
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
