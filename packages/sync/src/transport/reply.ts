import {
  type FieldError,
  isJsonObject,
  type Json,
  type JsonObject,
  type ProblemKind,
  problemKinds,
} from "@fieldroll/core";
import { retryAfter } from "../model/backoff.ts";

/** What came of one request, sorted by what to do about it. */
export type Reply =
  /** 2xx with JSON. Whether it is a verdict on the request is for its reader to check. */
  | { readonly kind: "ok"; readonly status: number; readonly body: JsonObject }
  /** This API refused the request, and said why. */
  | ({ readonly kind: "problem" } & WireProblem)
  /** No token, or not one that counts any more. */
  | { readonly kind: "unauthorized"; readonly detail: string }
  /** Nobody is being served now: stop asking. */
  | { readonly kind: "unavailable"; readonly retryAfter: number | null; readonly detail: string }
  /** The server failed on this request; others may fare better. */
  | { readonly kind: "broken"; readonly retryAfter: number | null; readonly detail: string }
  | NoAnswer;

/** Whatever happened, it was not this API that answered. The request may have had its effect all the same. */
export interface NoAnswer {
  readonly kind: "no-answer";
  readonly why: "network" | "timeout" | "not-the-api";
  readonly detail: string;
}

/** A problem (RFC 9457) as the API prints one. */
export interface WireProblem {
  readonly status: number;
  readonly problem: ProblemKind;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly existing: string | null;
  readonly missingScope: string | null;
}

/** What an answer is read from. */
export interface RawAnswer {
  readonly kind: "answer";
  readonly status: number;
  readonly contentType: string | null;
  readonly retryAfter: string | null;
  readonly authenticate: string | null;
  readonly text: string;
}

/** Sorts an answer. Only JSON that this API could have written counts: a captive portal answers 200 to everything. */
export function classify(answer: RawAnswer | NoAnswer, now: Date): Reply {
  if (answer.kind === "no-answer") return answer;
  const { status } = answer;
  if (notServing.includes(status)) {
    const detail = `The server answers ${status}: it can't serve now.`;
    return { kind: "unavailable", retryAfter: retryAfter(answer.retryAfter, now), detail };
  }
  const body = jsonBody(answer);
  if (status >= 200 && status < 300) return body ? { kind: "ok", status, body } : notTheApi(status);
  const problem = body && isProblem(answer) ? wireProblem(status, body) : undefined;
  if (status === 401) return unauthorized(answer, problem);
  if (status === 413) return { kind: "problem", ...(problem ?? tooLarge) };
  if (status < 500) return problem ? { kind: "problem", ...problem } : notTheApi(status);
  const detail = problem?.detail ?? `The server failed (${status}).`;
  return { kind: "broken", retryAfter: retryAfter(answer.retryAfter, now), detail };
}

/** Statuses by which a server, or what stands before it, says that it serves nobody now. */
const notServing: readonly number[] = [408, 425, 429, 503];

/** Whoever says it, the request was not passed on, and will not be as it is. */
const tooLarge: WireProblem = {
  status: 413,
  problem: "payload-too-large",
  detail: "The record is too large to be sent; make it smaller, such as by leaving out its photo.",
  errors: [],
  existing: null,
  missingScope: null,
};

function unauthorized({ status, authenticate }: RawAnswer, problem: WireProblem | undefined): Reply {
  if (!problem && !/^bearer\b/i.test(authenticate ?? "")) return notTheApi(status);
  return { kind: "unauthorized", detail: problem?.detail ?? "The server asks for a new sign-in." };
}

function notTheApi(status: number): NoAnswer {
  return {
    kind: "no-answer",
    why: "not-the-api",
    detail: `Something answers ${status} in the server's place, such as the sign-in page of a network.`,
  };
}

/** Problem details say that they are (RFC 9457 section 3): a proxy's JSON is none, whatever its members. */
function isProblem({ contentType }: RawAnswer): boolean {
  return /^application\/problem\+json\b/i.test(contentType ?? "");
}

/** The object that an answer carries, if it is JSON and says so. */
export function jsonBody({ contentType, text }: RawAnswer): JsonObject | undefined {
  return /^application\/([\w.-]+\+)?json\b/i.test(contentType ?? "") ? parse(text) : undefined;
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function wireProblem(status: number, body: JsonObject): WireProblem | undefined {
  const problem = typeof body.type === "string" ? kindOf(body.type) : undefined;
  if (!problem) return undefined;
  return {
    status,
    problem,
    detail: typeof body.detail === "string" ? body.detail : `The server refused the request (${status}).`,
    errors: Array.isArray(body.errors) ? body.errors.flatMap(fieldError) : [],
    existing: typeof body.existing === "string" ? body.existing : null,
    missingScope: typeof body.missing_scope === "string" ? body.missing_scope : null,
  };
}

/** The last word of `urn:service:error:conflict`, or of an address such as `https://…/not-found`. */
function kindOf(type: string): ProblemKind | undefined {
  const word = /^(?:urn:[^:]+:error:|https?:\/\/.*\/)([a-z-]+)$/.exec(type)?.[1] ?? "";
  return isKind(word) ? word : undefined;
}

function isKind(word: string): word is ProblemKind {
  return Object.hasOwn(problemKinds, word);
}

function fieldError(value: Json): readonly FieldError[] {
  if (!isJsonObject(value) || typeof value.field !== "string") return [];
  return [{ field: value.field, code: String(value.code ?? ""), message: String(value.message ?? "") }];
}
