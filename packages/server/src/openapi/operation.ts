import type { Json, JsonObject, ProblemKind } from "@fieldroll/core";
import type { OperationName, Route } from "../http/route-table.ts";
import type { DocumentContext } from "./context.ts";
import { type HeaderName, headerReferences } from "./headers.ts";
import { type ParameterObject, type SharedParameter, sharedParameter } from "./parameters.ts";
import { type PossibleProblem, problemSchemaName, statusOf } from "./problem-schemas.ts";
import { ref, type Schema } from "./schema.ts";

/** What the document says of an operation beyond its route. */
export interface OperationNote {
  readonly tag: Tag;
  readonly description: string;
  /** In the query or the headers; the path's own follow from the template. */
  readonly parameters?: readonly (SharedParameter | ParameterObject)[];
  readonly body?: BodyNote;
  /** By status. */
  readonly answers: Readonly<Record<string, AnswerNote>>;
  /** Besides those that follow from the route, its parameters and its body. */
  readonly problems?: readonly PossibleProblem[];
}

export type Tag =
  | "Records"
  | "Groups"
  | "Consents"
  | "Several at once"
  | "Registry style"
  | "Benefits"
  | "Change requests"
  | "Service"
  | "Tokens";

export interface BodyNote {
  readonly schema: Schema;
  readonly examples: Examples;
  /** Default: `application/json`. */
  readonly mediaTypes?: readonly string[];
  /** Default: true. */
  readonly required?: boolean;
}

export interface AnswerNote {
  readonly description: string;
  /** Without one the answer has no body. */
  readonly schema?: Schema;
  readonly examples?: Examples;
  readonly mediaType?: string;
  readonly headers?: readonly HeaderName[];
}

/** Examples by a word for each. */
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: Json }>>;

/** Describes an operation at a route, in a deployment. */
export type DescribeOperation = (route: Route, context: DocumentContext) => OperationNote;

/** One description for each operation of a part of the interface. */
export type OperationNotes<Name extends OperationName> = Readonly<Record<Name, DescribeOperation>>;

export function example(value: Json, summary = "Example"): Examples {
  return { example: { summary, value } };
}

/** Writes an operation as OpenAPI does. */
export function operationObject(route: Route, note: OperationNote): JsonObject {
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: note.description,
    tags: [note.tag],
    security: securityOf(route),
    parameters: parametersOf(route, note),
    ...(note.body ? { requestBody: bodyObject(note.body) } : {}),
    responses: merged(answerObjects(route, note), problemObjects(problemsOf(route, note))),
  };
}

/** The token endpoint has answers of its own for statuses that are problems as well. */
function merged(answers: Responses, problems: Responses): JsonObject {
  const both = Object.entries(problems).map(([status, problem]) => {
    const answer = answers[status];
    if (!answer) return [status, problem];
    return [
      status,
      {
        description: `${answer.description} ${problem.description}`,
        headers: { ...problem.headers, ...answer.headers },
        content: { ...answer.content, ...problem.content },
      },
    ];
  });
  return { ...answers, ...Object.fromEntries(both) };
}

type Responses = Readonly<Record<string, ResponseObject>>;

type ResponseObject = {
  readonly description: string;
  readonly headers: JsonObject;
  readonly content?: JsonObject;
};

/** Unique in the document: an operation of a type of record carries its name. */
function operationId({ operation, resource }: Route): string {
  const ofAnyType = ["read", "search", "create", "replace", "patch", "history"];
  // `read` of the type Program has the plain name.
  if (operation === "readProgram") return "readProgramSummary";
  return resource && ofAnyType.includes(operation) ? `${operation}${resource}` : operation;
}

function securityOf({ scope, authenticated }: Route): readonly Json[] {
  if (scope !== undefined) return [{ oauth2: [scope] }];
  return authenticated ? [{ oauth2: [] }] : [];
}

function parametersOf(route: Route, { parameters = [] }: OperationNote): readonly ParameterObject[] {
  const own = [...pathParameters(route), ...parameters, "requestId" as const];
  return own.map((one) => (typeof one === "string" ? sharedParameter(one) : one));
}

