import { recordDocument, recordKey, type StoredRecord, storedRecord } from "../registry/record/document.ts";
import type { Settings } from "../registry/settings.ts";
import type { CommitPart } from "../registry/write/followers.ts";
import type { ResourceType } from "../resource/types.ts";
import type { DocumentKey } from "../store/port.ts";
import { recordsUnder } from "./consent-sight.ts";
import type { StoredConsent } from "./document.ts";
import { scopesFor } from "./visible-fields.ts";

const consentedTypes: readonly ResourceType[] = ["Individual", "Group", "ProgramMembership"];

/** The records of which feeds tell when these consents begin, change or end. */
export async function toldUnder(
  settings: Settings,
  consents: readonly StoredConsent[],
): Promise<readonly DocumentKey[]> {
  const found = consentedTypes.map((type) => {
    // Enrollments are told where their beneficiaries are, by what is seen of these.
    const follows = type === "ProgramMembership";
    const speaking = consents.filter(({ consent }) => follows || scopesFor(consent, type).length > 0);
    return speaking.length > 0 ? recordsUnder(settings, speaking, type) : [];
  });
  return (await Promise.all(found)).flat().map(({ type, key }) => recordKey(type, key));
}

/** Puts the records that a consent speaks for again, unchanged: feeds tell them anew, by what their readers may see now. */
export async function touchUnder(settings: Settings, stored: StoredConsent): Promise<CommitPart> {
  const documents = await settings.store.get(await toldUnder(settings, [stored]));
  return touch(documents.flatMap((document) => (document ? [storedRecord(document)] : [])));
}

/** Puts records again, unchanged, provided that nobody else writes them meanwhile. */
export function touch(records: readonly StoredRecord[]): CommitPart {
  return {
    expect: records.map(({ type, key, version }) => ({ kind: "version", ...recordKey(type, key), version })),
    put: records.map((stored) => recordDocument({ ...stored, version: stored.version + 1 })),
  };
}
