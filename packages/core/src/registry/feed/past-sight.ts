import { type Period, startOfNext, touches } from "../../consent/periods.ts";
import { sees, type Visibility } from "../../consent/visibility.ts";
import { type ConsentFacts, visibleFields } from "../../consent/visible-fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { canonicalReference, type StoredReference } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Links, StoredRecord } from "../record/document.ts";
import { activeMembers, referenceTo } from "../record/render.ts";
import { identifiersOf } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";
import { feedsOf, hiddenOwner } from "./feed-owner.ts";
import { type Version, versionsAt } from "./versions.ts";

/** A record, and what it was like in a span of time. */
export interface PastRecord {
  readonly type: ResourceType;
  readonly key: string;
  readonly links: Links;
  readonly versions: readonly Version[];
}

/** A consent, and when it showed something. */
export type PastConsent = ConsentFacts & { readonly periods: readonly Period[] };

/** Everything that decided, in a span of time, what a caller was told of a record in a feed. */
export interface Past {
  readonly from: string;
  readonly to: string;
  readonly record: PastRecord;
  /** Whose feeds it is told in: of a membership its beneficiary, else the record itself. */
  readonly owner: PastRecord;
  /** Those that name the caller. */
  readonly consents: readonly PastConsent[];
  /** Groups that gave some of these. */
  readonly groups: readonly PastRecord[];
}

/**
 * The reference under which a caller could be told a record in a feed at last in a span of time; `undefined` when it never
 * could. What happened in one instant is taken as overlapping: a reader may have come in between. Pure.
 */
export function lastTold(
  settings: Pick<Settings, "policies">,
  caller: Caller,
  { past, feed }: { readonly past: Past; readonly feed: string },
): string | undefined {
  for (const instant of instantsOf(past)) {
    const version = versionsAt(past.record.versions, instant).find((one) =>
      toldAt(settings, caller, { past, feed, instant, version: one }),
    );
    if (version) return referenceTo(past.record.type, version.record);
  }
  return undefined;
}

/** Where anything began or ended that decided, newest first: in between everything stayed as it was. */
function instantsOf({ from, to, record, owner, consents, groups }: Past): readonly string[] {
  const periods = consents.flatMap((consent) => consent.periods);
  const records = [record, owner, ...groups].flatMap(({ versions }) => versions);
  const all = [
    from,
    ...periods.flatMap((period) => [period.from, period.until ?? from]),
    ...records.map((version) => version.from),
    ...groups.flatMap(({ versions }) => versions.flatMap(lastDays)),
  ];
  const within = all.filter((instant) => instant >= from && instant <= to);
  return [...new Set(within)].sort().reverse();
}

/** When the calendar ends somebody's time in a group. */
function lastDays({ record }: Version): readonly string[] {
  const members: readonly Json[] = Array.isArray(record.member) ? record.member : [];
  return members.flatMap((member) =>
    isJsonObject(member) && isJsonObject(member.period) && typeof member.period.end === "string"
      ? [startOfNext(member.period.end)]
      : [],
  );
}

interface Instant {
  readonly past: Past;
  readonly feed: string;
  readonly instant: string;
  readonly version: Version;
}

function toldAt(
  settings: Pick<Settings, "policies">,
  caller: Caller,
  { past, feed, instant, version }: Instant,
): boolean {
  const { record, owner } = past;
  const showing = sightAt(caller, past, instant);
  const isHidden = ({ basis }: Visibility) =>
    basis === "none" && settings.policies.withoutConsent !== "identifiers";
  const visibility = showing(record);
  if (isHidden(visibility)) return false;
  if (version.record.active === false && sees(visibility, "active")) return false;
  const ofOwner = showing(owner);
  const versions = owner === record ? [version] : versionsAt(owner.versions, instant);
  return versions.some((one) => {
    const stored = { type: owner.type, record: one.record };
    const then = isHidden(ofOwner) ? hiddenOwner(stored) : { stored, visibility: ofOwner };
    return feedsOf(settings, then).includes(feed);
  });
}

/** What the caller could see of each record at an instant. */
function sightAt(caller: Caller, { owner, consents, groups }: Past, instant: string) {
  const day = instant.slice(0, 10);
  const inForce = consents
    .filter(({ periods }) => periods.some((period) => touches(period, instant, instant)))
    .map(({ expiryDate: _, ...facts }) => ({ ...facts, status: "given" as const, effectiveDate: day }));
  const joined = groups.filter((group) =>
    versionsAt(group.versions, instant).some(({ record }) => hasMember({ ...group, record }, owner, day)),
  );
  const speaking = owner.type === "Individual" ? joined.map(({ key }) => key) : [];
  return ({ type, key }: PastRecord): Visibility => {
    const beneficiary = type === "ProgramMembership" ? { beneficiary: owner.key } : {};
    return visibleFields(caller, { type, key, groups: speaking, ...beneficiary }, inForce, day);
  };
}

/** Whether a person was an active member of a group; its links know only those whom it names now. */
function hasMember(
  { record, links }: Pick<StoredRecord, "record" | "links">,
  person: PastRecord,
  day: string,
): boolean {
  const own = person.versions.flatMap((version) =>
    identifiersOf(version.record).map((identifier) => canonicalReference(person.type, identifier)),
  );
  return activeIn(record, day).some((raw) =>
    links[raw] === undefined ? own.includes(raw) : links[raw] === person.key,
  );
}

function activeIn(group: JsonObject, day: string): readonly StoredReference[] {
  if (group.active === false) return [];
  return activeMembers(group, day).flatMap(({ entity }) =>
    isJsonObject(entity) ? (entity.reference as StoredReference) : [],
  );
}
