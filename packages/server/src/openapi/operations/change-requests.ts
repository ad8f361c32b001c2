import { changeRequestStates, isJsonObject, type JsonObject } from "@fieldroll/core";
import { changeRequestExamples, changeRequestTypeNames } from "../change-request-schemas.ts";
import type { DocumentContext } from "../context.ts";
import { examplesOf } from "../examples.ts";
import { type AnswerNote, example, type OperationNotes } from "../operation.ts";
import { listParameter } from "../parameters.ts";
import { registryNotFound } from "../problem-schemas.ts";
import { listOf, ref } from "../schema.ts";
import { changed, nothingToTell, one, page } from "./registry-style.ts";

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

/** A change request of the first declared type that has an example. */
function asked(context: DocumentContext) {
  const { changeRequest } = examplesOf(context.namespace);
  const [shown] = Object.values(changeRequestExamples(context));
  const { type, data } = isJsonObject(shown?.value) ? shown.value : { type: undefined, data: undefined };
  const [first] = context.changeRequestTypes;
  return { ...changeRequest, type: type ?? first?.name ?? changeRequest.type, data: data ?? {} };
}

function request(context: DocumentContext, status: string, more: Partial<AnswerNote> = {}): AnswerNote {
  const reviews: Readonly<Record<string, JsonObject>> = {
    approved: reviewed,
    applied: { ...reviewed, registrant_ext_id: examplesOf(context.namespace).extId },
    rejected: { ...reviewed, reason: "Registered already" },
    revision: { ...reviewed, reason: "The birthdate is missing" },
  };
  return one("ChangeRequest", { ...asked(context), status, ...reviews[status] }, more);
}

function summaryOf({ data: _, ...summary }: ReturnType<typeof asked>): JsonObject {
  return summary;
}

const reviewed = { reviewed_at: "2026-03-02T09:30:00.000Z", reviewed_by: "office" };

/** Changes that somebody asks for: contract section 6. */
export const changeRequestNotes: OperationNotes<ChangeRequests> = {
  listChangeRequests: (_route, context) => ({
    tag: "Change requests",
    description:
      "Change requests in the order in which they were made, the oldest first, without their data. Whom consents bind, sees those that it submitted.",
    parameters: [
      listParameter("status", {
        description: "A status, or several separated by commas.",
        schema: listOf({ type: "string", enum: [...changeRequestStates] }),
        example: "pending",
      }),
      listParameter("type", {
        description: "A type, or several separated by commas.",
        schema: changeRequestTypeNames(context),
      }),
      "limit",
      "cursor",
    ],
    answers: { 200: page("ChangeRequestSummary", summaryOf(asked(context))) },
  }),
  submitChangeRequest: (_route, context) => ({
    tag: "Change requests",
    description:
      "Submits a change. Each type has data of its own, by the examples and schemas named below. Its status is then `pending`, or `draft` when asked for. An unknown type, or data that breaks the type's rules, is a 422. A `grant_consent` of a restricted caller waits as `pending` whoever its subject is; `$apply` tells the reviewer when there is no such record. A record that the data refer to stays the one that they name now, also when its identifiers change before the request is applied. Data that refer to a Program or a ProgramMembership need the scope `program:read` as well. A deployment may declare types that are applied at once.",
    parameters: ["idempotencyKey"],
    body: { schema: ref("ChangeRequestBody"), examples: changeRequestExamples(context) },
    answers: {
      201: request(context, "pending", { headers: ["ETag", "Location", "Idempotent-Replayed"] }),
    },
    problems: ["conflict", "duplicate", registryNotFound, "invalid-state"],
  }),
  readChangeRequest: (_route, context) => ({
    tag: "Change requests",
    description: "Where the change request stands, and what it asks for.",
    parameters: ["ifNoneMatch"],
    answers: {
      200: request(context, "pending", { headers: ["ETag"] }),
      304: { description: "You have the current version.", headers: ["ETag"] },
    },
    problems: [registryNotFound],
  }),
  replaceChangeRequest: (_route, context) => ({
    tag: "Change requests",
    description:
      "Replaces the data of a draft, or of a request sent back for revision, which is a draft from then on. In any other state a 409 `invalid-state`.",
    parameters: ["optionalIfMatch", "idempotencyKey"],
    body: {
      schema: ref("ChangeRequestReplacement"),
      examples: example({ data: asked(context).data }),
    },
    answers: { 200: request(context, "draft", changed) },
    problems: [registryNotFound, "invalid-state"],
  }),
  submitDraft: (_route, context) => ({
    tag: "Change requests",
    description:
      "draft → pending; the data are checked anew. From any other state a 409 `invalid-state`. One of a type that is applied at once is, or stays a draft.",
    parameters: ["optionalIfMatch", "idempotencyKey"],
    body: nothingToTell,
    answers: { 200: request(context, "pending", changed) },
    problems: [registryNotFound, "invalid-state", "duplicate"],
  }),
  reviseChangeRequest: (_route, context) => ({
    tag: "Change requests",
    description:
      "pending → revision: whoever submitted it is to change its data. From any other state a 409 `invalid-state`.",
    parameters: ["optionalIfMatch", "idempotencyKey"],
    body: {
      schema: ref("Rejection"),
      examples: example({ reason: "The birthdate is missing" }),
      required: false,
    },
    answers: { 200: request(context, "revision", changed) },
    problems: [registryNotFound, "invalid-state"],
  }),
  approveChangeRequest: (_route, context) => ({
    tag: "Change requests",
    description: "pending → approved. From any other state a 409 `invalid-state`.",
    parameters: ["optionalIfMatch", "idempotencyKey"],
    body: nothingToTell,
    answers: { 200: request(context, "approved", changed) },
    problems: [registryNotFound, "invalid-state"],
  }),
  rejectChangeRequest: (_route, context) => ({
    tag: "Change requests",
    description: "pending → rejected. From any other state a 409 `invalid-state`.",
    parameters: ["optionalIfMatch", "idempotencyKey"],
    body: { schema: ref("Rejection"), examples: example({ reason: "Registered already" }), required: false },
    answers: { 200: request(context, "rejected", changed) },
    problems: [registryNotFound, "invalid-state"],
  }),
  applyChangeRequest: (_route, context) => ({
    tag: "Change requests",
    description:
      "approved → applied: makes the change, with your rights, of the records that the data named when they were submitted. What keeps the change from being made is told as of the write itself; the request then stays `approved`, and may be applied again once that is mended.",
    parameters: ["optionalIfMatch", "idempotencyKey"],
    body: nothingToTell,
    answers: { 200: request(context, "applied", changed) },
    problems: [registryNotFound, "invalid-state", "duplicate"],
  }),
};
