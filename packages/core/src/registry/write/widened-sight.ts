import { consentsFor } from "../../consent/consent-sight.ts";
import { factsOf } from "../../consent/document.ts";
import { startOfNext } from "../../consent/periods.ts";
import { consentPurposes } from "../../consent/terms.ts";
import { sees, type Visibility } from "../../consent/visibility.ts";
import { isExempt } from "../../consent/visible-fields.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Problem } from "../../problem.ts";
import { printRaw, type StoredReference } from "../../resource/reference.ts";
import type { LinkedWrite } from "../governance.ts";
import type { StoredRecord } from "../record/document.ts";
import { activeMembers } from "../record/render.ts";
import type { Settings } from "../settings.ts";
import { sightOf } from "../sight.ts";
import type { Caller } from "../types.ts";
import type { Draft } from "./draft.ts";

/** Somebody whom a write makes an active member of a group that was there before. */
interface Joining {
  readonly group: string;
  readonly person: string;
  readonly raw: StoredReference;
  /** The place in the group's list of members. */
  readonly at: number;
  readonly entry: number;
}

/**
 * Refuses a caller bound by consent that makes somebody a member of a group, or one for longer, when the group's consents, in
 * force or given ahead, would then show it more of them than it sees otherwise: nobody widens its own sight. Each purpose that
 * it could state is asked about. Those whom the same transaction creates are the caller's own.
 */
export async function widenedSight(
  settings: Settings,
  caller: Caller,
  { drafts }: LinkedWrite,
): Promise<Problem | undefined> {
  if (isExempt(caller)) return undefined;
  const own = new Set(drafts.flatMap(({ key, before }) => (before ? [] : [key])));
  const joiningOn = (day: string) =>
    drafts
      .flatMap((draft, entry) => joiningIn(draft, { entry, day }))
      .filter(({ person }) => !own.has(person));
  const begins = [
    ...new Set([settings.today(), ...drafts.flatMap((draft) => daysProlonged(draft, settings.today()))]),
  ];
  const joining = begins.flatMap(joiningOn);
  if (joining.length === 0) return undefined;
  const { purpose: _, ...anyPurpose } = caller;
  const asking = [caller, anyPurpose, ...consentPurposes.map((purpose) => ({ ...caller, purpose }))];
  for (const day of new Set([...begins, ...(await daysAhead(settings, caller, joining))])) {
    const then = joiningOn(day);
    if (then.length === 0) continue;
    for (const asked of asking) {
      const shown = await firstShown({ ...settings, today: () => day }, asked, then);
      if (shown) return refusal(shown, drafts.length > 1);
    }
  }
  return undefined;
}

/** The days after today from which the groups' consents show more: what is given ahead is only to be waited for. */
async function daysAhead(
  settings: Settings,
  caller: Caller,
  joining: readonly Joining[],
): Promise<readonly string[]> {
  const today = settings.today();
  const groups = [...new Set(joining.map(({ group }) => group))];
  const given = (await consentsFor(settings, caller, groups)).map(factsOf);
  return given.flatMap(({ effectiveDate }) => (effectiveDate > today ? [effectiveDate] : []));
}

/**
 * The days after today on which memberships would have been over that the write prolongs. Whoever joins on any day begins to on
 * one of these or today: a membership to come counts already.
 */
function daysProlonged(draft: Draft, today: string): readonly string[] {
  const { type, before } = draft;
  if (type !== "Group" || !before) return [];
  return activeIn(before, today).flatMap(({ person, member: { period } }) => {
    if (!isJsonObject(period) || typeof period.end !== "string") return [];
    const day = startOfNext(period.end).slice(0, 10);
    return joiningIn(draft, { entry: 0, day }).some((one) => one.person === person) ? [day] : [];
  });
}

function joiningIn(
  { type, key, before, record, links }: Draft,
  { entry, day }: { readonly entry: number; readonly day: string },
): readonly Joining[] {
  if (type !== "Group" || !before || record.active === false) return [];
  const members = Array.isArray(record.member) ? record.member : [];
  const former = new Set(
    before.record.active === false ? [] : activeIn(before, day).map(({ person }) => person),
  );
  return activeIn({ record, links }, day)
    .filter(({ person }) => !former.has(person))
    .map(({ person, raw, member }) => ({ group: key, person, raw, at: members.indexOf(member), entry }));
}

function activeIn({ record, links }: Pick<StoredRecord, "record" | "links">, day: string) {
  return activeMembers(record, day).flatMap((member) => {
    const raw = isJsonObject(member.entity) ? String(member.entity.reference) : "";
    const person = links[raw];
    return person === undefined ? [] : [{ person, raw: raw as StoredReference, member }];
  });
}

/** The first whom the group's consents show more of than the caller sees by other consents. */
async function firstShown(
  settings: Settings,
  caller: Caller,
  joining: readonly Joining[],
): Promise<Joining | undefined> {
  const keys = new Set(joining.flatMap(({ group, person }) => [group, person]));
  const sight = await sightOf(settings, caller, [...keys].flatMap(standIns));
  return joining.find(({ group, person }) =>
    standIns(person).some((own, i) => {
      const byGroup = sight.get(standIns(group)[i]?.key ?? "");
      return byGroup?.basis === "active" && !covers(sight.get(own.key), byGroup);
    }),
  );
}

/**
 * A person and an enrollment of theirs, as far as consents look at them. Asked with a group's key, they tell what the group's
 * consents show of each member.
 */
function standIns(key: string): readonly StoredRecord[] {
  const rest = { version: 0, feeds: [] };
  const record: JsonObject = { beneficiary: { reference: "beneficiary" } };
  return [
    { type: "Individual", key, record: {}, links: {}, ...rest },
    { type: "ProgramMembership", key: `enrollment of ${key}`, record, links: { beneficiary: key }, ...rest },
  ];
}

function covers(present: Visibility | undefined, wanted: Visibility): boolean {
  if (!present) return false;
  const { fields, extensions } = wanted;
  const fieldsSeen =
    fields === "all" ? present.fields === "all" : [...fields].every((field) => sees(present, field));
  if (!fieldsSeen) return false;
  if (extensions === "all") return present.extensions === "all";
  return [...extensions].every((name) => sees(present, `extension.${name}`));
}

function refusal({ raw, at, entry }: Joining, many: boolean): Problem {
  const message = "the group's consents would show you more of this person";
  return {
    kind: "authorization",
    detail: `You may not make ${printRaw(raw)} a member, or one for longer: the group's consents would show you more of this person than you see now. Ask for the person's own consent, or have somebody with another legal basis add them.`,
    errors: [{ field: `/member/${at}/entity`, code: "widens_sight", message }],
    ...(many && { entry }),
  };
}
