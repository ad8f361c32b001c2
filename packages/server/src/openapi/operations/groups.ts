import type { Json } from "@fieldroll/core";
import type { DocumentContext } from "../context.ts";
import { examplesOf } from "../examples.ts";
import { type AnswerNote, example, type OperationNotes } from "../operation.ts";
import type { SharedParameter } from "../parameters.ts";
import { ref } from "../schema.ts";

const tag = "Groups";

const parameters: readonly SharedParameter[] = [
  "elements",
  "extensions",
  "idempotencyKey",
  "clockSkew",
  "purpose",
];
const atGroup: readonly SharedParameter[] = [...parameters, "optionalIfMatch"];

/** The four member operations: contract section 5. */
export const groupNotes: OperationNotes<"addMember" | "removeMember" | "mergeGroups" | "splitGroup"> = {
  addMember: (_route, context) => ({
    tag,
    description:
      "The person must exist and not be a member already. Concurrent ones all succeed; If-Match is honoured when sent. Only the group's version changes.",
    parameters: atGroup,
    body: { schema: ref("GroupMember"), examples: example(examplesOf(context.namespace).member) },
    answers: { 201: groupAnswer(context, "The group with the new member.", ["ETag", "Location"]) },
    problems: ["not-found", "invalid-state"],
  }),
  removeMember: (_route, context) => ({
    tag,
    description: "The member stays in the list, no longer active, with the last day in its period.",
    parameters: atGroup,
    body: {
      schema: ref("GroupRemoval"),
      examples: example({
        entity: reference(context, "person"),
        endDate: "2026-03-01",
        reason: "Moved away",
      }),
    },
    answers: { 200: groupAnswer(context, "The group without the member.", ["ETag"]) },
    problems: ["not-found"],
  }),
  mergeGroups: (_route, context) => ({
    tag,
    description:
      "Active members of the source move to the target; a second head loses the role; the source is archived. If-Match is honoured when sent, and speaks of the target.",
    parameters: atGroup,
    body: {
      schema: ref("GroupMerger"),
      examples: example({
        source: { reference: `Group/urn:${context.namespace}:group|HH-2` },
        target: reference(context, "group"),
      }),
    },
    answers: { 200: groupAnswer(context, "The target group.", ["ETag"]) },
    problems: ["not-found", "invalid-state"],
  }),
  splitGroup: (_route, context) => ({
    tag,
    description:
      "Some active members leave the group for a new one, made with the identifier and name given.",
    parameters: atGroup,
    body: {
      schema: ref("GroupSplit"),
      examples: example({
        identifier: [{ system: `urn:${context.namespace}:group`, value: "HH-3" }],
        name: "Santos",
        members: [reference(context, "person")],
        head: reference(context, "person"),
      }),
    },
    answers: { 201: groupAnswer(context, "The new group.", ["ETag", "Location"]) },
    problems: ["not-found", "duplicate", "invalid-state"],
  }),
};

function groupAnswer(
  { namespace }: DocumentContext,
  description: string,
  headers: NonNullable<AnswerNote["headers"]>,
): AnswerNote {
  return {
    description,
    schema: ref("Group"),
    examples: example(examplesOf(namespace).group),
    headers: [...headers, "X-Record-Key", "X-Record-Shows", "Idempotent-Replayed"],
  };
}

function reference({ namespace }: DocumentContext, what: "person" | "group"): Json {
  const { personReference, groupReference } = examplesOf(namespace);
  return { reference: what === "person" ? personReference : groupReference };
}
