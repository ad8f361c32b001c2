import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import type { DocumentKey } from "../../store/port.ts";
import { recordKey, storedRecord } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";
import { joined } from "../write/commit-parts.ts";
import type { PlannedWrite } from "../write/decide-write.ts";
import { rememberAnswer } from "../write/idempotency.ts";
import type { WrittenRecord } from "../write/one-household.ts";
import { planWrite, type WritePlan } from "../write/plan-write.ts";
import { takenClaim } from "../write/taken.ts";
import type { WholeAnswer } from "../write/write-sight.ts";
import { stagedStore } from "./staged-store.ts";
import { stepsOf } from "./steps.ts";

/**
 * Decides a transaction that may name a record several times: as if its entries were written one after the other, each on what
 * those before it left, each a version of its own; but in one commit.
 */
export async function planInSteps(
  settings: Settings,
  caller: Caller,
  { entries, options }: PlannedWrite,
): Promise<Outcome<WritePlan>> {
  const steps = entries.length > 1 ? await stepsOf(settings, caller, entries) : [];
  if (steps.length < 2) return planWrite(settings, caller, { entries, options });
  const { idempotency, ...each } = options;
  const store = stagedStore(settings.store);
  // What the steps leave together is judged at the end.
  const staged = { ...settings, store, policies: { ...settings.policies, oneHousehold: false } };
  const answers: WholeAnswer[] = [];
  const claimants = new Map<string, number>();
  for (const places of steps) {
    const own = places.flatMap((place) => entries[place] ?? []);
    const plan = await planWrite(staged, caller, { entries: own, options: each });
    if (!plan.ok) return failure(atPlace(plan.problem, places));
    const made = await store.commit(plan.value.commit);
    if (!made.ok) {
      const taken = await takenClaim(staged, caller, { failures: made.failures, plan: plan.value });
      return failure(atPlace(taken ?? overtaken, places));
    }
    places.forEach((place, i) => {
      const answer = plan.value.answers[i];
      if (answer) answers[place] = answer;
    });
    for (const [claim, i] of plan.value.claimants) {
      if (!claimants.has(claim)) claimants.set(claim, places[i] ?? 0);
    }
  }
  const problem = await judgeTogether(staged, caller, { answers, settings });
  if (problem) return failure(problem);
  const remembered = rememberAnswer(caller, {
    idempotency,
    answers: answers.map(({ written }) => written),
    at: settings.now(),
    of: answers.flatMap(({ at }): DocumentKey[] => (at ? [at] : [])),
  });
  return success({ commit: joined([store.asOne(), remembered]), answers, claimants });
}

/** Judges what the steps leave together, and stages the guards of those who come into a household. */
async function judgeTogether(
  staged: Settings,
  caller: Caller,
  { answers, settings }: { readonly answers: readonly WholeAnswer[]; readonly settings: Settings },
): Promise<Problem | undefined> {
  const written = await writtenBy(settings, answers);
  const households = await settings.governance?.households(settings, caller, written);
  // Where a step has put somebody's guard already, that one stays.
  for (const guard of households?.guards.values() ?? []) await staged.store.commit(guard);
  return households?.problem;
}

/** Each record as it was before the transaction, and as its last entry leaves it. */
async function writtenBy(
  { store }: Settings,
  answers: readonly WholeAnswer[],
): Promise<readonly WrittenRecord[]> {
  const last = new Map<string, Pick<WrittenRecord, "entry" | "after">>();
  answers.forEach(({ stored }, entry) => {
    if (!stored) return;
    last.delete(stored.key);
    last.set(stored.key, { entry, after: stored });
  });
  const written = [...last.values()];
  const found = await store.get(written.map(({ after }) => recordKey(after.type, after.key)));
  return written.map((one, i) => {
    const document = found[i];
    return { ...one, before: document ? storedRecord(document) : null };
  });
}

const overtaken: Problem = {
  kind: "unavailable",
  detail: "Others write the same records just now. Try again.",
};

/** A step tells which of its own entries failed, and nothing when it has one alone. */
function atPlace(problem: Problem, places: readonly number[]): Problem {
  const whole = ["unavailable", "internal"].includes(problem.kind);
  const entry = places[problem.entry ?? (places.length === 1 && !whole ? 0 : -1)];
  const { entry: _, ...told } = problem;
  return entry === undefined ? told : { ...told, entry };
}
