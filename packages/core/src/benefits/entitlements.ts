import { failure, type Outcome, success } from "../problem.ts";
import { mayUse, requireScope } from "../registry/scopes.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, IfMatch, WriteOptions } from "../registry/types.ts";
import { misstated, versionConflict } from "../registry/write/precondition.ts";
import { checkApprovable } from "./approvable.ts";
import { auditPart } from "./audit-part.ts";
import { type Changed, commitChange, type Decision } from "./commit-change.ts";
import { createEntitlement } from "./create-entitlement.ts";
import {
  entitlementCollection,
  entitlementDocument,
  entitlementOf,
  type StoredEntitlement,
} from "./entitlement-document.ts";
import { listEntitlements, seenEntitlement, tellShown } from "./entitlement-sight.ts";
import { keyOf, unknownExtId, unseenExtId } from "./ext-id.ts";
import { fundPart, loadFund, movedFund } from "./fund.ts";
import { checkMove, entitlementMoves } from "./states.ts";
import type { Entitlement, EntitlementState, EntitlementVerbs } from "./types.ts";

/** What persons are entitled to: contract section 6. Seen by who may see the person's memberships. */
export function entitlementVerbs(settings: Settings, caller: Caller): EntitlementVerbs {
  const opened = (access: "read" | "write"): Outcome<void> => {
    const there = mayUse(
      settings,
      { ...caller, scopes: ["program:read"] },
      { type: "Program", access: "read" },
    );
    return there.ok ? requireScope(caller, `entitlement:${access}`) : there;
  };
  const move = async (
    extId: string,
    to: EntitlementState,
    options: WriteOptions = {},
  ): Promise<Outcome<Changed<Entitlement>>> => {
    const allowed = opened("write");
    if (!allowed.ok) return allowed;
    const decide = () => decideMove(settings, caller, { extId, to, ifMatch: options.ifMatch });
    const mayHear = () => seenOrRefused(settings, caller, extId);
    return commitChange(settings, caller, { idempotency: options.idempotency, mayHear, decide });
  };
  return {
    list: async (request = {}) => {
      const allowed = opened("read");
      return allowed.ok ? listEntitlements(settings, caller, request) : allowed;
    },
    read: async (extId) => {
      const allowed = opened("read");
      const found = allowed.ok ? await discloseEntitlement(settings, caller, extId) : allowed;
      return found.ok ? success(found.value.record) : found;
    },
    disclose: async (extId) => {
      const allowed = opened("read");
      return allowed.ok ? discloseEntitlement(settings, caller, extId) : allowed;
    },
    create: async (body) => {
      const allowed = opened("write");
      return allowed.ok ? createEntitlement(settings, caller, body) : allowed;
    },
    approve: (extId, options) => move(extId, "approved", options),
    move: async (extId, to) => {
      const moved = await move(extId, to);
      return moved.ok ? success(moved.value.record) : moved;
    },
  };
}

async function discloseEntitlement(
  settings: Settings,
  caller: Caller,
  extId: string,
): ReturnType<EntitlementVerbs["disclose"]> {
  const seen = await seenOrRefused(settings, caller, extId);
  if (!seen.ok) return seen;
  tellShown(settings, caller, { action: "read", shown: [seen.value] });
  const { found } = seen.value;
  return success({ record: entitlementOf(settings, found), versionId: String(found.version) });
}

async function seenOrRefused(settings: Settings, caller: Caller, extId: string) {
  if (keyOf(extId) === undefined) return failure(unknownExtId("entitlement", extId));
  const seen = await seenEntitlement(settings, caller, extId);
  return seen ? success(seen) : failure(unseenExtId(caller, "entitlement", extId));
}

interface Move {
  readonly extId: string;
  readonly to: EntitlementState;
  readonly ifMatch?: IfMatch | undefined;
}

/**
 * A move, and what it does to the fund. Its commit expects both the entitlement and the fund as they were read, so that
 * approvals at the same time never take more than there is.
 */
async function decideMove(
  settings: Settings,
  caller: Caller,
  { extId, to, ifMatch = "*" }: Move,
): Promise<Outcome<Decision<Entitlement>>> {
  const wrong = misstated(ifMatch);
  if (wrong) return failure(wrong);
  const seen = await seenOrRefused(settings, caller, extId);
  if (!seen.ok) return seen;
  const { key, version, body, claims } = seen.value.found;
  if (ifMatch !== "*" && !ifMatch.includes(String(version))) {
    return failure(versionConflict(String(version), ifMatch));
  }
  const move = checkMove(entitlementMoves, { what: "entitlement", from: body.state, to });
  if (!move.ok) return move;
  const approvable = to === "approved" ? await checkApprovable(settings, body) : success({});
  if (!approvable.ok) return approvable;
  const before = await loadFund(settings, body.program);
  const { state: from, amount } = body;
  const fund = movedFund(
    before.fund,
    { from, to, amount },
    { checked: true, told: maySeeFund(settings, caller) },
  );
  if (!fund.ok) return fund;
  const approved_at = to === "approved" ? settings.now() : body.approved_at;
  const moved: StoredEntitlement = {
    key,
    version: version + 1,
    body: { ...body, state: to, approved_at },
    claims,
  };
  const own = {
    expect: [{ kind: "version", collection: entitlementCollection, key, version } as const],
    put: [entitlementDocument(moved)],
  };
  const spent = fund.value === before.fund ? {} : fundPart(before, fund.value);
  const audit = auditPart(settings, caller, {
    action: "change",
    record: `Entitlement/${key}`,
    version: moved.version,
    fields: to === "approved" ? ["state", "approved_at"] : ["state"],
    undo: { state: from, approved_at: body.approved_at },
  });
  return success({
    parts: [own, approvable.value, spent, audit],
    record: entitlementOf(settings, moved),
    versionId: String(moved.version),
  });
}

/** The fund is the program's, and is read by who may read programs. */
function maySeeFund(settings: Settings, caller: Caller): boolean {
  return mayUse(settings, caller, { type: "Program", access: "read" }).ok;
}
