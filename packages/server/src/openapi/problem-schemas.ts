import { type ProblemKind, problemKinds } from "@fieldroll/core";
import type { DocumentContext } from "./context.ts";
import { problemGuides } from "./problem-guide.ts";
import { always, listOf, object, ref, type Schema, text, wholeNumber } from "./schema.ts";

/** Every kind of problem, in the order of the contract. */
export const kindsOfProblem = Object.keys(problemKinds) as readonly ProblemKind[];

/** The registry-style half says "not found" in its own way: specification, "Errors". */
export const registryNotFound = "registry-not-found";

/** What may go wrong in an operation: a kind of problem, or {@link registryNotFound}. */
export type PossibleProblem = ProblemKind | typeof registryNotFound;

/** The name of a problem's schema, such as `ConflictProblem`. */
export function problemSchemaName(kind: PossibleProblem): string {
  const words = kind.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Problem`;
}

export function statusOf(kind: PossibleProblem): number {
  return kind === registryNotFound ? 404 : problemKinds[kind].status;
}

/** The schemas of all problems (RFC 9457). */
export function problemSchemas(context: DocumentContext): Readonly<Record<string, Schema>> {
  return {
    FieldError: object(
      {
        field: text("JSON pointer (RFC 6901) into the body, or the name of a parameter or header."),
        code: text("A stable word for programs, such as `required` or `invalid_transition`."),
        message: text("What is wrong, for people."),
      },
      { description: "One fault of a request. All faults of a body are reported at once." },
    ),
    AnyProblem: {
      description: "A problem of any kind. `type` is the one member that programs decide by.",
      anyOf: ([...kindsOfProblem, registryNotFound] as const).map((kind) => ref(problemSchemaName(kind))),
    },
    ...Object.fromEntries(
      kindsOfProblem.map((kind) => [problemSchemaName(kind), problemSchema(kind, context.namespace)]),
    ),
    [problemSchemaName(registryNotFound)]: object(
      {
        type: text("The address of the page that explains it.", { pattern: "/not-found$" }),
        title: text("Names the kind of record, such as Registrant not found."),
        status: always(404),
        ...commonMembers,
      },
      { description: `${problemGuides["not-found"].meaning} ${problemGuides["not-found"].action}` },
    ),
  };
}

const commonMembers = {
  detail: text("What was wrong, where, and what to do next."),
  instance: text("Path of the request."),
};

function problemSchema(kind: ProblemKind, namespace: string): Schema {
  const { title, status } = problemKinds[kind];
  const { meaning, action } = problemGuides[kind];
  const more = {
    entry: wholeNumber("In a bundle: which entry it was, from 0.", { minimum: 0 }),
    ...membersOf(kind),
  };
  return object(
    {
      type: always(`urn:${namespace}:error:${kind}`),
      title: always(title),
      status: always(status),
      ...commonMembers,
      ...more,
    },
    { optional: Object.keys(more), description: `${meaning} ${action}` },
  );
}

function membersOf(kind: ProblemKind): Readonly<Record<string, Schema>> {
  const { status } = problemKinds[kind];
  if (status === 400 || status === 422) return { errors: listOf(ref("FieldError"), "Every fault found.") };
  if (kind === "payload-too-large") {
    return { errors: listOf(ref("FieldError"), "The list or the object that has too much in it.") };
  }
  if (kind === "conflict") {
    const other =
      "With the code `other_record`: another record has the address by now; its change goes elsewhere.";
    return { errors: listOf(ref("FieldError"), other) };
  }
  if (kind === "duplicate")
    return { existing: text("Address of the record that has it; not told to restricted callers.") };
  if (kind === "invalid-state") {
    const taken = "With the code `other_household`: somebody is a member of another household already.";
    const pair = object({
      person: ref("IndividualReference"),
      household: ref("GroupReference"),
    });
    const whose = "For each error: who is a member of which household; not told to restricted callers.";
    return { errors: listOf(ref("FieldError"), taken), households: listOf(pair, whose) };
  }
  if (kind === "authorization") {
    return {
      missing_scope: text("The scope that the token lacks."),
      errors: listOf(ref("FieldError"), "The fields that you may not write."),
    };
  }
  return {};
}

/** An example of a problem, as an operation would answer it. */
export function problemExample(kind: PossibleProblem, context: DocumentContext) {
  const about = kind === registryNotFound ? "not-found" : kind;
  const { title, status } = problemKinds[about];
  const missing = kind === registryNotFound;
  return {
    type: missing ? `${context.errorsUrl}/not-found` : `urn:${context.namespace}:error:${kind}`,
    title: missing ? "Registrant not found" : title,
    status,
    detail: details[kind],
    instance: missing
      ? "/api/v2/registry/registrant/018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8e9f"
      : "/api/v2/Individual",
    ...(kind === "validation" && {
      errors: [{ field: "/birthDate", code: "future_date", message: "must not be after today, 2026-03-01" }],
    }),
    ...(kind === "bad-request" && {
      errors: [
        { field: "limit", code: "invalid_parameter", message: "must be a whole number from 1 to 500" },
      ],
    }),
    ...(kind === "duplicate" && { existing: "Individual/urn:gov:ph:nid|123456" }),
  };
}

const details: Readonly<Record<PossibleProblem, string>> = {
  conflict: "If-Match names version 3, the record has version 4. Fetch it, merge your changes and retry.",
  duplicate: "The identifier urn:gov:ph:nid|123456 belongs to another record already.",
  "invalid-state": "The consent is withdrawn already. That is final: grant another consent instead.",
  "precondition-required": "If-Match is missing. Fetch the record and send its version in double quotes.",
  validation: "/birthDate: must not be after today, 2026-03-01",
  "idempotency-mismatch": "The Idempotency-Key was used for another request. Use a new one.",
  "bad-request": "limit: must be a whole number from 1 to 500.",
  authentication: "The access token is not valid here, or it has expired. Get a new one at /oauth2/token.",
  authorization: "Nothing that you may see is at this address.",
  "not-found": "There is no Individual urn:gov:ph:nid|123456.",
  [registryNotFound]: "There is no registrant 018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8e9f.",
  "method-not-allowed":
    "DELETE is not possible here. Possible are GET, PUT, PATCH, HEAD, OPTIONS. Records are archived by PATCH with active false, not deleted.",
  "unsupported-media-type": "The body is text/plain. Send it with Content-Type: application/json.",
  "payload-too-large": "The body is larger than 8388608 bytes. Send less at a time, or a smaller photo.",
  "too-many-requests":
    "The client has sent too many requests: it may send 100 requests a second, and 1000 at once. Try again in 1 second.",
  gone: "This endpoint ended with the earlier version.",
  internal: "The request could not be handled. Nothing is known to be wrong with it.",
  unavailable: "The registry's storage does not answer. Try again in a moment.",
};
