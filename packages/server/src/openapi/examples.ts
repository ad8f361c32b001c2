import type { JsonObject } from "@fieldroll/core";

const extId = "018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8e9f";
const programExtId = "018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8ea0";
const cycleExtId = "018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8ea1";

/** The people, places and things that all examples of the document are about, in a deployment's words. */
export function examplesOf(namespace: string) {
  const meta = {
    versionId: "1",
    lastUpdated: "2026-03-01T08:00:00.000Z",
    source: `urn:${namespace}:api-client:survey`,
  };
  const role = (code: string) => ({ coding: [{ system: `urn:${namespace}:vocab:relationship`, code }] });
  const records = recordExamples({ namespace, meta, role });
  return { ...records, meta, role, ...styleExamples(namespace), consent: consentExample(meta) };
}

interface Words {
  readonly namespace: string;
  readonly meta: JsonObject;
  readonly role: (code: string) => JsonObject;
}

function recordExamples({ namespace, meta, role }: Words) {
  const personReference = "Individual/urn:gov:ph:nid|123456";
  const groupReference = `Group/urn:${namespace}:group|HH-1`;
  const personBody = {
    type: "Individual",
    identifier: [{ system: "urn:gov:ph:nid", value: "123456" }],
    name: { family: "Reyes", given: "Ana" },
    birthDate: "1990-04-17",
    gender: { coding: [{ system: "urn:iso:std:iso:5218", code: "2", display: "Female" }] },
    telecom: [{ system: "phone", value: "+639170000000", use: "mobile", rank: 1 }],
    address: [{ type: "physical", line: ["12 Mabini Street"], city: "Quezon City", country: "PH" }],
  };
  const member = { entity: { reference: personReference }, role: role("head") };
  const groupBody = {
    type: "Group",
    identifier: [{ system: `urn:${namespace}:group`, value: "HH-1" }],
    groupType: "household",
    name: "Reyes",
    member: [member],
  };
  const membershipBody = {
    type: "ProgramMembership",
    program: { reference: `Program/urn:${namespace}:program|cash` },
    beneficiary: { reference: groupReference },
    status: "enrolled",
    enrollmentDate: "2026-03-01",
  };
  const groupMembership = [{ group: { reference: groupReference, display: "Reyes" }, role: role("head") }];
  return {
    personReference,
    groupReference,
    member,
    personBody,
    person: { ...personBody, active: true, groupMembership, meta },
    personPatch: { name: { given: "Ana Maria" }, birthDate: null },
    groupBody,
    group: { ...groupBody, active: true, quantity: 1, meta },
    groupPatch: { name: "Reyes-Santos" },
    program: {
      type: "Program",
      identifier: [{ system: `urn:${namespace}:program`, value: "cash" }],
      active: true,
      name: "Cash for families",
      targetType: "group",
      period: { start: "2026-01-01" },
      status: "active",
      meta,
    },
    membershipBody,
    membership: {
      ...membershipBody,
      identifier: [{ system: `urn:${namespace}:program-membership`, value: extId }],
      meta,
    },
  };
}

function consentExample(meta: JsonObject) {
  return {
    id: "0190d0a2-5b7e-7c3a-9f10-2b3c4d5e6f70",
    type: "Consent",
    status: "given",
    subject: { reference: "Individual/urn:gov:ph:nid|123456" },
    grantee: { organization: "Relief Now" },
    scope: [{ resourceType: "Individual", fieldAccess: "custom", fields: ["name", "telecom"] }],
    purpose: "service_delivery",
    effectiveDate: "2026-03-01",
    expiryDate: "2027-02-28",
    collectionMethod: "written",
    meta,
  };
}

function styleExamples(namespace: string) {
  const registrantBody = { name: "Ana Reyes", birthdate: "1990-04-17", gender: "female" };
  const ofProgram = { program_ext_id: programExtId, program_model: `${namespace}.program` };
  const ofRegistrant = { registrant_ext_id: extId, registrant_model: `${namespace}.registrant` };
  return {
    extId,
    registrantBody,
    registrant: { ext_id: extId, model: `${namespace}.registrant`, ...registrantBody },
    programSummary: {
      ext_id: programExtId,
      model: `${namespace}.program`,
      name: "Cash for families",
      description: null,
      status: "active",
      start_date: "2026-01-01",
      end_date: null,
    },
    enrollment: {
      ext_id: "018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8ea2",
      model: `${namespace}.program_membership`,
      ...ofRegistrant,
      ...ofProgram,
      status: "enrolled",
      enrollment_date: "2026-03-01",
    },
    cycle: {
      ext_id: cycleExtId,
      model: `${namespace}.cycle`,
      ...ofProgram,
      name: "March 2026",
      sequence: 3,
      start_date: "2026-03-01",
      end_date: "2026-03-31",
      state: "approved",
    },
    entitlement: {
      ext_id: "018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8ea3",
      model: `${namespace}.entitlement`,
      ...ofProgram,
      cycle_ext_id: cycleExtId,
      cycle_model: `${namespace}.cycle`,
      ...ofRegistrant,
      amount: { value: "1500.00", currency: "PHP" },
      valid_from: "2026-03-01",
      valid_until: "2026-05-31",
      state: "approved",
      approved_at: "2026-03-02T09:30:00.000Z",
      ern: "ERN-000123",
    },
    changeRequest: {
      ext_id: "018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8ea4",
      model: `${namespace}.change_request`,
      type: "add_farmer",
      status: "pending",
      submitted_at: "2026-03-01T08:00:00.000Z",
      submitted_by: "survey",
    },
  };
}
