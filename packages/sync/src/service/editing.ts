import {
  failure,
  identifiersOf,
  isJsonObject,
  type JsonObject,
  type Outcome,
  StoreError,
  success,
} from "@fieldroll/core";
import { settleWork } from "../device/commit.ts";
import { authorOf, ChangedHands, nobody, storeOf } from "../device/journal.ts";
import { reconsider } from "../model/absorb.ts";
import { safeModeCause } from "../model/safe-mode-cause.ts";
import type { EditableType, HeldRecord, RecordEdit } from "../service-types.ts";
import type { HouseholdRegistration, RegisteredHousehold } from "../types.ts";
import { householdBodies, type Identify, registered } from "./household.ts";
import { misstatedHousehold } from "./misstated.ts";
import type { Parts } from "./parts.ts";
import { storeProblem, wrongCall } from "./problems.ts";
import type { Author } from "./records.ts";

/**
 * Runs an edit and wakes the engine when it is durable. Whatever the store refuses becomes a problem that says that nothing
 * was saved.
 */
export async function edited<T>(
  parts: Parts,
  edit: (by: Author) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const { session, engine, channel, landed } = parts;
  const by = session.current().then((signedIn) => signedIn?.clientId ?? nobody);
  try {
    // An edit asks for what it changes meanwhile.
    const [outcome, author] = await Promise.all([edit(by), by]);
    if (!outcome.ok) {
      // What is sealed is not found: once nobody is signed in, that is why.
      await authorOf(parts.store, author);
      return outcome;
    }
    if (!engine.state.durable) engine.tell({ kind: "store", durable: true });
    landed();
    engine.tell({ kind: "woken", eager: false });
    channel.post({ kind: "poke", eager: false });
    return outcome;
  } catch (error) {
    if (error instanceof ChangedHands) return failure({ kind: "authentication", detail: error.message });
    const problem = storeProblem(error);
    engine.tell({ kind: "store", durable: false, fault: safeModeCause(error) });
    return failure(problem);
  }
}

export async function createRecord(
  parts: Parts,
  type: EditableType,
  record: JsonObject,
): Promise<Outcome<HeldRecord>> {
  const wrong = wrongCall("The", { record: isJsonObject(record) }, "must be given, as an object");
  if (wrong) return failure(wrong);
  return edited(parts, async (by) => {
    const outcome = await parts.records.create([identifier(parts)(type, record)], by);
    if (!outcome.ok) return failure(alone(outcome.problem));
    const [held] = outcome.value;
    if (!held) throw new TypeError("A record was created but not handed back.");
    return success(held);
  });
}

function alone<T extends { readonly entry?: number }>({ entry: _entry, ...problem }: T): Omit<T, "entry"> {
  return problem;
}

/** Edits a record; a parked conflict is looked at again, for the edit may have settled it. */
export async function editRecord(
  parts: Parts,
  target: { readonly type: EditableType; readonly reference: string },
  edit: RecordEdit,
): Promise<Outcome<HeldRecord>> {
  const { type, reference } = target;
  return edited(parts, async (by) => {
    const outcome = await parts.records.edit(type, reference, { ...edit, by });
    if (!outcome.ok || outcome.value.state !== "parked") return outcome;
    // It is saved by now: whoever heard otherwise would enter it again.
    const again = await lookAgain(parts, type, { reference: outcome.value.reference, by: await by }).catch(
      savedAllTheSame,
    );
    return again?.ok ? again : outcome;
  });
}

async function lookAgain(
  { records, store, clock }: Parts,
  type: EditableType,
  { reference, by }: { readonly reference: string; readonly by: string },
): Promise<Outcome<HeldRecord>> {
  const found = await records.find(reference);
  if (!found.ok) return found;
  const at = clock().toISOString();
  await settleWork(storeOf(store, by), { ...found.value, at }, ({ entry, local }) =>
    entry.parked?.reason === "conflict" ? reconsider(entry, local, at) : null,
  );
  return records.read(type, reference);
}

function savedAllTheSame(error: unknown): null {
  if (error instanceof StoreError || error instanceof ChangedHands) return null;
  throw error;
}

export async function registerHousehold(
  parts: Parts,
  household: HouseholdRegistration,
): Promise<Outcome<RegisteredHousehold>> {
  const wrong = misstatedHousehold(household);
  if (wrong) return failure(wrong);
  return edited(parts, async (by) => {
    const { bodies, places } = householdBodies(household, identifier(parts), parts.namespace);
    return registered(await parts.records.create(bodies, by), household.members.length, places);
  });
}

/** A UUID made here names the record everywhere and for good: no two devices make the same. */
function identifier({ namespace, newId }: Parts): Identify {
  const kinds = { Individual: "registrant", Group: "group", ProgramMembership: "program-membership" };
  return (type, record) => {
    const body = { ...record, type: record.type ?? type };
    if (identifiersOf(record).length > 0) return { type, body };
    const identifier = [{ system: `urn:${namespace}:${kinds[type]}`, value: newId() }];
    return { type, body: { ...body, identifier } };
  };
}
