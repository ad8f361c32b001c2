import { type Problem, problemKinds, RegistryError, StoreError } from "@fieldroll/core";
import { Answer } from "./answer.ts";
import { isDamage } from "./storage-health.ts";

/** Where a problem is printed: what its type starts with, and the path of the request. */
export interface ProblemContext {
  readonly namespace: string;
  readonly instance: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where HTTP has a more exact one than the kind's. */
  readonly status?: number;
}

/** A problem as problem details (RFC 9457): contract section 8. */
export function problemDetails(problem: Problem, context: ProblemContext) {
  const { title, status } = problemKinds[problem.kind];
  return {
    type: `urn:${context.namespace}:error:${problem.kind}`,
    title,
    status: context.status ?? status,
    detail: problem.detail,
    instance: context.instance,
    ...(problem.errors ? { errors: problem.errors } : {}),
    ...(problem.missingScope ? { missing_scope: problem.missingScope } : {}),
    ...(problem.existing ? { existing: problem.existing } : {}),
    ...(problem.entry === undefined ? {} : { entry: problem.entry }),
  };
}

/** Answers with a problem. */
export function problemAnswer(problem: Problem, context: ProblemContext): Answer {
  const details = problemDetails(problem, context);
  const headers = {
    "Content-Type": "application/problem+json",
    ...headersOf(problem),
    ...context.headers,
  };
  return new Answer(details.status, headers, JSON.stringify(details));
}

function headersOf(problem: Problem): Readonly<Record<string, string>> {
  if (problem.kind === "unavailable") return { "Retry-After": "5" };
  if (problem.rateLimit) return rateLimitHeaders(problem.rateLimit);
  if (problem.missingScope) {
    return { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${problem.missingScope}"` };
  }
  return {};
}

/** What a caller is told that asked too often (draft-ietf-httpapi-ratelimit-headers). */
export function rateLimitHeaders({ limit, seconds }: NonNullable<Problem["rateLimit"]>) {
  return {
    "Retry-After": String(seconds),
    "RateLimit-Limit": String(limit),
    "RateLimit-Remaining": "0",
    "RateLimit-Reset": String(seconds),
  };
}

/**
 * The problem that a thrown value stands for. What was not expected becomes `internal` and says nothing of its
 * cause: never a stack, SQL, a path or a row.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof RegistryError) return error.problem;
  if (error instanceof StoreError && error.code === "bad-cursor") {
    return {
      kind: "bad-request",
      detail: "The cursor is not one of this server's. Start again without it.",
      errors: [{ field: "cursor", code: "invalid_cursor", message: "not a cursor of this server" }],
    };
  }
  if (isDamage(error)) {
    return {
      kind: "internal",
      detail:
        "The registry's database is damaged. Its operator has to restore a backup; trying again won't help.",
    };
  }
  if (error instanceof StoreError && error.code !== "bad-request") {
    return { kind: "unavailable", detail: "The registry's storage does not answer. Try again in a moment." };
  }
  return {
    kind: "internal",
    detail: "The request could not be handled. Nothing is known to be wrong with it.",
  };
}
