import { isJsonObject, type JsonObject } from "../../json.ts";
import { failure, type Outcome, success } from "../../problem.ts";
import { checkReadOptions } from "../present.ts";
import { mayUse } from "../scopes.ts";
import type { Settings } from "../settings.ts";
import type { Caller, WriteEntry, Written } from "../types.ts";
import type { PlannedWrite } from "./decide-write.ts";
import { type EarlierAnswer, earlierAnswerOf } from "./idempotency.ts";
import { planWrite } from "./plan-write.ts";
import { takenClaim } from "./taken.ts";
import { presentAnswers, type WholeAnswer } from "./write-sight.ts";

/** Others may write in between; after so many of them the register is overloaded, and the caller is told so. */
const attempts = 250;

/**
 * The way of every write: load what the decision needs, decide, commit under the condition that nothing the
 * decision stood on has changed; otherwise start again. All entries are written or none.
 *
 * @param plan decides; without it, all entries at once, each about a record of its own
 */
export async function write(
  settings: Settings,
  caller: Caller,
  { entries, options, plan = planWrite }: PlannedWrite & { readonly plan?: typeof planWrite },
): Promise<Outcome<readonly Written<JsonObject>[]>> {
  const admitted = admit(settings, caller, { entries, options });
  if (!admitted.ok) return admitted;
  const perform = () => attemptWrites(settings, caller, { entries, options, plan });
  const { duplicates } = settings.governance ?? {};
  const { oneHousehold } = settings.policies;
  const asks = (entry: WriteEntry) => givesIdentifiers(entry) || (oneHousehold && entry.type === "Group");
  return duplicates && entries.some(asks) ? duplicates.limit(settings, caller, perform) : perform();
}

/** Whether a write may ask for an identifier, or a place in a program, that another record has. */
function givesIdentifiers(entry: WriteEntry): boolean {
  if (entry.verb === "update") return false;
  return entry.verb !== "patch" || (isJsonObject(entry.body) && "identifier" in entry.body);
}

async function attemptWrites(
  settings: Settings,
  caller: Caller,
  planned: PlannedWrite & { readonly plan: typeof planWrite },
): Promise<Outcome<readonly Written<JsonObject>[]>> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const outcome = await attemptWrite(settings, caller, planned);
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
  { entries, options, plan: decide }: PlannedWrite & { readonly plan: typeof planWrite },
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
function admit(settings: Settings, caller: Caller, { entries, options }: PlannedWrite): Outcome<void> {
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
