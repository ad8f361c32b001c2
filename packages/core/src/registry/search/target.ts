import { canonicalReference, typeIn } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import { type StoredRecord, storedRecord } from "../record/document.ts";
import { identifiersOf } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import { absentKey, sightOf } from "../sight.ts";
import type { Caller } from "../types.ts";

/** What a reference in a search leads to. */
export interface Found {
  /** Values under which indexes of references hold it. */
  readonly values: readonly string[];
  /** Every raw reference that leads to the same record. */
  readonly references: readonly string[];
  /** The record; absent when there is none, or none that the caller may know of. */
  readonly stored?: StoredRecord;
}

/** Finds what a raw reference leads to: by its target's key, or by its text where the target is not here. */
export async function findTarget({ store }: Pick<Settings, "store">, reference: string): Promise<Found> {
  const [holder] = await store.resolve([reference]);
  const [document] = holder ? await store.get([holder]) : [];
  if (!document) return { values: [reference], references: [reference] };
  const stored = storedRecord(document);
  const references = referencesTo(stored);
  return { values: [...new Set([stored.key, reference, ...references])], references, stored };
}

/**
 * As {@link findTarget}, for a caller bound by consent: records that it sees name others by reference alone. The other
 * references to a record are known to it when it may see that record; else asking for them would tell what is hidden.
 */
export async function findVisibleTarget(
  settings: Settings,
  caller: Caller,
  reference: string,
): Promise<Found> {
  const type = typeIn(reference);
  const [holder] = await settings.store.resolve([reference]);
  const at = holder ?? absentKey(type);
  const isSeen = (await sightOf(settings, caller, [at])).has(at.key);
  const [document] = holder && isSeen ? await settings.store.get([holder]) : [];
  const references = document ? referencesTo(storedRecord(document)) : [reference];
  return { values: references, references };
}

function referencesTo({
  type,
  record,
}: {
  type: ResourceType;
  record: StoredRecord["record"];
}): readonly string[] {
  return identifiersOf(record).map((identifier) => canonicalReference(type, identifier));
}
