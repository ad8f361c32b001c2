import type { JsonObject } from "../../json.ts";
import { canonicalReference } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Store } from "../../store/port.ts";
import { recordKey, type StoredRecord, storedRecord } from "./document.ts";
import { identifiersOf, mapReferences, splitRaw } from "./stored.ts";

/** Gives the raw reference under which a record's link can be followed today. */
export type CurrentReference = (stored: StoredRecord, raw: string) => string;

/**
 * A stored reference may name an identifier that its target has since lost, perhaps to another record. What counts
 * is the link; so before a reference is shown or taken over, it is put in terms of an identifier that the target
 * has now. Targets that are not in this store keep the reference as it was written.
 */
export async function currentReferences(
  records: readonly StoredRecord[],
  { store, fresh = [] }: { readonly store: Store; readonly fresh?: readonly StoredRecord[] },
): Promise<CurrentReference> {
  const targets = new Map<string, JsonObject>(fresh.map((stored) => [stored.key, stored.record]));
  const missing = linkedTargets(records).filter(({ key }) => !targets.has(key));
  const documents =
    missing.length > 0 ? await store.get(missing.map(({ type, key }) => recordKey(type, key))) : [];
  for (const document of documents) if (document) targets.set(document.key, storedRecord(document).record);
  return ({ links }, raw) => {
    const { type, system, value } = splitRaw(raw);
    const held = identifiersOf(targets.get(links[raw] ?? "") ?? {});
    const first = held[0];
    const kept = held.some((identifier) => identifier.system === system && identifier.value === value);
    return kept || !first ? raw : canonicalReference(type, first);
  };
}

function linkedTargets(records: readonly StoredRecord[]): readonly { type: ResourceType; key: string }[] {
  const targets = new Map<string, { type: ResourceType; key: string }>();
  for (const { links } of records) {
    for (const [raw, key] of Object.entries(links)) targets.set(key, { type: splitRaw(raw).type, key });
  }
  return [...targets.values()];
}

/** The same records, their references in terms of identifiers that the targets have now. */
export async function withCurrentReferences(
  records: readonly StoredRecord[],
  store: Store,
): Promise<readonly StoredRecord[]> {
  const current = await currentReferences(records, { store });
  return records.map((stored) => ({
    ...stored,
    record: mapReferences(stored.type, stored.record, (raw) => current(stored, raw)),
    links: Object.fromEntries(Object.entries(stored.links).map(([raw, key]) => [current(stored, raw), key])),
  }));
}
