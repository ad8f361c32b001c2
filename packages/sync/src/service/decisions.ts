import {
  failure,
  isJsonObject,
  type JsonObject,
  type Outcome,
  type Problem,
  type ResourceType,
  type Store,
  success,
  wireForm,
} from "@fieldroll/core";
import { adoptRecord, followers, twinOf } from "../device/adopt.ts";
import { settleWork } from "../device/commit.ts";
import { collections } from "../device/documents.ts";
import { entryOf } from "../device/outbox.ts";
import { parkedIn, revisionOf } from "../device/parked.ts";
import { summaries } from "../device/summaries.ts";
import { waitingItems } from "../device/waiting.ts";
import { withheldEdits } from "../device/withheld.ts";
import { type CommitParts, entryIn, loadWork, localIn, type Work } from "../device/work.ts";
import { meanwhile } from "../model/absorb.ts";
import type { Adopted } from "../model/adopt.ts";
import { namesOf, tellsVersion } from "../model/content.ts";
import { entryId, entryState, nameIn, type OutboxEntry } from "../model/entry.ts";
import { mayBeGivenUp } from "../model/given-up.ts";
import { storedChoices } from "../model/in-print.ts";
import { plan } from "../model/plan.ts";
import { type Decided, decide, type Judge } from "../model/resolve.ts";
import type { Resolution } from "../resolution.ts";
import type { Explanation } from "../types.ts";
import { misstatedDecision } from "./misstated.ts";
import { unknownReference } from "./problems.ts";

interface Reach {
  readonly store: Store;
  /** Where a reference leads on this device. */
  readonly find: (
    reference: string,
  ) => Promise<Outcome<{ readonly type: ResourceType; readonly key: string }>>;
}

/** Who decides, and what a decision takes from outside. */
interface Deciding extends Reach {
  readonly clock: () => Date;
  readonly newId: () => string;
  /** The client that the person is signed in as. */
  readonly by: string;
  readonly judge: Judge;
}

/** Carries out a person's decision on a parked record, if the record is still as they saw it. */
export async function decideParked(
  deciding: Deciding,
  reference: string,
  asShown: Resolution,
): Promise<Outcome<void>> {
  const { store, find, clock, judge } = deciding;
  const wrong = misstatedDecision(asShown);
  if (wrong) return failure(wrong);
  const found = await find(reference);
  if (!found.ok) return found;
  const resolution = storedChoices(found.value.type, asShown);
  const at = clock().toISOString();
  const [work] = await loadWork(store, [found.value]);
  const parked = work && entryIn(work)?.parked;
  // What waits for a record that a person gives up would wait for ever.
  const waits = resolution.kind === "discard" && !parked && (await blockerOf(store, found.value)) !== null;
  const check = (entry: OutboxEntry, now: Work): Problem | null => {
    if (!entry.parked && resolution.kind !== "discard") return notParked(reference);
    if (!entry.parked && !mayBeGivenUp(entry, waits)) return underWay(reference);
    const { revision } = resolution;
    return revision !== undefined && revision !== revisionOf(now) ? outdated(reference) : null;
  };
  if (resolution.kind === "adopt" || (resolution.kind === "choose" && parked?.reason === "duplicate")) {
    const { by, newId } = deciding;
    const choices = resolution.choices ?? {};
    const adoption = { ...found.value, by, at, id: newId(), choices, check, judge };
    return outcomeOf(await adoptRecord(store, adoption));
  }
  const standing = resolution.kind === "discard" && work ? await standingWith(store, work) : null;
  if (standing?.dependents.length) return failure(dependentProblem(standing.dependents));
  let decided: Decided = { kind: "refused", problem: notParked(reference) };
  const settled = await settleWork(
    store,
    { ...found.value, at },
    ({ entry, local }, now) => {
      const problem = check(entry, now);
      decided = problem ? { kind: "refused", problem } : decide(entry, local, { ...resolution, judge, at });
      if (decided.kind !== "settled") return null;
      if (standing?.isElsewhere) return { ...decided.settled, local: null };
      return standing?.becomes ? { ...decided.settled, recordKey: standing.becomes } : decided.settled;
    },
    (now) => (standing ? calledAsBefore(store, now, at) : Promise.resolve([])),
  );
  return settled || decided.kind === "refused" ? outcomeOf(decided) : failure(notParked(reference));
}

function outcomeOf(decided: Decided | Adopted): Outcome<void> {
  return decided.kind === "refused" ? failure(decided.problem) : success(undefined);
}

function notParked(reference: string): Problem {
  return { kind: "invalid-state", detail: `${reference} does not wait for a decision.` };
}

function underWay(reference: string): Problem {
  const detail = `${reference} is being sent, or in a file, and may be on the server already; or it is given back to the server.`;
  return { kind: "invalid-state", detail };
}

