import { recordDocument, recordKey, type StoredRecord, storedRecord } from "../registry/record/document.ts";
import type { Settings } from "../registry/settings.ts";
import type { CommitPart } from "../registry/write/followers.ts";
import type { ResourceType } from "../resource/types.ts";
import { recordsUnder } from "./consent-sight.ts";
import type { StoredConsent } from "./document.ts";
import { scopesFor } from "./visible-fields.ts";

const consentedTypes: readonly ResourceType[] = ["Individual", "Group", "ProgramMembership"];

/** Puts the records that a consent speaks for again, unchanged: feeds tell them anew, by what their readers may see now. */
export async function touchUnder(settings: Settings, stored: StoredConsent): Promise<CommitPart> {
  // Enrollments are told where their beneficiaries are, by what is seen of these.
  const follows = (type: ResourceType) => type === "ProgramMembership";
  const types = consentedTypes.filter((type) => follows(type) || scopesFor(stored.consent, type).length > 0);
  const found = await Promise.all(types.map((type) => recordsUnder(settings, [stored], type)));
  const keys = found.flat().map(({ type, key }) => recordKey(type, key));
  const documents = await settings.store.get(keys);
  return touch(documents.flatMap((document) => (document ? [storedRecord(document)] : [])));
}

/** Puts records again, unchanged, provided that nobody else writes them meanwhile. */
export function touch(records: readonly StoredRecord[]): CommitPart {
  return {
    expect: records.map(({ type, key, version }) => ({ kind: "version", ...recordKey(type, key), version })),
    put: records.map((stored) => recordDocument({ ...stored, version: stored.version + 1 })),
  };
}