function pathParameters({ template, operation }: Route): readonly (SharedParameter | ParameterObject)[] {
  if (template.includes("{address}")) return ["address"];
  if (template.includes("{ext_id}")) return ["extId"];
  if (!template.includes("{id}")) return [];
  if (operation !== "errorPage") return ["consentId"];
  return [
    {
      name: "id",
      in: "path",
      required: true,
      description: "The kind of problem, such as `conflict`.",
      schema: { type: "string" },
      example: "conflict",
    },
  ];
}

function bodyObject({
  schema,
  examples,
  mediaTypes = ["application/json"],
  required = true,
}: BodyNote): JsonObject {
  return { required, content: Object.fromEntries(mediaTypes.map((type) => [type, { schema, examples }])) };
}

/** What a client is told of its rate limit: contract section 8. */
const quotaHeaders: readonly HeaderName[] = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

function answerObjects(route: Route, { answers }: OperationNote): Responses {
  const limited = isProtected(route) ? quotaHeaders : [];
  return Object.fromEntries(
    Object.entries(answers).map(([status, { headers = [], ...answer }]) => [
      status,
      answerObject({ ...answer, headers: [...headers, ...limited] }),
    ]),
  );
}

function isProtected({ scope, authenticated }: Route): boolean {
  return scope !== undefined || authenticated === true;
}

function answerObject({
  description,
  schema,
  examples,
  mediaType = "application/json",
  headers = [],
}: AnswerNote): ResponseObject {
  return {
    description,
    headers: headerReferences(headers),
    ...(schema ? { content: { [mediaType]: { schema, ...(examples ? { examples } : {}) } } } : {}),
  };
}

/** What may go wrong follows from what an operation takes: contract section 8. */
function problemsOf(
  route: Route,
  { parameters = [], body, problems = [] }: OperationNote,
): readonly PossibleProblem[] {
  const protectedRoute = isProtected(route);
  const takes = (name: SharedParameter) => parameters.includes(name);
  // The token endpoint tells faults of its body in the words of RFC 6749.
  const takesBody = body !== undefined && route.operation !== "token";
  const bodyProblems: readonly ProblemKind[] = ["unsupported-media-type", "payload-too-large", "validation"];
  const usual: readonly (PossibleProblem | false)[] = [
    "bad-request",
    protectedRoute && "authentication",
    protectedRoute && "authorization",
    takes("ifMatch") && "conflict",
    takes("ifMatch") && "precondition-required",
    takes("optionalIfMatch") && "conflict",
    ...(takesBody ? bodyProblems : []),
    takes("idempotencyKey") && "idempotency-mismatch",
    protectedRoute && "too-many-requests",
    "internal",
    protectedRoute && "unavailable",
  ];
  return [...new Set([...usual.filter((kind) => kind !== false), ...problems])];
}

function problemObjects(kinds: readonly PossibleProblem[]): Responses {
  const statuses = [...new Set(kinds.map(statusOf))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      problemObject(kinds.filter((kind) => statusOf(kind) === status)),
    ]),
  );
}

const headersOfStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ["WWW-Authenticate"],
  403: ["WWW-Authenticate"],
  429: ["Retry-After", ...quotaHeaders],
  503: ["Retry-After"],
};

function problemObject(kinds: readonly PossibleProblem[]): ResponseObject {
  const schemas = kinds.map((kind) => ref(problemSchemaName(kind)));
  const [first, ...rest] = schemas;
  const status = kinds[0] === undefined ? 0 : statusOf(kinds[0]);
  const schema = rest.length === 0 && first ? first : { oneOf: schemas };
  const examples = kinds.map((kind) => [kind, { $ref: `#/components/examples/${kind}` }]);
  return {
    description: `Problem: ${kinds.join(" or ")}.`,
    headers: headerReferences(headersOfStatus[status] ?? []),
    content: { "application/problem+json": { schema, examples: Object.fromEntries(examples) } },
  };
}
