import { identifiersOnly, type Visibility, visiblePart } from "../../consent/visibility.ts";
import { isJsonObject } from "../../json.ts";
import { typeIn } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import { recordKey, type StoredRecord, storedRecord } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import { sightOf } from "../sight.ts";
import type { Caller } from "../types.ts";

/** The record whose feeds a record is told in, and what the caller sees of it. */
export interface FeedOwner {
  readonly stored: StoredRecord;
  readonly visibility: Visibility;
}

type Told = Pick<StoredRecord, "type" | "record">;

/** Of a beneficiary that is hidden nothing but its type is known. */
export function hiddenOwner<T extends Told>(stored: T) {
  return { stored: { ...stored, record: { type: stored.type } }, visibility: identifiersOnly };
}

/** The feeds in which the visible part of a record is told. */
export function feedsOf(
  { policies }: Pick<Settings, "policies">,
  { stored, visibility }: { readonly stored: Told; readonly visibility: Visibility },
): readonly string[] {
  return policies.feeds(visiblePart(stored.record, visibility), stored.type);
}

/** Memberships are told in the feeds of their beneficiaries, as far as those are seen. */
export async function feedOwners(
  settings: Settings,
  caller: Caller,
  records: readonly StoredRecord[],
): Promise<ReadonlyMap<string, FeedOwner>> {
  const memberships = records.flatMap((stored) => {
    const target = stored.type === "ProgramMembership" ? beneficiaryOf(stored) : undefined;
    return target ? [{ key: stored.key, target }] : [];
  });
  if (memberships.length === 0) return new Map();
  const documents = await settings.store.get(
    memberships.map(({ target }) => recordKey(target.type, target.key)),
  );
  const found = documents.map((document) => document && storedRecord(document));
  const of = await sightOf(
    settings,
    caller,
    found.flatMap((stored) => stored ?? []),
  );
  return new Map(
    memberships.flatMap(({ key }, i) => {
      const stored = found[i];
      if (!stored) return [];
      const visibility = of.get(stored.key);
      return [[key, visibility ? { stored, visibility } : hiddenOwner(stored)]];
    }),
  );
}

/** The record that an enrollment is of, where it is in this store. */
export function beneficiaryOf({
  record,
  links,
}: StoredRecord): { readonly type: ResourceType; readonly key: string } | undefined {
  const raw = isJsonObject(record.beneficiary) ? String(record.beneficiary.reference) : "";
  const key = links[raw];
  return key === undefined ? undefined : { type: typeIn(raw), key };
}
