import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type KnownPath, knownPaths, type OpenApiDocument, pathAt } from "./operation-at.ts";

/** An answer, and the request that it answers. */
export interface ObservedAnswer {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** As text; empty when there is none. */
  readonly body: string;
}

/** Says what about an answer the document does not have; empty when it is all there. */
export type AnswerValidator = (answer: ObservedAnswer) => readonly string[];

/** Makes a validator of answers by a document. Schemas are compiled once, when first needed. */
export function createAnswerValidator(document: OpenApiDocument): AnswerValidator {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, verbose: false });
  addFormats.default(ajv);
  ajv.addSchema({ ...document }, "api");
  const compiled = new Map<string, ValidateFunction>();
  const check = (pointer: string, value: unknown): readonly string[] => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` });
    compiled.set(pointer, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || "body"} ${message} ${JSON.stringify(params)}`,
    );
  };
  const paths = knownPaths(document);
  return (answer) => {
    const path = pathAt(paths, answer.url);
    const method = answer.method === "HEAD" ? "get" : answer.method.toLowerCase();
    const faults = path?.methods.includes(method)
      ? faultsOfOperation(document, answer, { path, method, check })
      : faultsOutside(answer, path, check);
    return faults.map((fault) => `${answer.method} ${answer.url} ${answer.status}: ${fault}`);
  };
}

type Check = (pointer: string, value: unknown) => readonly string[];

interface Place {
  readonly path: KnownPath;
  readonly method: string;
  readonly check: Check;
}

function faultsOfOperation(
  { paths }: OpenApiDocument,
  answer: ObservedAnswer,
  { path, method, check }: Place,
): readonly string[] {
  const operation = paths[path.template]?.[method] as { responses: Record<string, DocumentedAnswer> };
  const documented = operation.responses[answer.status];
  if (!documented) return [`the status is not in the document: ${answer.body.slice(0, 300)}`];
  const base = `${pointerOf("paths", path.template, method, "responses", String(answer.status))}`;
  const headers = faultsOfHeaders(answer);
  if (answer.body === "") {
    return documented.content && answer.method !== "HEAD" ? [...headers, "the body is missing"] : headers;
  }
  const type = mediaType(answer.headers);
  if (!documented.content?.[type]) return [...headers, `${type} is not in the document`];
  return [...headers, ...check(`${base}${pointerOf("content", type, "schema")}`, readAs(answer, type))];
}

interface DocumentedAnswer {
  readonly content?: Readonly<Record<string, unknown>>;
}

/** What is not in the document is refused with a problem, or belongs to the version before. */
function faultsOutside(answer: ObservedAnswer, path: KnownPath | undefined, check: Check): readonly string[] {
  const type = mediaType(answer.headers);
  const headers = faultsOfHeaders(answer);
  if (type === "application/problem+json" && answer.body !== "") {
    return [...headers, ...check(pointerOf("components", "schemas", "AnyProblem"), JSON.parse(answer.body))];
  }
  if (answer.method === "OPTIONS" || answer.method === "HEAD" || answer.url.includes("/api/v1/"))
    return headers;
  return [...headers, path ? "the method is not in the document" : "the path is not in the document"];
}

function faultsOfHeaders({ headers }: ObservedAnswer): readonly string[] {
  return ["X-Request-Id", "X-API-Version"]
    .filter((name) => !headers.has(name))
    .map((name) => `the header ${name} is missing`);
}

function readAs({ body }: ObservedAnswer, type: string): unknown {
  return type.endsWith("json") ? JSON.parse(body) : body;
}

function mediaType(headers: Headers): string {
  return (headers.get("Content-Type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

function pointerOf(...steps: readonly string[]): string {
  return steps
    .map((step) => `/${encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))}`)
    .join("");
}
