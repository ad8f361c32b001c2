import { auditCollection, auditDocumentAgain, auditEntries } from "../audit/document.ts";
import { cycleCollection, cycleDocument, storedCycle } from "../benefits/cycle-document.ts";
import {
  entitlementCollection,
  entitlementDocumentAgain,
  storedEntitlement,
} from "../benefits/entitlement-document.ts";
import { fundCollection } from "../benefits/fund.ts";
import { takesFromFund } from "../benefits/states.ts";
import { changeRequestCollection, changeRequestDocument, storedRequest } from "../change-request/document.ts";
import { consentCollection, consentDocument, storedConsent } from "../consent/document.ts";
import { formerMemberCollection } from "../consent/former-members.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { recordKey } from "../registry/record/document.ts";
import { photoCollection, type StoredPhoto } from "../registry/record/stored-photo.ts";
import type { Settings } from "../registry/settings.ts";
import { systemCollection } from "../registry/system-documents.ts";
import { guardCollection } from "../registry/write/followers.ts";
import { answerCollection, answerDocument, type RememberedAnswer } from "../registry/write/idempotency.ts";
import { photoSchema } from "../resource/photo.ts";
import { typeIn } from "../resource/reference.ts";
import { resourceTypes } from "../resource/types.ts";
import type { DocumentKey, StoredDocument } from "../store/port.ts";
import { fundFaults } from "./fund-check.ts";
import { declaredIn, type KeptKind, type KeptReference, plainKind } from "./kept-kind.ts";
import { recordKind } from "./record-kind.ts";

/** Every kind of document that a registry keeps. */
export function keptKinds(settings: Settings): readonly KeptKind[] {
  return [
    ...resourceTypes.map((type) => recordKind(settings, type)),
    photos,
    consents,
    cycles,
    entitlements,
    plainKind(fundCollection, {
      references: ({ key }) => [{ to: [recordKey("Program", key)], what: "its program" }],
      further: (document) => fundFaults(settings, document),
    }),
    changeRequests,
    answers(settings),
    plainKind(guardCollection, {
      references: ({ key }) => [
        { to: [recordKey("Individual", key), recordKey("Group", key)], what: "its beneficiary" },
      ],
    }),
    plainKind(formerMemberCollection, { references: formerGroups }),
    plainKind(systemCollection),
    trail,
  ];
}

const photos = plainKind(photoCollection, {
  bodyFaults: ({ body }) => (photoSchema.safeParse(photoIn(body).photo).success ? [] : ["is not a photo"]),
  references: ({ body }) => [{ to: [recordKey("Individual", photoIn(body).of)], what: "its person" }],
});

function photoIn(body: StoredDocument["body"]): StoredPhoto {
  return body as unknown as StoredPhoto;
}

const consents: KeptKind = {
  collection: consentCollection,
  erases: true,
  bodyFaults: (document) => {
    const { consent, subjectKey } = storedConsent(document);
    return [
      ...(consent.id === document.key ? [] : ["is kept under another id than its own"]),
      ...(subjectKey === "" ? ["has no link to its subject"] : []),
    ];
  },
  // By the name that its subject had when it was given: decision 70.
  references: (document) => {
    const { consent, subjectKey } = storedConsent(document);
    return [{ to: [{ collection: typeIn(consent.subject.reference), key: subjectKey }], what: "/subject" }];
  },
  declared: (document) => declaredIn(consentDocument(storedConsent(document))),
  trail: (document) => {
    const { meta } = storedConsent(document).consent;
    return { record: `Consent/${document.key}`, version: Number(meta.versionId), at: meta.lastUpdated };
  },
};

const cycles: KeptKind = {
  collection: cycleCollection,
  showsVersion: true,
  references: (document) => [
    { to: [recordKey("Program", storedCycle(document).body.program)], what: "its program" },
  ],
  declared: (document) => declaredIn(cycleDocument(storedCycle(document))),
  trail: ({ key, version }) => ({ record: `Cycle/${key}`, version }),
};

const entitlements: KeptKind = {
  collection: entitlementCollection,
  showsVersion: true,
  references: (document) => {
    const { program, cycle, registrant, state } = storedEntitlement(document).body;
    const fund = { to: [{ collection: fundCollection, key: program }], what: "the fund that it takes from" };
    return [
      { to: [recordKey("Program", program)], what: "its program" },
      { to: [{ collection: cycleCollection, key: cycle }], what: "its cycle" },
      { to: [recordKey("Individual", registrant)], what: "its registrant" },
      ...(takesFromFund(state) ? [fund] : []),
    ];
  },
  declared: (document) => declaredIn(entitlementDocumentAgain(document)),
  trail: ({ key, version }) => ({ record: `Entitlement/${key}`, version }),
};

const changeRequests: KeptKind = {
  collection: changeRequestCollection,
  showsVersion: true,
  // By the names that were written: decision 10 leaves them as they are.
  references: (document) =>
    Object.entries(storedRequest(document).body.links ?? {}).map(([raw, key]) => ({
      to: [{ collection: typeIn(raw), key }],
      what: "a record that its data name",
    })),
  declared: (document) => declaredIn(changeRequestDocument(storedRequest(document))),
  trail: ({ key, version }) => ({ record: `ChangeRequest/${key}`, version }),
};

const dayMilliseconds = 86_400_000;

/** A day is for clocks that differ. */
function answers({ now }: Settings): KeptKind {
  const rememberedIn = ({ body }: StoredDocument) => body as unknown as RememberedAnswer;
  return {
    collection: answerCollection,
    bodyFaults: (document) => {
      const { at, fingerprint, answers } = rememberedIn(document);
      const sound = typeof fingerprint === "string" && Array.isArray(answers) && Date.parse(at) > 0;
      if (!sound) return ["is not an answer with its instant"];
      const late = Date.parse(at) > Date.parse(now()) + dayMilliseconds;
      return late ? ["is of a time to come, and would be kept too long"] : [];
    },
    declared: (document) => declaredIn(answerDocument(document.key, rememberedIn(document))),
  };
}

function formerGroups({ key, body }: StoredDocument): readonly KeptReference[] {
  const groups = Object.keys(isJsonObject(body) ? body : {});
  return [
    { to: [recordKey("Individual", key)], what: "its person" },
    ...groups.map((group) => ({ to: [recordKey("Group", group)], what: "a group that the person left" })),
  ];
}

/** The documents that the trail names, where they stay for good: a change request may be taken back. */
const collections: Readonly<Record<string, string>> = {
  ...Object.fromEntries(resourceTypes.map((type) => [type, type])),
  Consent: consentCollection,
  Cycle: cycleCollection,
  Entitlement: entitlementCollection,
};

const trail: KeptKind = {
  collection: auditCollection,
  references: (document) =>
    auditEntries(document).flatMap(({ records: [record = ""], versionId }) => {
      const to = changedDocument(record);
      if (versionId === undefined || !to) return [];
      return [{ to: [to], atLeast: Number(versionId), what: "the record whose change it tells" }];
    }),
  declared: (document) => declaredIn(auditDocumentAgain(document)),
};

function changedDocument(record: string): DocumentKey | undefined {
  const slash = record.indexOf("/");
  const collection = collections[record.slice(0, slash)];
  return collection === undefined ? undefined : { collection, key: record.slice(slash + 1) };
}

/** The version that callers know of a document that is no record. */
export function shownVersion({ collection, version, body }: StoredDocument): number {
  if (collection !== consentCollection) return version;
  const { meta } = (body as { readonly record: JsonObject }).record;
  return Number(isJsonObject(meta) ? meta.versionId : Number.NaN);
}
