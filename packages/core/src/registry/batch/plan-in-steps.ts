import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import type { DocumentKey } from "../../store/port.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";
import { joined } from "../write/commit-parts.ts";
import { rememberAnswer } from "../write/idempotency.ts";
import { planWrite, type WritePlan } from "../write/plan-write.ts";
import { takenClaim } from "../write/taken.ts";
import type { PlannedEntries } from "../write/write.ts";
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
  { entries, options }: PlannedEntries,
): Promise<Outcome<WritePlan>> {
  const steps = entries.length > 1 ? await stepsOf(settings, caller, entries) : [];
  if (steps.length < 2) return planWrite(settings, caller, { entries, options });
  const { idempotency, ...each } = options;
  const store = stagedStore(settings.store);
  const staged = { ...settings, store };
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
  const remembered = rememberAnswer(caller, {
    idempotency,
    answers: answers.map(({ written }) => written),
    at: settings.now(),
    of: answers.flatMap(({ at }): DocumentKey[] => (at ? [at] : [])),
  });
  return success({ commit: joined([store.asOne(), remembered]), answers, claimants });
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
