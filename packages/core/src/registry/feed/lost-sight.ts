import { consentedRecords, consentsFor } from "../../consent/consent-sight.ts";
import { factsOf, type StoredConsent } from "../../consent/document.ts";
import { type FormerGroups, loadFormerGroups } from "../../consent/former-members.ts";
import { statusOn } from "../../consent/transitions.ts";
import { sees, type Visibility } from "../../consent/visibility.ts";
import {
  type ConsentedRecord,
  names,
  scopesFor,
  speakersFor,
  visibleFields,
} from "../../consent/visible-fields.ts";
import type { StoredRecord } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";
import { feedsOf } from "./feed-owner.ts";

/**
 * Clocks and commits may cross: what ended so shortly before counts as ended since. The price is that a change of a record
 * just hidden may be told, as another `removed`, to who read the feed within this time of losing sight of it.
 */
const graceMilliseconds = 60_000;

/** Keys of the hidden records of which the caller lost sight since an instant: by a withdrawal, or with a group. */
export async function lostSight(
  settings: Settings,
  caller: Caller,
  {
    hidden,
    feed,
    since,
  }: { readonly hidden: readonly StoredRecord[]; readonly feed: string; readonly since: string },
): Promise<ReadonlySet<string>> {
  if (hidden.length === 0) return new Set();
  const from = new Date(Date.parse(since) - graceMilliseconds).toISOString();
  const consented = await consentedRecords(settings, hidden);
  const former = await loadFormerGroups(settings, consented.map(personOf));
  const speakers = consented.map((record) => ({
    record,
    left: former.get(personOf(record)) ?? {},
  }));
  const subjects = speakers.flatMap(({ record, left }) => [...speakersFor(record), ...Object.keys(left)]);
  const consents = await consentsFor(settings, caller, [...new Set(subjects)]);
  const lost = speakers.filter(({ record, left }, i) => {
    const ended = consents.filter(
      (consent) => (endOf(consent, { record, left }, settings.today()) ?? "") >= from,
    );
    const stored = hidden[i];
    return stored !== undefined && wasTold(settings, caller, { stored, record, consents: ended, feed });
  });
  return new Set(lost.map(({ record }) => record.key));
}

function personOf({ key, beneficiary }: ConsentedRecord): string {
  return beneficiary ?? key;
}

/** When a consent ceased to speak for a record, by someone's act; the calendar's ends are told by `dayNews`. */
function endOf(
  { consent, subjectKey }: StoredConsent,
  { record, left }: { readonly record: ConsentedRecord; readonly left: FormerGroups },
  today: string,
): string | undefined {
  const { effectiveDate, meta } = consent;
  const status = statusOn(consent, today);
  const isOf = speakersFor(record).includes(subjectKey);
  const leaving = left[subjectKey];
  if (!isOf && (leaving === undefined || leaving.slice(0, 10) < effectiveDate)) return undefined;
  if (status === "given" || status === "renewed") {
    // Who left before it was given was never shown by it.
    const before = status === "given" && leaving !== undefined && leaving < meta.lastUpdated;
    return isOf || before ? undefined : leaving;
  }
  const ended = ["withdrawn", "invalidated", "expired"].includes(consent.status);
  if (!ended || meta.lastUpdated.slice(0, 10) < effectiveDate) return undefined;
  return isOf || leaving === undefined || leaving > meta.lastUpdated ? meta.lastUpdated : leaving;
}

/** Whether these consents, when they were in force, told a record to the caller in a feed. */
export function wasTold(
  settings: Settings,
  caller: Caller,
  {
    stored,
    record,
    consents,
    feed,
  }: {
    readonly stored: StoredRecord;
    readonly record: ConsentedRecord;
    readonly consents: readonly StoredConsent[];
    readonly feed: string;
  },
): boolean {
  const today = settings.today();
  const began = consents.map(factsOf).filter(({ effectiveDate }) => effectiveDate <= today);
  const inForce = began
    .filter((facts) => names(facts, caller) && scopesFor(facts, record.type).length > 0)
    .map(({ expiryDate: _, ...facts }) => ({ ...facts, status: "given" as const }));
  const groups = [...record.groups, ...inForce.map(({ subject }) => subject)];
  const visibility = visibleFields(caller, { ...record, groups }, inForce, today);
  if (visibility.basis === "none") return false;
  if (record.type === "ProgramMembership") return stored.feeds.includes(feed);
  return feedsOf(settings, { stored, visibility }).includes(feed) || leftWith(stored, visibility, feed);
}

/** Lost together with the feed: it can't be told by what the record says now. */
function leftWith(stored: StoredRecord, visibility: Visibility, feed: string): boolean {
  return !stored.feeds.includes(feed) && sees(visibility, "address");
}
