import { failure, isJsonObject, type Outcome, type ResourceType, type Store, success } from "@fieldroll/core";
import { settleWork } from "../device/commit.ts";
import { summaries } from "../device/outbox.ts";
import { parkedIn, revisionOf } from "../device/parked.ts";
import { entryIn, loadWork, localIn } from "../device/work.ts";
import { entryId, entryState } from "../model/entry.ts";
import { type Decided, decide } from "../model/resolve.ts";
import type { Explanation, Resolution } from "../types.ts";
import { unknownReference } from "./problems.ts";

interface Reach {
  readonly store: Store;
  /** Where a reference leads on this device. */
  readonly find: (
    reference: string,
  ) => Promise<Outcome<{ readonly type: ResourceType; readonly key: string }>>;
}

/** Carries out a person's decision on a parked record, if the record is still as they saw it. */
export async function decideParked(
  { store, find, clock }: Reach & { readonly clock: () => Date },
  reference: string,
  resolution: Resolution,
): Promise<Outcome<void>> {
  const found = await find(reference);
  if (!found.ok) return found;
  if (resolution.kind === "discard") {
    const dependent = await dependentOf(store, found.value);
    if (dependent) return failure({ kind: "invalid-state", detail: dependentDetail(dependent) });
  }
  const at = clock().toISOString();
  let decided: Decided = { kind: "refused", problem: notParked(reference) };
  await settleWork(store, { ...found.value, at }, (entry, local, work) => {
    if (!entry.parked) return null;
    if (resolution.kind === "choose" && resolution.revision !== revisionOf(work)) {
      decided = { kind: "refused", problem: outdated(reference) };
      return null;
    }
    decided = decide(entry, local, resolution);
    return decided.kind === "settled" ? decided.settled : null;
  });
  return outcomeOf(decided);
}

function outcomeOf(decided: Decided): Outcome<void> {
  return decided.kind === "settled" ? success(undefined) : failure(decided.problem);
}

function notParked(reference: string) {
  return { kind: "invalid-state" as const, detail: `${reference} does not wait for a decision.` };
}

function outdated(reference: string) {
  const detail = `${reference} changed since you looked at it. Look again and decide on what is there now.`;
  return { kind: "conflict" as const, detail };
}

/** Another record made here that refers to this one, which the server has not got: it could not be sent without it. */
async function dependentOf(
  store: Store,
  { type, key }: { readonly type: ResourceType; readonly key: string },
): Promise<string | undefined> {
  const id = entryId(type, key);
  const all = await summaries(store);
  const own = all.find((entry) => entry.id === id);
  return all.find((entry) => entry.id !== id && entry.needs.some((name) => own?.provides.includes(name)))?.id;
}

function dependentDetail(dependent: string): string {
  const type = dependent.slice(0, dependent.indexOf("/"));
  return `A ${type} on this device refers to this record; take the reference out of it before discarding.`;
}

/** Tells why a record looks as it does. */
export async function explainRecord(
  { store, find }: Reach,
  reference: string,
): Promise<Outcome<Explanation>> {
  const found = await find(reference);
  if (!found.ok) return found;
  const [work] = await loadWork(store, [found.value]);
  const local = work && localIn(work);
  if (!work || !local) return failure(unknownReference(reference));
  const entry = entryIn(work);
  const base = entry ? entry.base : local;
  return success({
    reference,
    state: entry ? entryState(entry) : "synced",
    baseVersion: base && isJsonObject(base.meta) ? String(base.meta.versionId) : null,
    edits: entry?.edits ?? [],
    attempts: entry?.attempts ?? 0,
    lastAnswer: entry?.lastAnswer ?? null,
    parked: parkedIn(work),
  });
}
