import { consentsFor } from "../../consent/consent-sight.ts";
import { factsOf } from "../../consent/document.ts";
import { loadFormerGroups } from "../../consent/former-members.ts";
import { touches } from "../../consent/periods.ts";
import { isExempt, names } from "../../consent/visible-fields.ts";
import { everyPageOf } from "../every-page.ts";
import { recordKey, type StoredRecord, storedRecord } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";
import { beneficiaryOf } from "./feed-owner.ts";
import type { PastConsent } from "./past-sight.ts";

/** A record that some consent could have shown, and what that depends on. */
export interface Concerned {
  readonly stored: StoredRecord;
  /** Whose feeds it is told in. */
  readonly owner: StoredRecord;
  readonly consents: readonly PastConsent[];
  readonly groups: readonly StoredRecord[];
}

/**
 * Those of the records that anything could have shown to a caller in a span of time, with what that depends on: consents that
 * were in force in it, whatever their state now, and the groups that gave some.
 */
export async function concernedRecords(
  settings: Settings,
  caller: Caller,
  {
    records,
    from,
    to,
  }: { readonly records: readonly StoredRecord[]; readonly from: string; readonly to: string },
): Promise<readonly Concerned[]> {
  const owners = await ownersOf(settings, records);
  const owned = records.flatMap((stored) => {
    const owner = owners.get(stored.key);
    return owner ? [{ stored, owner }] : [];
  });
  if (isExempt(caller)) return owned.map((one) => ({ ...one, consents: [], groups: [] }));
  const persons = [...new Set(owned.flatMap(({ owner }) => (owner.type === "Individual" ? owner.key : [])))];
  const groups = await groupsEver(settings, persons);
  const subjects = [
    ...owned.map(({ owner }) => owner.key),
    ...[...groups.values()].flat().map(({ key }) => key),
  ];
  const consents = (await consentsFor(settings, caller, [...new Set(subjects)]))
    .map((consent) => ({ ...factsOf(consent), periods: consent.periods }))
    .filter((consent) => names(consent, caller))
    .filter(({ periods }) => periods.some((period) => touches(period, from, to)));
  return owned.flatMap(({ stored, owner }) => {
    const own = groups.get(owner.key) ?? [];
    const speakers = new Set([owner, ...own].map(({ key }) => key));
    const speaking = consents.filter(({ subject }) => speakers.has(subject));
    const given = new Set(speaking.map(({ subject }) => subject));
    // Without any consent in all that time nothing of it changed for the caller.
    if (speaking.length === 0) return [];
    return [{ stored, owner, consents: speaking, groups: own.filter(({ key }) => given.has(key)) }];
  });
}

/** Of each record the one whose feeds it is told in: of a membership its beneficiary. */
async function ownersOf(
  { store }: Pick<Settings, "store">,
  records: readonly StoredRecord[],
): Promise<ReadonlyMap<string, StoredRecord>> {
  const targets = records.flatMap((stored) => {
    const target = stored.type === "ProgramMembership" ? beneficiaryOf(stored) : undefined;
    return target ? [{ key: stored.key, target: recordKey(target.type, target.key) }] : [];
  });
  const documents = targets.length > 0 ? await store.get(targets.map(({ target }) => target)) : [];
  const own = records.filter(({ type }) => type !== "ProgramMembership");
  return new Map([
    ...own.map((stored) => [stored.key, stored] as const),
    ...targets.flatMap(({ key }, i) => {
      const document = documents[i];
      return document ? [[key, storedRecord(document)] as const] : [];
    }),
  ]);
}

/** The groups that persons are or were in, as far as these may have shown them to anybody: those that they left are noted. */
async function groupsEver(
  settings: Settings,
  persons: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredRecord[]>> {
  if (persons.length === 0) return new Map();
  const found = await everyPageOf(settings.store, { collection: "Group", index: "member", anyOf: persons });
  const naming = found.map(storedRecord);
  const former = await loadFormerGroups(settings, persons);
  const left = new Set([...former.values()].flatMap((groups) => Object.keys(groups)));
  const documents = await settings.store.get([...left].map((key) => recordKey("Group", key)));
  const lefts = documents.flatMap((document) => (document ? storedRecord(document) : []));
  return new Map(
    persons.map((person) => {
      const noted = former.get(person) ?? {};
      const of = [
        ...naming.filter(({ links }) => Object.values(links).includes(person)),
        ...lefts.filter(({ key }) => noted[key] !== undefined),
      ];
      return [person, [...new Map(of.map((group) => [group.key, group])).values()]] as const;
    }),
  );
}
