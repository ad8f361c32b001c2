import type { JsonObject } from "../../json.ts";
import { canonicalReference, type StoredReference, typeIn } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Store, StoredDocument } from "../../store/port.ts";
import { documentsOf } from "../every-page.ts";
import { linkEntries, recordKey, type StoredRecord, storedRecord } from "./document.ts";
import { identifiersOf, mapReferences } from "./stored.ts";

/** Gives the raw reference under which a record's link can be followed today. */
export type CurrentReference = (stored: StoredRecord, raw: StoredReference) => StoredReference;

/**
 * A stored reference may name an identifier that its target has since lost, perhaps to another record. What counts
 * is the link; so before a reference is shown or taken over, it is put in terms of an identifier that the target
 * has now. Targets that are not in this store keep the reference as it was written.
 */
export async function currentReferences(
  records: readonly StoredRecord[],
  { store, fresh = [] }: { readonly store: Store; readonly fresh?: readonly StoredRecord[] },
): Promise<CurrentReference> {
  const targets = new Map(fresh.map(({ type, key, record }) => [key, namesIn(type, record)] as const));
  const missing = linkedTargets(records).filter(({ key }) => !targets.has(key));
  for await (const documents of documentsOf(
    store,
    missing.map(({ type, key }) => recordKey(type, key)),
  )) {
    for (const document of documents) if (document) targets.set(document.key, namesHeld(document));
  }
  return ({ links }, raw) => {
    const held = targets.get(links[raw] ?? "") ?? [];
    return held.includes(raw) ? raw : (held[0] ?? raw);
  };
}

function namesIn(type: ResourceType, record: JsonObject): readonly StoredReference[] {
  return identifiersOf(record).map((identifier) => canonicalReference(type, identifier));
}

/** The names that lead to a record. On a device another one may have what it says that it is called; then it has one of its own. */
function namesHeld(document: StoredDocument): readonly StoredReference[] {
  const { type, record } = storedRecord(document);
  const claims = document.claims.filter((claim) => claim.startsWith(`${type}/`)) as StoredReference[];
  const held = namesIn(type, record).filter((name) => claims.includes(name));
  return held.length > 0 ? held : claims;
}

function linkedTargets(records: readonly StoredRecord[]): readonly { type: ResourceType; key: string }[] {
  const targets = new Map<string, { type: ResourceType; key: string }>();
  for (const { links } of records) {
    for (const [raw, key] of Object.entries(links)) targets.set(key, { type: typeIn(raw), key });
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
    links: Object.fromEntries(linkEntries(stored.links).map(([raw, key]) => [current(stored, raw), key])),
  }));
}
