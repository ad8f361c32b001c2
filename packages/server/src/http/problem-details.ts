import {
  counted,
  type FieldError,
  maxErrors,
  type Problem,
  problemKinds,
  RegistryError,
  StoreError,
  shortened,
} from "@fieldroll/core";
import { Answer } from "./answer.ts";
import { isDamage } from "./storage-health.ts";

/** Where a problem is printed: what its type starts with, and the path of the request. */
export interface ProblemContext {
  readonly namespace: string;
  readonly instance: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where HTTP has a more exact one than the kind's. */
  readonly status?: number;
  /** Shared by the problems of one answer. Default: one of its own. */
  readonly room?: Room;
}

/** How many bytes the sentences and errors of an answer may still take. */
export interface Room {
  left: number;
}

/** Room for the problems of one answer: together with all else that is in them, they stay below 64 kB. */
export function roomForProblems(): Room {
  return { left: 32_000 };
}

/** A problem as problem details (RFC 9457): contract section 8. */
export function problemDetails(problem: Problem, context: ProblemContext) {
  const { title, status } = problemKinds[problem.kind];
  const { room = roomForProblems() } = context;
  return {
    type: `urn:${context.namespace}:error:${problem.kind}`,
    title,
    status: context.status ?? status,
    detail: fitting(room, shortened(problem.detail, 800)) ?? "There is no room left to say why.",
    instance: context.instance,
    ...(problem.errors ? { errors: listed(problem.errors, room) } : {}),
    ...(problem.households
      ? { households: problem.households.flatMap((one) => fitting(room, one) ?? []) }
      : {}),
    ...(problem.missingScope ? { missing_scope: problem.missingScope } : {}),
    ...(problem.existing ? { existing: problem.existing } : {}),
    ...(problem.entry === undefined ? {} : { entry: problem.entry }),
  };
}

/** The first errors, as many as there is room for, and how many more there are: contract section 8. */
function listed(errors: readonly FieldError[], room: Room): readonly FieldError[] {
  const told: FieldError[] = [];
  for (const { field, code, message } of errors.slice(0, maxErrors)) {
    const one = fitting(room, { field: shortened(field, 250), code, message: shortened(message, 400) });
    if (one === undefined) break;
    told.push(one);
  }
  const more = errors.length - told.length;
  if (more === 0) return told;
  const message = `${counted(more, "more error was", "more errors were")} found; correct ${told.length === 0 ? "fewer at a time" : "these first"}`;
  return [...told, { field: "", code: "more_errors", message }];
}

/** A part of an answer, where there is room for it. */
function fitting<T>(room: Room, part: T): T | undefined {
  room.left -= new TextEncoder().encode(JSON.stringify(part)).byteLength;
  return room.left < 0 ? undefined : part;
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
