import type { JsonObject } from "../../json.ts";
import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import type { Failure } from "../../store/port.ts";
import { checkReadOptions } from "../present.ts";
import { storedRecord } from "../record/document.ts";
import { referenceTo } from "../record/render.ts";
import { printRaw } from "../record/stored.ts";
import { mayUse } from "../scopes.ts";
import type { Settings } from "../settings.ts";
import { sightOf } from "../sight.ts";
import type { Caller, TransactionOptions, WriteEntry, Written } from "../types.ts";
import { type EarlierAnswer, earlierAnswerOf } from "./idempotency.ts";
import { planWrite, type WritePlan } from "./plan-write.ts";
import { presentAnswers, type WholeAnswer } from "./write-sight.ts";

/** Others may write in between; after so many of them the register is overloaded, and the caller is told so. */
const attempts = 250;

/** What is to be written. */
export interface PlannedEntries {
  readonly entries: readonly WriteEntry[];
  readonly options: TransactionOptions;
}

/**
 * The way of every write: load what the decision needs, decide, commit under the condition that nothing the
 * decision stood on has changed; otherwise start again. All entries are written or none.
 *
 * @param plan decides; without it, all entries at once, each about a record of its own
 */
export async function write(
  settings: Settings,
  caller: Caller,
  { entries, options, plan = planWrite }: PlannedEntries & { readonly plan?: typeof planWrite },
): Promise<Outcome<readonly Written<JsonObject>[]>> {
  const admitted = admit(settings, caller, { entries, options });
  if (!admitted.ok) return admitted;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const outcome = await attemptWrite(settings, caller, { entries, options, plan });
    if (outcome) return outcome;
  }
  return failure({
    kind: "unavailable",
    detail: "Too many others write the same records just now. Try again.",
  });
}

/** Nothing, when others wrote in between what the decision stood on. */
async function attemptWrite(
  settings: Settings,
  caller: Caller,
  { entries, options, plan: decide }: PlannedEntries & { readonly plan: typeof planWrite },
): Promise<Outcome<readonly Written<JsonObject>[]> | undefined> {
  const earlier = await earlierAnswerOf(settings, caller, options.idempotency);
  if (earlier && !earlier.ok) return earlier;
  if (earlier)
    return success(await presentAnswers(settings, caller, { answers: keptAnswers(earlier.value), options }));
  const plan = await decide(settings, caller, { entries, options });
  if (!plan.ok) {
    // The same request may have come twice: its twin, that succeeded since the key was looked for, is what refuses it.
    return (await earlierAnswerOf(settings, caller, options.idempotency)) ? undefined : plan;
  }
  const { commit, answers } = plan.value;
  const shown = () => presentAnswers(settings, caller, { answers, options });
  if (!commit.put?.length) return success(await shown());
  const result = await settings.store.commit(commit);
  if (result.ok) return success(await shown());
  const problem = await takenClaim(settings, caller, { failures: result.failures, plan: plan.value });
  return problem && failure(problem);
}

/** Scopes first, then the form of what is asked and what the answer is to show: all before anything is looked up. */
function admit(settings: Settings, caller: Caller, { entries, options }: PlannedEntries): Outcome<void> {
  const refused = entries
    .map(({ type }) => mayUse(settings, caller, { type, access: "write" }))
    .find((allowed) => !allowed.ok);
  if (refused) return refused;
  const wrong = settings.governance?.misstated(entries);
  if (wrong) return failure(wrong);
  return checkReadOptions([...new Set(entries.map(({ type }) => type))], options, settings);
}

function keptAnswers({ answers, of }: EarlierAnswer): readonly WholeAnswer[] {
  return answers.map((written, i) => ({ written, ...(of[i] && { at: of[i] }) }));
}

/** What to do where an identifier is taken. */
const advice = "by a record that is there: change that one, or give this one another identifier";

/** When only claims stood in the way, trying again would not help: someone else has the identifier or the place. */
export async function takenClaim(
  settings: Settings,
  caller: Caller,
  { failures, plan }: { readonly failures: readonly Failure[]; readonly plan: WritePlan },
): Promise<Problem | undefined> {
  const taken = failures.flatMap((found) => (found.kind === "claim-taken" ? [found] : []));
  const [first] = taken;
  if (!first || taken.length < failures.length) return undefined;
  const [holder] = await settings.store.get([first.holder]);
  if (!holder) return undefined;
  const stored = storedRecord(holder);
  const seen = (await sightOf(settings, caller, [stored])).has(stored.key);
  const existing = seen ? referenceTo(stored.type, stored.record) : undefined;
  const pair = first.claim.startsWith("enrollment:");
  const name = printRaw(first.claim);
  const what = pair ? "This beneficiary already has an enrollment in the program" : `${name} is taken`;
  const put = plan.commit.put?.find(({ claims }) => claims?.includes(first.claim));
  const entry = plan.keys.length > 1 ? plan.keys.indexOf(put?.key ?? "") : -1;
  return {
    kind: "duplicate",
    detail:
      existing && existing !== name ? `${what}: see ${existing}.` : `${what}${pair ? "" : ` ${advice}`}.`,
    ...(existing && { existing }),
    ...(entry >= 0 && { entry }),
  };
}
