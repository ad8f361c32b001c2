import { sees, type Visibility } from "../../consent/visibility.ts";
import { isExempt } from "../../consent/visible-fields.ts";
import { isJsonObject } from "../../json.ts";
import type { Problem } from "../../problem.ts";
import type { LinkedWrite } from "../governance.ts";
import type { StoredRecord } from "../record/document.ts";
import { printRaw } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import { sightOf } from "../sight.ts";
import type { Caller } from "../types.ts";
import type { Draft } from "./draft.ts";

/**
 * Refuses a caller bound by consent that enrolls somebody whose enrollments, or whose `active`, it may not see: whether the
 * enrollment is a duplicate, or the person archived, would tell it. Decided before either is looked at. Those whom the
 * same transaction creates are the caller's own.
 */
export async function unseenBeneficiary(
  settings: Settings,
  caller: Caller,
  { drafts, footings }: LinkedWrite,
): Promise<Problem | undefined> {
  if (isExempt(caller)) return undefined;
  const own = new Set(drafts.flatMap(({ key, before }) => (before ? [] : [key])));
  const enrolling = drafts.flatMap((draft, entry) => {
    const beneficiary = draft.before ? undefined : footings.get(draft.key)?.beneficiary;
    return beneficiary && !own.has(beneficiary.key) ? [{ draft, entry, beneficiary }] : [];
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
  return refused && refusal(refused.draft, drafts.length > 1 ? refused.entry : undefined);
}

function showsAll(visibility: Visibility | undefined, fields: readonly string[]): boolean {
  return visibility !== undefined && fields.every((field) => sees(visibility, field));
}

function asStored({ type, key, record, links }: Draft): StoredRecord {
  return { type, key, version: 0, record, links, feeds: [] };
}

function refusal({ record: { beneficiary } }: Draft, entry: number | undefined): Problem {
  const who = isJsonObject(beneficiary) ? printRaw(String(beneficiary.reference)) : "the beneficiary";
  const message = "its enrollments or its active are hidden from you";
  return {
    kind: "authorization",
    detail: `You may not enroll ${who}: to enroll somebody you have to see whose their enrollments are, in which programs, and whether the record is active. Ask for a consent that shows it.`,
    errors: [{ field: "/beneficiary", code: "hidden_field", message }],
    ...(entry !== undefined && { entry }),
  };
}
