import { sees, type Visibility } from "../../consent/visibility.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Problem } from "../../problem.ts";
import { printRaw, type StoredReference } from "../../resource/reference.ts";
import type { LinkedWrite } from "../governance.ts";
import type { StoredRecord } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import { absentKey, isBound, sightOf } from "../sight.ts";
import type { Caller } from "../types.ts";
import type { Draft } from "./draft.ts";
import { datesEnrollment, entersEnrolled } from "./eligibility.ts";

/**
 * Refuses a caller that enrolls somebody, by a new enrollment or by a change of one or of its day, whose enrollments, or whose
 * `active`, it may not see: whether the enrollment is a duplicate, the program over, or the person archived, would tell it. Decided before
 * any of these is looked at. Those whom the same transaction creates are the caller's own.
 */
export async function unseenBeneficiary(
  settings: Settings,
  caller: Caller,
  { drafts, footings }: LinkedWrite,
): Promise<Problem | undefined> {
  if (!isBound(caller)) return undefined;
  const own = new Set(drafts.flatMap(({ key, before }) => (before ? [] : [key])));
  const enrolling = drafts.flatMap((draft, entry) => {
    const beneficiary = footings.get(draft.key)?.beneficiary;
    const isNew = draft.before === null;
    const judged = entersEnrolled(draft) || datesEnrollment(draft);
    if (isNew ? !beneficiary || own.has(beneficiary.key) : !judged) return [];
    return [{ draft, entry, beneficiary: beneficiary ?? absentKey("Individual") }];
  });
  if (enrolling.length === 0) return undefined;
  const sight = await sightOf(
    settings,
    caller,
    enrolling.flatMap(({ draft, beneficiary }) => [asStored(draft), beneficiary]),
  );
  const refused = enrolling.find(
    ({ draft, beneficiary }) =>
      !showsAll(sight.get(draft.key), ["beneficiary", "program"]) ||
      !showsAll(sight.get(beneficiary.key), ["active"]),
  );
  if (!refused) return undefined;
  const named = sight.get(refused.draft.key);
  const known = refused.draft.before === null || (named && sees(named, "beneficiary"));
  const problem = refusal(known ? refused.draft.record : {});
  return drafts.length > 1 ? { ...problem, entry: refused.entry } : problem;
}

function showsAll(visibility: Visibility | undefined, fields: readonly string[]): boolean {
  return visibility !== undefined && fields.every((field) => sees(visibility, field));
}

function asStored({ type, key, record, links }: Draft): StoredRecord {
  return { type, key, version: 0, record, links, feeds: [] };
}

/** Names the beneficiary to those who see it, or said it themselves. */
function refusal({ beneficiary }: JsonObject): Problem {
  const who = isJsonObject(beneficiary)
    ? printRaw(beneficiary.reference as StoredReference)
    : "the beneficiary";
  const message = "its enrollments or its active are hidden from you";
  return {
    kind: "authorization",
    detail: `You may not enroll ${who}: to enroll somebody you have to see whose their enrollments are, in which programs, and whether the record is active. Ask for a consent that shows it.`,
    errors: [{ field: "/beneficiary", code: "hidden_field", message }],
  };
}
