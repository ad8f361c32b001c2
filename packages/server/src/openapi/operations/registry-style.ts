import type { Json, JsonObject } from "@fieldroll/core";
import { examplesOf } from "../examples.ts";
import { consentHeaders } from "../headers.ts";
import { type AnswerNote, example, type OperationNotes } from "../operation.ts";
import { queryParameter } from "../parameters.ts";
import { registryNotFound } from "../problem-schemas.ts";
import { ref } from "../schema.ts";
import { listed, single } from "../style-schemas.ts";

type Registrants = "listRegistrants" | "readRegistrant" | "createRegistrant" | "replaceRegistrant";
type Programs = "listPrograms" | "readProgram" | "enroll" | "listCycles";
type Entitlements = "listEntitlements" | "readEntitlement" | "approveEntitlement";
type ChangeRequests =
  | "listChangeRequests"
  | "submitChangeRequest"
  | "readChangeRequest"
  | "replaceChangeRequest"
  | "submitDraft"
  | "reviseChangeRequest"
  | "approveChangeRequest"
  | "rejectChangeRequest"
  | "applyChangeRequest";

function one(name: string, record: JsonObject, more: Partial<AnswerNote> = {}): AnswerNote {
  return {
    description: "The record, in `data`.",
    schema: single(name),
    examples: example({ data: record }),
    ...more,
  };
}

function page(name: string, record: Json): AnswerNote {
  return {
    description: "One page of the list.",
    schema: listed(name),
    examples: example({ data: [record], pagination: { next_cursor: null, has_more: false } }),
  };
}

const changed = { headers: ["ETag", "Idempotent-Replayed"] } as const;
const versioned = { headers: ["ETag", ...consentHeaders] } as const;

/** A second view of people: contract section 6. */
export const registrantNotes: OperationNotes<Registrants> = {
  listRegistrants: (_route, { namespace }) => ({
    tag: "Registry style",
    description: "People who are not archived, in a stable order.",
    parameters: ["limit", "cursor", "purpose"],
    answers: { 200: page("Registrant", examplesOf(namespace).registrant) },
  }),
  readRegistrant: (_route, { namespace }) => ({
    tag: "Registry style",
    description: "The person with this `ext_id`. It is the same record that the resource endpoints show.",
    parameters: ["ifNoneMatch", "purpose"],
    answers: {
      200: one("Registrant", examplesOf(namespace).registrant, versioned),
      304: { description: "You have the current version.", ...versioned },
    },
    problems: [registryNotFound],
  }),
  createRegistrant: (_route, { namespace }) => ({
    tag: "Registry style",
    description: `Makes an Individual with the identifier \`urn:${namespace}:registrant|<ext_id>\` and the name as \`name.text\`.`,
    parameters: ["idempotencyKey", "purpose"],
    body: { schema: ref("RegistrantBody"), examples: example(examplesOf(namespace).registrantBody) },
    answers: {
      201: one("Registrant", examplesOf(namespace).registrant, {
        headers: ["ETag", "Location", "Idempotent-Replayed"],
      }),
    },
  }),
  replaceRegistrant: (_route, { namespace }) => ({
    tag: "Registry style",
    description: "Replaces name, birthdate and gender, and leaves the rest of the person's record alone.",
    parameters: ["optionalIfMatch", "idempotencyKey", "purpose"],
    body: { schema: ref("RegistrantReplacement"), examples: example(examplesOf(namespace).registrantBody) },
    answers: {
      200: one("Registrant", examplesOf(namespace).registrant, { headers: ["ETag", "Idempotent-Replayed"] }),
    },
    problems: [registryNotFound],
  }),
};

