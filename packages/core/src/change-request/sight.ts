import { auditOf } from "../audit/types.ts";
import { keyOf, unknownExtId } from "../benefits/ext-id.ts";
import { isExempt } from "../consent/visible-fields.ts";
import { failure, type Outcome, success } from "../problem.ts";
import { declaredAt } from "../registry/record/declared.ts";
import type { Settings } from "../registry/settings.ts";
import { isBound } from "../registry/sight.ts";
import type { Caller, IfMatch } from "../registry/types.ts";
import { misstated, versionConflict } from "../registry/write/precondition.ts";
import { changeRequestKey, loadChangeRequest, type StoredChangeRequest, versionIdOf } from "./document.ts";
import type { ChangeRequest } from "./types.ts";

/**
 * The change request with an `ext_id`, for a caller. What it asks for is about persons: a caller bound by consent sees the
 * requests that it submitted itself, and of others what it sees of none.
 */
export async function findRequest(
  settings: Settings,
  caller: Caller,
  extId: string,
): Promise<Outcome<StoredChangeRequest>> {
  const mayKnow = isExempt(caller) || (await maySubmit(settings, caller, extId));
  const found = mayKnow ? await loadChangeRequest(settings, extId) : undefined;
  const seen = found && (isExempt(caller) || found.body.submittedBy === caller.clientId);
  return seen ? success(found) : failure(unknownExtId("change_request", extId));
}

/** Whether the caller may be who submitted a request: one that an earlier version kept declares nobody. */
async function maySubmit(settings: Settings, caller: Caller, extId: string): Promise<boolean> {
  const key = keyOf(extId);
  const declared = key === undefined ? undefined : await declaredAt(settings, changeRequestKey(key));
  const { submitter = [caller.clientId] } = declared?.entries ?? { submitter: [] };
  return submitter.includes(caller.clientId);
}

/** As {@link findRequest}, where it has a version that the caller expects: `conflict` otherwise. */
export async function findExpected(
  settings: Settings,
  caller: Caller,
  { extId, ifMatch }: { readonly extId: string; readonly ifMatch?: IfMatch | undefined },
): Promise<Outcome<StoredChangeRequest>> {
  const wrong = misstated(ifMatch);
  if (wrong) return failure(wrong);
  const found = await findRequest(settings, caller, extId);
  if (!found.ok || ifMatch === undefined || ifMatch === "*") return found;
  const current = versionIdOf(found.value);
  return ifMatch.includes(current) ? found : failure(versionConflict(current, ifMatch));
}

/**
 * Callers that see records in part ask, and somebody else decides: else they would grant consents that show more than they see
 * themselves. Decided before anything is looked up.
 */
export function mayDecide(caller: Caller): Outcome<void> {
  if (!isBound(caller)) return success(undefined);
  const detail =
    "A client that is bound by consent, or limited to certain fields, may submit change requests, but not decide on them. Ask somebody who sees all fields to approve, reject or apply it.";
  return failure({ kind: "authorization", detail });
}

/** Tells the audit trail which requests were shown, what of them, and whom they are about. */
export function tellRequestsShown(
  { config, now }: Settings,
  caller: Caller,
  { action, shown }: { readonly action: "read" | "search"; readonly shown: readonly ChangeRequest[] },
): void {
  if (shown.length === 0) return;
  const about = shown.flatMap(({ registrant_ext_id: key }) =>
    key === undefined ? [] : [`Individual/${key}`],
  );
  config.onRead?.({
    at: now(),
    action,
    ...auditOf(caller),
    records: [...shown.map(({ ext_id }) => `ChangeRequest/${ext_id}`), ...new Set(about)],
    fields: [...new Set(shown.flatMap(Object.keys))],
  });
}