function outdated(reference: string): Problem {
  const detail = `${reference} changed since you looked at it. Look again and decide on what is there now.`;
  return { kind: "conflict", detail };
}

/** What refers to a record by a number that is given up with its correction refers to it by the name that the server has. */
async function calledAsBefore(store: Store, work: Work, at: string): Promise<readonly CommitParts[]> {
  const names = entryIn(work)?.provides.length ? await namesKept(store, work) : [];
  if (names.length === 0) return [];
  return followers(store, work, { names, own: new Map(names.map((name) => [name, work.key])), at });
}

/** The names by which the server knows a record; none that leads to another one by now. */
async function namesKept(store: Store, work: Work): Promise<readonly string[]> {
  const names = namesOf(work.type, entryIn(work)?.base ?? {});
  const holders = await store.resolve(names);
  return names.filter((_, i) => (holders[i]?.key ?? work.key) === work.key);
}

/**
 * What else is on this device when a record is discarded: others that refer to it, which could not be sent without it, unless
 * the server knows it by another name; whether it is not to become the record that it is a duplicate of, and the key of that on the server.
 */
async function standingWith(store: Store, work: Work) {
  const entry = entryIn(work);
  const all = (await namesKept(store, work)).length > 0 ? [] : await summaries(store);
  const needing = all.filter(({ needs }) => needs.some((name) => entry?.provides.includes(name)));
  const works = await loadWork(
    store,
    needing.map(({ id }) => nameIn(id)),
  );
  const dependents = works.flatMap((each) => (each.key === work.key ? [] : (entryIn(each)?.reference ?? [])));
  const { theirs, recordKey } =
    (entry?.base === null && entry.parked?.reason === "duplicate" && entry.parked) || {};
  const isDuplicate = theirs !== undefined;
  const isGone = isDuplicate && (await isElsewhere(store, work, theirs));
  return { dependents, isElsewhere: isGone, becomes: theirs && !isGone ? recordKey : undefined };
}

/** Whether the record that a duplicate was compared with is here under another key, or no feed has told of it: then what it is shown for is over. */
async function isElsewhere(store: Store, work: Work, theirs: JsonObject | null = null): Promise<boolean> {
  if ((await twinOf(store, work, theirs)) !== undefined) return true;
  const names = namesOf(work.type, theirs ?? {});
  const told = [...(await waitingItems(store)).values()].flatMap(({ type, record }) =>
    namesOf(type, record ?? {}),
  );
  return !names.some((name) => told.includes(name));
}

function dependentProblem(references: readonly string[]): Problem {
  const detail = `${references.join(", ")} on this device refer to this record; take the reference out of them, or discard them, before discarding it.`;
  const errors = references.map((field) => ({
    field,
    code: "referred_to",
    message: "refers to this record",
  }));
  return { kind: "invalid-state", detail, errors };
}

/** The entry that has to be sent before a record's own. */
async function blockerOf(
  store: Store,
  { type, key }: { readonly type: ResourceType; readonly key: string },
): Promise<OutboxEntry | null> {
  const id = entryId(type, key);
  const by = plan(await summaries(store), "").blocked.find((entry) => entry.id === id)?.by;
  if (by === undefined) return null;
  const [document] = await store.get([{ collection: collections.outbox, key: by }]);
  return document ? entryOf(document) : null;
}

/** Edits of a list have the whole of it: without what is hidden by now. */
function editsShown(entry: OutboxEntry, local: JsonObject): OutboxEntry["edits"] {
  const edits = meanwhile(entry, local).entry?.edits ?? [];
  return edits.map((edit) => ({ ...edit, patch: wireForm(entry.type, edit.patch) }));
}

/** Tells why a record looks as it does. */
export async function explainRecord(
  { store, find, feeds }: Reach & { readonly feeds: readonly string[] },
  reference: string,
): Promise<Outcome<Explanation>> {
  const found = await find(reference);
  if (!found.ok) return found;
  const [work] = await loadWork(store, [found.value]);
  const local = work && localIn(work);
  if (!work || !local) return failure(unknownReference(reference));
  const entry = entryIn(work);
  const base = entry ? entry.base : local;
  const blocker = entry && (await blockerOf(store, found.value));
  return success({
    reference,
    state: entry ? entryState(entry) : "synced",
    baseVersion: base && tellsVersion(base) && isJsonObject(base.meta) ? String(base.meta.versionId) : null,
    edits: entry ? editsShown(entry, local) : [],
    awaitingConsent: await withheldEdits(store, feeds, work),
    attempts: entry?.attempts ?? 0,
    answers: entry?.answers ?? [],
    lastAnswer: entry?.lastAnswer ?? null,
    nextAttemptAt: entry?.nextAttemptAt ?? null,
    blockedBy: blocker?.reference ?? null,
    parked: parkedIn(work),
  });
}
