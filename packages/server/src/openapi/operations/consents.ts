import type { DocumentContext } from "../context.ts";
import { examplesOf } from "../examples.ts";
import { type AnswerNote, example, type OperationNotes } from "../operation.ts";
import { ref } from "../schema.ts";

const tag = "Consents";

/** The operations of consents: there is no list and no create (specification, "Consent"). */
export const consentNotes: OperationNotes<"readConsent" | "revokeConsent" | "deleteConsent"> = {
  readConsent: (_route, context) => ({
    tag,
    description:
      "Callers bound by consent read only consents that name their organization or its type; others are not found. Restricted callers are not shown the evidence. Consents are given by a change request of the type `grant_consent`.",
    parameters: ["ifNoneMatch"],
    answers: {
      200: consentAnswer(context, "The consent.", "given"),
      304: { description: "You have the current version.", headers: ["ETag"] },
    },
    problems: ["not-found"],
  }),
  revokeConsent: (_route, context) => ({
    tag,
    description: "From the next request on it shows nothing. Again is a 409 `invalid-state`.",
    parameters: ["idempotencyKey"],
    body: { schema: ref("Revocation"), examples: example({ reason: "Asked by telephone" }), required: false },
    answers: { 200: consentAnswer(context, "The consent, withdrawn.", "withdrawn") },
    problems: ["not-found", "invalid-state"],
  }),
  deleteConsent: () => ({
    tag,
    description:
      "Withdraws it and erases its evidence; it stays readable as withdrawn. One that has expired, or was withdrawn before, loses its evidence and stays what it is. Restricted callers get 403, and may use `$revoke`.",
    answers: { 204: { description: "It shows nothing any more, and its evidence is erased." } },
    problems: ["not-found", "invalid-state"],
  }),
};

function consentAnswer({ namespace }: DocumentContext, description: string, status: string): AnswerNote {
  const { consent } = examplesOf(namespace);
  const source = `urn:${namespace}:api-client:survey`;
  const revocation = { date: "2026-03-05", by: source, reason: "Asked by telephone" };
  const value = { ...consent, status, ...(status === "withdrawn" ? { revocation } : {}) };
  return {
    description,
    schema: ref("Consent"),
    examples: example(value),
    headers: status === "withdrawn" ? ["ETag", "Idempotent-Replayed"] : ["ETag"],
  };
}