/** Programs and their cycles: contract section 6. */
export const programNotes: OperationNotes<Programs> = {
  listPrograms: (_route, { namespace }) => ({
    tag: "Benefits",
    description: "All programs, in a stable order.",
    parameters: ["limit", "cursor"],
    answers: { 200: page("ProgramSummary", examplesOf(namespace).programSummary) },
  }),
  readProgram: (_route, { namespace }) => ({
    tag: "Benefits",
    description: "The program with this `ext_id`. Its version is that of the Program.",
    parameters: ["ifNoneMatch"],
    answers: {
      200: one("ProgramSummary", examplesOf(namespace).programSummary, { headers: ["ETag"] }),
      304: { description: "You have the current version.", headers: ["ETag"] },
    },
    problems: [registryNotFound],
  }),
  enroll: (_route, { namespace }) => ({
    tag: "Benefits",
    description: "Enrolls a registrant. Again is a 409; an unknown registrant is a 422.",
    parameters: ["idempotencyKey", "purpose"],
    body: {
      schema: ref("EnrollmentRequest"),
      examples: example({ registrant_ext_id: examplesOf(namespace).extId }),
    },
    answers: { 201: one("EnrollmentSummary", examplesOf(namespace).enrollment, changed) },
    problems: [registryNotFound, "duplicate"],
  }),
  listCycles: (_route, { namespace }) => ({
    tag: "Benefits",
    description: "The cycles of a program, in their order.",
    parameters: ["limit", "cursor"],
    answers: { 200: page("Cycle", examplesOf(namespace).cycle) },
    problems: [registryNotFound],
  }),
};

/** What registrants are to get: contract section 6. */
export const entitlementNotes: OperationNotes<Entitlements> = {
  listEntitlements: (_route, { namespace }) => ({
    tag: "Benefits",
    description: "All entitlements that you may see, in a stable order.",
    parameters: ["limit", "cursor", "purpose"],
    answers: { 200: page("Entitlement", examplesOf(namespace).entitlement) },
  }),
  readEntitlement: (_route, { namespace }) => ({
    tag: "Benefits",
    description: "The entitlement with this `ext_id`.",
    parameters: ["ifNoneMatch", "purpose"],
    answers: {
      200: one("Entitlement", examplesOf(namespace).entitlement, { headers: ["ETag"] }),
      304: { description: "You have the current version.", headers: ["ETag"] },
    },
    problems: [registryNotFound],
  }),
  approveEntitlement: (_route, { namespace }) => ({
    tag: "Benefits",
    description:
      "Only from `pending_validation`, in a cycle that is not cancelled and until its last day (else a 409 `invalid-state`), and only as long as the program's remaining fund covers it (else a 422).",
    parameters: ["optionalIfMatch", "idempotencyKey", "purpose"],
    answers: { 200: one("Entitlement", examplesOf(namespace).entitlement, changed) },
    problems: [registryNotFound, "invalid-state", "validation"],
  }),
};

function request(namespace: string, status: string, more: Partial<AnswerNote> = {}): AnswerNote {
  const { changeRequest, changeRequestBody } = examplesOf(namespace);
  const reviews: Readonly<Record<string, JsonObject>> = {
    approved: reviewed,
    rejected: { ...reviewed, reason: "Registered already" },
    revision: { ...reviewed, reason: "The birthdate is missing" },
  };
  const { data } = changeRequestBody;
  return one("ChangeRequest", { ...changeRequest, status, ...reviews[status], data }, more);
}

const reviewed = { reviewed_at: "2026-03-02T09:30:00.000Z", reviewed_by: "office" };

