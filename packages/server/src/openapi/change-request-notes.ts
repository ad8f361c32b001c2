import { type JsonObject, organizationTypes } from "@fieldroll/core";
import type { PlacedNotes } from "./annotated.ts";
import { examplesOf } from "./examples.ts";
import { registrantExtIdSource } from "./ext-ids.ts";
import { notesOfExtension } from "./notes.ts";

/** What the data of the types that are shipped mean, by the name of the type and the place in its data. */
export const changeRequestNotesByType: Readonly<Record<string, PlacedNotes>> = {
  add_farmer: {
    name: "The whole name.",
    birthdate: "The birth date.",
    gender: "As a word.",
    farmer: "The extension `farmer` of the new person.",
    ...notesOfExtension("farmer", "farmer"),
  },
  edit_farmer: {
    registrant_ext_id: `Whose extension is to change. ${registrantExtIdSource}`,
    farmer: "A merge patch (RFC 7396) of the extension `farmer`: what is left out stays, null clears.",
    ...notesOfExtension("farmer", "farmer"),
  },
  create_farm: {
    registrant_ext_id: `Who becomes the farm's head. ${registrantExtIdSource}`,
    name: "The farm's name.",
    farm: "The extension `farm` of the new group.",
  },
  grant_consent: {
    subject: "Whose data it is about: a person, or a group for all who are active in it.",
    "subject.reference": "`Individual/<system>|<value>` or `Group/<system>|<value>`.",
    "subject.display": "The subject's name; passed over when sent.",
    grantee: "Who may see: either `organization` or `organizationType`.",
    "grantee.organization": "One organization, by the name that its clients are registered with.",
    "grantee.organizationType": `Every organization of a type: ${organizationTypes.join(", ")}.`,
    scope: "What is shown, at least one entry; what any entry shows is shown.",
    "scope[].resourceType": "The type of record that the entry is about; `all` is each of them.",
    "scope[].fieldAccess":
      "`all` core fields; `basic`: type, identifier, name, active, meta; `custom`: type, identifier and what `fields` names.",
    "scope[].fields":
      "With `custom`, and only then: members such as `name`, or one level below such as `name.family`.",
    "scope[].extensions":
      "Names of extensions that are shown as well: none is without being named, also under `all`.",
    purpose: "What the data may be used for. A consent without one holds for any purpose.",
    legalBasis: "The legal basis, in words.",
    effectiveDate: "The first day on which it holds. Default: the day on which it is applied.",
    expiryDate: "The last day on which it holds; not before the first. Default: none.",
    collectionMethod: "How it was given.",
    evidence: "Proof of it, as text. Not shown to restricted callers; erased when the consent is deleted.",
  },
  reopen_enrollment: {
    membership: "The enrollment to open anew, which must be exited.",
    "membership.reference": "`ProgramMembership/<system>|<value>`.",
    "membership.display": "Passed over when sent.",
  },
};

/** What somebody may send of the types that are shipped, in a deployment's words. */
export function changeRequestSamples(namespace: string): Readonly<Record<string, JsonObject>> {
  const { extId, consent, personReference } = examplesOf(namespace);
  const { grantee, scope, purpose, effectiveDate, expiryDate, collectionMethod } = consent;
  return {
    add_farmer: {
      name: "Ana Reyes",
      birthdate: "1990-04-17",
      farmer: { farmSize: 1.5, farmSizeUnit: "ha" },
    },
    edit_farmer: { registrant_ext_id: extId, farmer: { farmSize: 2.25, livestockCount: null } },
    create_farm: { registrant_ext_id: extId, name: "Reyes farm" },
    grant_consent: {
      subject: { reference: personReference },
      ...{ grantee, scope, purpose, effectiveDate, expiryDate, collectionMethod },
    },
    reopen_enrollment: {
      membership: { reference: `ProgramMembership/urn:${namespace}:program-membership|${extId}` },
    },
  };
}
