import type { ResourceType } from "@fieldroll/core";
import type { Route } from "../../http/route-table.ts";
import type { DocumentContext } from "../context.ts";
import { examplesOf } from "../examples.ts";
import { consentHeaders } from "../headers.ts";
import { type AnswerNote, example, type OperationNote, type OperationNotes } from "../operation.ts";
import { searchParametersOf } from "../parameters.ts";
import type { PossibleProblem } from "../problem-schemas.ts";
import { recordSchemaName } from "../record-schemas.ts";
import { ref } from "../schema.ts";
import { pageOf } from "../service-schemas.ts";

const tag = "Records";

/** The operations of the four types of record: specification, "Resource endpoints". */
export const recordNotes: OperationNotes<"read" | "search" | "create" | "replace" | "patch" | "history"> = {
  read: (route, context) => ({
    tag,
    description:
      "Any one identifier of the record addresses it. Callers bound by consent see what consents in force show, and the headers `X-Consent-*` say under which right.",
    parameters: ["elements", "extensions", "ifNoneMatch", "purpose"],
    answers: {
      200: {
        ...shown(route, context, "The record."),
        headers: ["ETag", "X-Record-Key", "X-Record-Shows", ...consentHeaders],
      },
      304: {
        description:
          "You have the current version. What you are shown of it may have changed: see `X-Record-Shows`.",
        headers: ["ETag", "X-Record-Key", "X-Record-Shows", ...consentHeaders],
      },
    },
    problems: ["not-found"],
  }),
  search: (route, context) => {
    const type = typeOf(route);
    const { record } = formsOf(type, context);
    return {
      tag,
      description:
        "Parameters narrow together. Archived records are found only with `active`. Callers bound by consent find a record only through what they may see of it, and only such records count. An unknown parameter is a 400, and what is well written but names nothing finds nothing. A page ends by `limit`, by 8 MiB of records, or where the request has looked at as much as one may: it may be short or empty while `has_more` is true. Follow `next_cursor` until `has_more` is false.",
      parameters: [
        ...searchParametersOf(type, context.namespace),
        "elements",
        "extensions",
        "limit",
        "count",
        "cursor",
        "total",
        "purpose",
      ],
      answers: {
        200: {
          description: "One page of the records found.",
          schema: pageOf(ref(recordSchemaName(type))),
          examples: example({
            data: [record],
            pagination: { next_cursor: null, has_more: false },
            links: { self: `${context.baseUrl}${route.template}`, next: null },
          }),
        },
      },
    };
  },
  create: (route, context) => ({
    tag,
    description:
      "The identifiers must be free: a taken one is a 409, and of two simultaneous creates exactly one succeeds. Restricted callers are told that one is taken, not which, and 20 times a minute at most: then 429. What the service derives is passed over when sent.",
    parameters: ["elements", "extensions", "idempotencyKey", "clockSkew", "purpose"],
    body: wholeBody(route, context),
    answers: { 201: written(route, context, "The created record.") },
    problems: ["duplicate", ...ofHouseholds(route)],
  }),
  replace: (route, context) => ({
    tag,
    description:
      "The body is the whole record: what it leaves out is gone, but for extensions that it does not name and fields that consent hides from the caller. Restricted callers do not change `identifier` and `active` unless the deployment allows it: 403.",
    parameters: ["elements", "extensions", "ifMatch", "shown", "idempotencyKey", "clockSkew", "purpose"],
    body: wholeBody(route, context),
    answers: { 200: written(route, context, "The record as it is now.") },
    problems: ["duplicate", "not-found", ...ofHouseholds(route)],
  }),
  patch: (route, context) => {
    const type = typeOf(route);
    const { patch } = formsOf(type, context);
    return {
      tag,
      description:
        'JSON Merge Patch (RFC 7396): what is left out stays, null clears, objects merge, arrays replace. `{"active": false}` archives the record. Restricted callers do not change `identifier` and `active` unless the deployment allows it: 403.',
      parameters: ["elements", "extensions", "ifMatch", "idempotencyKey", "clockSkew", "purpose"],
      body: {
        schema: ref(recordSchemaName(type, "Patch")),
        examples: example(patch),
        mediaTypes: ["application/merge-patch+json", "application/json"],
      },
      answers: { 200: written(route, context, "The record as it is now.") },
      problems: ["duplicate", "not-found", ...ofHouseholds(route)],
    };
  },
  history: (_route, context) => ({
    tag,
    description:
      "Every version: who made it, when, and what changed, as far as the caller may see it. Without `meta`, which tells who and when, there is no entry. A page ends by `limit`, by 8 MiB, or where the request has read as much as one may. Follow `next_cursor` until `has_more` is false.",
    parameters: ["limit", "cursor", "purpose"],
    answers: {
      200: {
        description: "A page of versions, newest first.",
        schema: ref("History"),
        headers: consentHeaders,
        examples: example({
          data: [
            {
              versionId: "1",
              at: "2026-03-01T08:00:00.000Z",
              source: `urn:${context.namespace}:api-client:survey`,
              action: "create",
              changes: [],
            },
          ],
          pagination: { next_cursor: null, has_more: false },
        }),
      },
    },
    problems: ["not-found"],
  }),
};

/** Where `policies.oneHousehold` holds, a group may be refused for a member that another one has. */
function ofHouseholds({ resource }: Route): readonly PossibleProblem[] {
  return resource === "Group" ? ["invalid-state"] : [];
}

function typeOf({ resource }: Route): ResourceType {
  return resource ?? "Individual";
}

function formsOf(type: ResourceType, { namespace }: DocumentContext) {
  const words = examplesOf(namespace);
  const forms = {
    Individual: { record: words.person, body: words.personBody, patch: words.personPatch },
    Group: { record: words.group, body: words.groupBody, patch: words.groupPatch },
    Program: { record: words.program, body: words.program, patch: {} },
    ProgramMembership: { record: words.membership, body: words.membershipBody, patch: {} },
  };
  return forms[type];
}

function wholeBody(route: Route, context: DocumentContext): NonNullable<OperationNote["body"]> {
  const type = typeOf(route);
  return { schema: ref(recordSchemaName(type, "Body")), examples: example(formsOf(type, context).body) };
}

function shown(route: Route, context: DocumentContext, description: string): AnswerNote {
  const type = typeOf(route);
  return {
    description,
    schema: ref(recordSchemaName(type)),
    examples: example(formsOf(type, context).record),
  };
}

function written(route: Route, context: DocumentContext, description: string): AnswerNote {
  const location = route.operation === "create" ? (["Location"] as const) : [];
  return {
    ...shown(route, context, description),
    headers: ["ETag", "X-Record-Key", "X-Record-Shows", ...location, "Idempotent-Replayed"],
  };
}