/** Changes that somebody asks for: contract section 6. */
export const changeRequestNotes: OperationNotes<ChangeRequests> = {
  listChangeRequests: (_route, { namespace }) => ({
    tag: "Change requests",
    description:
      "Change requests in the order in which they were made, the oldest first, without their data. Whom consents bind, sees those that it submitted.",
    parameters: [
      queryParameter("status", {
        description: "A status, or several parted by commas.",
        example: "pending",
      }),
      queryParameter("type", { description: "A type, or several parted by commas.", example: "add_farmer" }),
      "limit",
      "cursor",
    ],
    answers: { 200: page("ChangeRequestSummary", examplesOf(namespace).changeRequest) },
  }),
  submitChangeRequest: (_route, { namespace }) => ({
    tag: "Change requests",
    description:
      "Submits it: its status is `pending`, or `draft` when asked for. An unknown type, or data that breaks the type's rules, is a 422. A deployment may declare types that are applied at once.",
    parameters: ["idempotencyKey"],
    body: { schema: ref("ChangeRequestBody"), examples: example(examplesOf(namespace).changeRequestBody) },
    answers: {
      201: request(namespace, "pending", { headers: ["ETag", "Location", "Idempotent-Replayed"] }),
    },
    problems: ["conflict", "duplicate", registryNotFound, "invalid-state"],
  }),
  readChangeRequest: (_route, { namespace }) => ({
    tag: "Change requests",
    description: "Where the change request stands, and what it asks for.",
    parameters: ["ifNoneMatch"],
    answers: {
      200: request(namespace, "pending", { headers: ["ETag"] }),
      304: { description: "You have the current version.", headers: ["ETag"] },
    },
    problems: [registryNotFound],
  }),
  replaceChangeRequest: (_route, { namespace }) => ({
    tag: "Change requests",
    description:
      "Replaces the data of a draft, or of a request sent back for revision, which is a draft from then on. In any other state a 409 `invalid-state`.",
    parameters: ["optionalIfMatch", "idempotencyKey"],
    body: {
      schema: ref("ChangeRequestReplacement"),
      examples: example({ data: examplesOf(namespace).changeRequestBody.data }),
    },
    answers: { 200: request(namespace, "draft", changed) },
    problems: [registryNotFound, "invalid-state"],
  }),
  submitDraft: (_route, { namespace }) => ({
    tag: "Change requests",
    description:
      "draft → pending; the data are checked anew. From any other state a 409 `invalid-state`. One of a type that is applied at once is, or stays a draft.",
    parameters: ["optionalIfMatch", "idempotencyKey"],
    answers: { 200: request(namespace, "pending", changed) },
    problems: [registryNotFound, "invalid-state", "validation", "duplicate"],
  }),
  reviseChangeRequest: (_route, { namespace }) => ({
    tag: "Change requests",
    description:
      "pending → revision: whoever submitted it is to change its data. From any other state a 409 `invalid-state`.",
    parameters: ["optionalIfMatch", "idempotencyKey"],
    body: {
      schema: ref("Rejection"),
      examples: example({ reason: "The birthdate is missing" }),
      required: false,
    },
    answers: { 200: request(namespace, "revision", changed) },
    problems: [registryNotFound, "invalid-state"],
  }),
  approveChangeRequest: (_route, { namespace }) => ({
    tag: "Change requests",
    description: "pending → approved. From any other state a 409 `invalid-state`.",
    parameters: ["optionalIfMatch", "idempotencyKey"],
    answers: { 200: request(namespace, "approved", changed) },
    problems: [registryNotFound, "invalid-state", "validation"],
  }),
  rejectChangeRequest: (_route, { namespace }) => ({
    tag: "Change requests",
    description: "pending → rejected. From any other state a 409 `invalid-state`.",
    parameters: ["optionalIfMatch", "idempotencyKey"],
    body: { schema: ref("Rejection"), examples: example({ reason: "Registered already" }), required: false },
    answers: { 200: request(namespace, "rejected", changed) },
    problems: [registryNotFound, "invalid-state"],
  }),
  applyChangeRequest: (_route, { namespace }) => ({
    tag: "Change requests",
    description:
      "approved → applied: makes the change, with your rights. What keeps the change from being made is told as of the write itself.",
    parameters: ["optionalIfMatch", "idempotencyKey"],
    answers: {
      200: one(
        "ChangeRequest",
        {
          ...examplesOf(namespace).changeRequest,
          status: "applied",
          registrant_ext_id: examplesOf(namespace).extId,
        },
        changed,
      ),
    },
    problems: [registryNotFound, "invalid-state", "validation", "duplicate"],
  }),
};
