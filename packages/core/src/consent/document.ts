import type { JsonObject } from "../json.ts";
import type { Caller } from "../registry/types.ts";
import type { StoredReference } from "../resource/reference.ts";
import type { Document, StoredDocument } from "../store/port.ts";
import { type Period, periodsAfter, startOf } from "./periods.ts";
import type { Consent, Grantee } from "./types.ts";
import type { ConsentFacts } from "./visible-fields.ts";

/** Where consents are kept; the key of each is its id. */
export const consentCollection = "Consent";

/** A consent at rest: as it was last written, its subject by stored reference and by internal key. */
export interface StoredConsent {
  readonly version: number;
  readonly consent: Consent & {
    readonly effectiveDate: string;
    readonly subject: { readonly reference: StoredReference };
  };
  readonly subjectKey: string;
  /** When it showed something, oldest first: on record, whatever days it names. */
  readonly periods: readonly Period[];
}

/** Builds the document of a consent. */
export function consentDocument({ version, consent, subjectKey, periods }: StoredConsent): Document {
  const { id, grantee, status, effectiveDate, expiryDate, subject } = consent;
  return {
    collection: consentCollection,
    key: id,
    version,
    body: {
      record: consent as unknown as JsonObject,
      links: { [subject.reference]: subjectKey },
      periods: periods.map((period) => ({ ...period })),
    },
    entries: {
      subject: [subjectKey],
      grantee: granteeEntries(grantee),
      status: [status],
      effectiveDate: [effectiveDate],
      ...(expiryDate !== undefined && { expiryDate: [expiryDate] }),
      lastUpdated: [consent.meta.lastUpdated],
    },
  };
}

/** Reads a consent back from its document. */
export function storedConsent({ body, version }: StoredDocument): StoredConsent {
  const { record, links, periods } = body as unknown as {
    readonly record: StoredConsent["consent"];
    readonly links: Readonly<Record<string, string>>;
    readonly periods?: readonly Period[];
  };
  return {
    version,
    consent: record,
    subjectKey: links[record.subject.reference] ?? "",
    periods: periods ?? unrecordedPeriods(record),
  };
}

/** Of a consent that was kept before its periods were: by its days and its last change. */
function unrecordedPeriods(consent: StoredConsent["consent"]): readonly Period[] {
  const from = startOf(consent.effectiveDate);
  const begun = periodsAfter([], { ...consent, status: "given" }, from);
  return periodsAfter(begun, consent, consent.meta.lastUpdated);
}

/** What the rules of visibility look at. */
export function factsOf({ consent, subjectKey }: StoredConsent): ConsentFacts {
  return { ...consent, subject: subjectKey };
}

/** Index values under which consents given to a grantee, or to a caller's organization or its type, are found. */
export function granteeEntries({
  organization,
  organizationType,
}: Grantee | Pick<Caller, "organization" | "organizationType">): readonly string[] {
  return [
    ...(organization === undefined ? [] : [`org:${organization}`]),
    ...(organizationType === undefined ? [] : [`type:${organizationType}`]),
  ];
}
