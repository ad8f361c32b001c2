import type { JsonObject } from "../../json.ts";
import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import type { Failure } from "../../store/port.ts";
import { storedRecord } from "../record/document.ts";
import { referenceTo } from "../record/render.ts";
import { printRaw } from "../record/stored.ts";
import { mayUse } from "../scopes.ts";
import type { Settings } from "../settings.ts";
import type { Caller, TransactionOptions, WriteEntry, Written } from "../types.ts";
import { earlierAnswer } from "./idempotency.ts";
import { planWrite, type WritePlan } from "./plan-write.ts";

/** Others may write in between; after so many of them the register is overloaded, and the caller is told so. */
const attempts = 250;

/**
 * The way of every write: load what the decision needs, decide, commit under the condition that nothing the
 * decision stood on has changed; otherwise start again. All entries are written or none.
 */
export async function write(
  settings: Settings,
  caller: Caller,
  { entries, options }: { readonly entries: readonly WriteEntry[]; readonly options: TransactionOptions },
): Promise<Outcome<readonly Written<JsonObject>[]>> {
  const refused = entries
    .map(({ type }) => mayUse(settings, caller, { type, access: "write" }))
    .find((allowed) => !allowed.ok);
  if (refused && !refused.ok) return refused;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const earlier = await earlierAnswer(settings.store, caller, options.idempotency);
    if (earlier) return earlier;
    const plan = await planWrite(settings, caller, { entries, options });
    if (!plan.ok) return plan;
    const { commit, answers } = plan.value;
    if (!commit.put?.length) return success(answers);
    const result = await settings.store.commit(commit);
    if (result.ok) return success(answers);
    const problem = await takenClaim(settings, result.failures, plan.value);
    if (problem) return failure(problem);
  }
  return failure({
    kind: "unavailable",
    detail: "Too many others write the same records just now. Try again.",
  });
}

/** When only claims stood in the way, trying again would not help: someone else has the identifier or the place. */
async function takenClaim(
  { store }: Settings,
  failures: readonly Failure[],
  { commit, keys }: WritePlan,
): Promise<Problem | undefined> {
  const taken = failures.flatMap((found) => (found.kind === "claim-taken" ? [found] : []));
  const [first] = taken;
  if (!first || taken.length < failures.length) return undefined;
  const [holder] = await store.get([first.holder]);
  if (!holder) return undefined;
  const stored = storedRecord(holder);
  const existing = referenceTo(stored.type, stored.record);
  const pair = first.claim.startsWith("enrollment:");
  const what = pair
    ? "This beneficiary already has an enrollment in the program"
    : `${printRaw(first.claim)} is taken`;
  const put = commit.put?.find(({ claims }) => claims?.includes(first.claim));
  const entry = keys.length > 1 ? keys.indexOf(put?.key ?? "") : -1;
  return { kind: "duplicate", detail: `${what}: see ${existing}.`, existing, ...(entry >= 0 && { entry }) };
}
