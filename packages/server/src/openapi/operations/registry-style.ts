import { entitlementStates, type Json, type JsonObject } from "@fieldroll/core";
import { examplesOf } from "../examples.ts";
import { consentHeaders } from "../headers.ts";
import { type AnswerNote, type BodyNote, example, type OperationNotes } from "../operation.ts";
import { listParameter, queryParameter } from "../parameters.ts";
import { registryNotFound } from "../problem-schemas.ts";
import { listOf, ref } from "../schema.ts";
import { listed, single } from "../style-schemas.ts";

type Registrants = "listRegistrants" | "readRegistrant" | "createRegistrant" | "replaceRegistrant";
type Programs = "listPrograms" | "readProgram" | "enroll" | "listCycles";
type Entitlements = "listEntitlements" | "readEntitlement" | "approveEntitlement";

/** One record of the registry-style half, as an answer. */
export function one(name: string, record: JsonObject, more: Partial<AnswerNote> = {}): AnswerNote {
  return {
    description: "The record, in `data`.",
    schema: single(name),
    examples: example({ data: record }),
    ...more,
  };
}

/** A page of them. */
export function page(name: string, record: Json): AnswerNote {
  return {
    description: "One page of the list.",
    schema: listed(name),
    examples: example({ data: [record], pagination: { next_cursor: null, has_more: false } }),
  };
}

/** What the answer to a change tells beside the record. */
export const changed = { headers: ["ETag", "Idempotent-Replayed"] } as const;

/** The body of an operation that needs to be told nothing: it is left out, or has no members. */
export const nothingToTell: BodyNote = {
  schema: { type: "object", maxProperties: 0 },
  examples: example({}),
  required: false,
};

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
    problems: ["too-many-requests"],
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
    description:
      "The entitlements that you may see and that meet every condition given, in a stable order. An `ext_id` of nobody, or of somebody hidden, finds none.",
    parameters: [
      ...(["program", "cycle", "registrant"] as const).map((name) =>
        queryParameter(`${name}_ext_id`, {
          description: `Those of the ${name} with this \`ext_id\`.`,
          schema: { type: "string", format: "uuid" },
        }),
      ),
      listParameter("state", {
        description: "A state, or several separated by commas.",
        schema: listOf({ type: "string", enum: [...entitlementStates] }),
        example: "pending_validation",
      }),
      "limit",
      "cursor",
      "purpose",
    ],
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
    body: nothingToTell,
    answers: { 200: one("Entitlement", examplesOf(namespace).entitlement, changed) },
    problems: [registryNotFound, "invalid-state"],
  }),
};
