import type { JsonObject } from "../../json.ts";
import { type FieldError, failure, type Outcome, type Problem, success } from "../../problem.ts";
import type { Program } from "../../resource/program.ts";
import type { StoredRecord } from "../record/document.ts";
import { render } from "../record/render.ts";
import type { Settings } from "../settings.ts";
import type { Eligibility } from "../types.ts";
import type { Draft } from "./draft.ts";
import type { Footing } from "./enrollment.ts";

/**
 * Asks the embedding program about every membership that enters `enrolled` (contract section 2) and whose program and
 * beneficiary are in this store. Only what is right otherwise is asked about, so the question always makes sense; a write
 * that is tried again asks again, because the records may have changed.
 */
export async function judgeEligibility(
  settings: Settings,
  drafts: readonly Draft[],
  footings: ReadonlyMap<string, Footing>,
): Promise<Outcome<readonly Draft[]>> {
  if (!settings.config.eligibility) return success(drafts);
  const judged = await Promise.all(
    drafts.map((draft) => judgedDraft(settings, draft, footings.get(draft.key))),
  );
  const unanswered = judged.find((answer) => !answer.ok);
  if (unanswered && !unanswered.ok) return unanswered;
  return success(judged.flatMap((answer) => (answer.ok ? [answer.value] : [])));
}

async function judgedDraft(
  settings: Settings,
  draft: Draft,
  footing: Footing | undefined,
): Promise<Outcome<Draft>> {
  const { program, beneficiary } = footing ?? {};
  if (!program || !beneficiary || !entersEnrolled(draft) || draft.faults.length > 0) return success(draft);
  const answer = await ask(settings, program, beneficiary);
  if (!answer.ok) return answer;
  return success({ ...draft, faults: faultsOf(answer.value) });
}

/** Whether a draft enrolls somebody who was not enrolled by it before. */
export function entersEnrolled({ before, record }: Pick<Draft, "before" | "record">): boolean {
  return record.status === "enrolled" && before?.record.status !== "enrolled";
}

/** Whether a draft says on which day somebody is enrolled, or enrolls on a day said before. */
export function datesEnrollment(draft: Pick<Draft, "before" | "record">): boolean {
  const { enrollmentDate } = draft.record;
  if (typeof enrollmentDate !== "string") return false;
  return entersEnrolled(draft) || enrollmentDate !== draft.before?.record.enrollmentDate;
}

/** What a hook throws may tell of the deployment, or of a person: none of it reaches the caller. */
async function ask(
  { config, store, today }: Settings,
  program: StoredRecord,
  beneficiary: StoredRecord,
): Promise<Outcome<Eligibility>> {
  const pair = [program, beneficiary];
  const [shownProgram, shownBeneficiary] = await render(pair, { store, today: today(), fresh: pair });
  try {
    const asked = config.eligibility?.(shownProgram as unknown as Program, shownBeneficiary as JsonObject);
    return success(asked ? await asked : { eligible: true });
  } catch {
    return failure(undecided);
  }
}

const undecided: Problem = {
  kind: "unavailable",
  detail: "Whether the beneficiary is eligible could not be found out just now. Try again later.",
};

function faultsOf({ eligible, reasons = [] }: Eligibility): readonly FieldError[] {
  if (eligible) return [];
  const told = reasons.length > 0 ? reasons : ["is not eligible for this program"];
  return told.map((message) => ({ field: "/beneficiary", code: "not_eligible", message }));
}
