import { type FieldError, failure, invalid, type Outcome, success } from "../problem.ts";
import type { Settings } from "../registry/settings.ts";
import { absentKey } from "../registry/sight.ts";
import type { Caller } from "../registry/types.ts";
import { parseInput } from "../resource/parse-input.ts";
import { auditPart } from "./audit-part.ts";
import { commitChange, type Decision } from "./commit-change.ts";
import type { StoredCycle } from "./cycle-document.ts";
import { loadCycle } from "./cycles.ts";
import {
  entitlementClaims,
  entitlementCollection,
  entitlementDocument,
  entitlementOf,
  loadEntitlement,
  type StoredEntitlement,
} from "./entitlement-document.ts";
import { type EntitlementInput, entitlementSchema } from "./entitlement-input.ts";
import { keyOf } from "./ext-id.ts";
import { keyNamed } from "./find-record.ts";
import { fundPart, loadFund, movedFund } from "./fund.ts";
import { membershipsSeen } from "./membership-sight.ts";
import { takesFromFund } from "./states.ts";
import type { Entitlement } from "./types.ts";

/**
 * Creates an entitlement. The same one again changes nothing: it is the same by its `ext_id`, else by its `ern`, else by its
 * cycle, person, amount and days. One that comes in a state that takes from the fund takes from it, whether or not the
 * fund covers it: it was approved elsewhere.
 */
export async function createEntitlement(
  settings: Settings,
  caller: Caller,
  body: unknown,
): Promise<Outcome<Entitlement>> {
  const parsed = parseInput(entitlementSchema, body);
  if (!parsed.ok) return parsed;
  const input = parsed.value;
  const today = settings.today();
  if ((input.approved_at ?? "").slice(0, 10) > today) {
    const message = `must not be after today, ${today}`;
    return failure(invalid([{ field: "/approved_at", code: "future_date", message }]));
  }
  const key = keyOf(input.ext_id ?? settings.newId()) ?? settings.newId();
  const changed = await commitChange(settings, caller, {
    decide: () => decide(settings, caller, { input, key }),
  });
  return changed.ok ? success(changed.value.record) : changed;
}

async function decide(
  settings: Settings,
  caller: Caller,
  { input, key }: { readonly input: EntitlementInput; readonly key: string },
): Promise<Outcome<Decision<Entitlement>>> {
  const existing = await loadEntitlement(settings, key);
  if (existing) return success({ parts: [], record: entitlementOf(settings, existing) });
  const footing = await footingOf(settings, caller, input);
  if (!footing.ok) return footing;
  const made = newEntitlement(settings, { input, key, ...footing.value });
  const same = await holderOf(settings, made, input);
  if (!same.ok) return same;
  if (same.value) return success({ parts: [], record: entitlementOf(settings, same.value) });
  const before = await loadFund(settings, made.body.program);
  const { state, amount } = made.body;
  const fund = movedFund(before.fund, { from: null, to: state, amount }, { checked: false });
  if (!fund.ok) return fund;
  const own = {
    expect: [
      { kind: "absent", collection: entitlementCollection, key } as const,
      { kind: "exists", collection: "Individual", key: made.body.registrant } as const,
    ],
    put: [entitlementDocument(made)],
  };
  const spent = takesFromFund(state) ? fundPart(before, fund.value) : {};
  const audit = auditPart(settings, caller, { action: "create", record: `Entitlement/${key}`, version: 1 });
  return success({ parts: [own, spent, audit], record: entitlementOf(settings, made) });
}

interface Footing {
  readonly cycle: StoredCycle;
  readonly registrant: string;
}

/** The cycle and the person, both told at once when they are not there; a hidden person is not there. */
async function footingOf(
  settings: Settings,
  caller: Caller,
  { cycle: cycleId, beneficiary: reference, registrant_ext_id: extId }: EntitlementInput,
): Promise<Outcome<Footing>> {
  const cycle = await loadCycle(settings, cycleId);
  const named = await keyNamed(settings, "Individual", { reference, extId });
  const person = named ?? absentKey("Individual").key;
  const registrant = (await membershipsSeen(settings, caller, [person])).has(person) ? named : undefined;
  if (cycle && registrant !== undefined) return success({ cycle, registrant });
  const errors: FieldError[] = [];
  const code = "unknown_reference";
  if (!cycle) errors.push({ field: "/cycle", code, message: "names no cycle; create it first" });
  if (registrant === undefined) {
    const field = reference === undefined ? "/registrant_ext_id" : "/beneficiary";
    errors.push({ field, code, message: "names no person; create the Individual first" });
  }
  return failure(invalid(errors));
}

function newEntitlement(
  settings: Settings,
  { input, key, cycle, registrant }: Footing & { readonly input: EntitlementInput; readonly key: string },
): StoredEntitlement {
  const { amount, valid_from, valid_until, state } = input;
  const ern = input.ern ?? `ERN-${key.replaceAll("-", "").toUpperCase()}`;
  const approved_at = input.approved_at ?? (takesFromFund(state) ? settings.now() : null);
  const { program } = cycle.body;
  const body = {
    program,
    cycle: cycle.key,
    registrant,
    amount,
    valid_from,
    valid_until,
    state,
    approved_at,
    ern,
  };
  const nameless = input.ext_id === undefined && input.ern === undefined;
  return { key, version: 1, body, claims: entitlementClaims(body, nameless) };
}

/** Who has one of the claims already: the same entitlement, or a refusal when it is another one. */
async function holderOf(
  settings: Settings,
  { claims, body }: StoredEntitlement,
  input: EntitlementInput,
): Promise<Outcome<StoredEntitlement | undefined>> {
  const holder = (await settings.store.resolve(claims)).find((at) => at !== undefined);
  const found = holder && (await loadEntitlement(settings, holder.key));
  if (!found) return success(undefined);
  const same = found.body.cycle === body.cycle && found.body.registrant === body.registrant;
  if (input.ext_id === undefined && same) return success(found);
  return failure({ kind: "duplicate", detail: "The ern is another entitlement's. Give this one its own." });
}
