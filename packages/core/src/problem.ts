import type { Reference } from "./resource/common.ts";
import { counted, shortened } from "./text.ts";

/** One fault in a body or a query: where it is, what kind it is, and what to do about it. */
export interface FieldError {
  /** JSON pointer (RFC 6901) into the body, or the name of a query parameter. */
  readonly field: string;
  /** A stable word for programs, such as `required`, `unknown_field`, `invalid_transition`. */
  readonly code: string;
  /** A sentence for people. */
  readonly message: string;
}

/** The kinds of problem, as in the contract's section 8. */
export type ProblemKind =
  | "conflict"
  | "duplicate"
  | "invalid-state"
  | "precondition-required"
  | "validation"
  | "idempotency-mismatch"
  | "bad-request"
  | "authentication"
  | "authorization"
  | "not-found"
  | "method-not-allowed"
  | "unsupported-media-type"
  | "payload-too-large"
  | "too-many-requests"
  | "gone"
  | "internal"
  | "unavailable";

/** An expected failure, as a value. The server prints it as problem details (RFC 9457). */
export interface Problem {
  readonly kind: ProblemKind;
  /** What was wrong, where, and what to do next, in a sentence or two. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  /** The scope the caller lacks (`authorization`). */
  readonly missingScope?: string;
  /** Address of the record that already has the identifier or pair (`duplicate`). */
  readonly existing?: string;
  /** Who is an active member of which household already, for each of `errors` (code `other_household`), 100 at most. */
  readonly households?: readonly { readonly person: Reference; readonly household: Reference }[];
  /** The record's current version (`conflict`). */
  readonly currentVersion?: string;
  /** Which write of a transaction failed, from 0. */
  readonly entry?: number;
  /** How many of the kind are let through in a while, and the seconds until the next may be (`too-many-requests`). */
  readonly rateLimit?: { readonly limit: number; readonly seconds: number };
}

/** Status and title of each kind of problem: contract section 8. */
export const problemKinds: Readonly<Record<ProblemKind, { status: number; title: string }>> = {
  conflict: { status: 409, title: "Conflict" },
  duplicate: { status: 409, title: "Duplicate" },
  "invalid-state": { status: 409, title: "Invalid state" },
  "precondition-required": { status: 428, title: "Precondition required" },
  validation: { status: 422, title: "Validation failed" },
  "idempotency-mismatch": { status: 422, title: "Idempotency key used for another request" },
  "bad-request": { status: 400, title: "Bad request" },
  authentication: { status: 401, title: "Authentication required" },
  authorization: { status: 403, title: "Not allowed" },
  "not-found": { status: 404, title: "Not found" },
  "method-not-allowed": { status: 405, title: "Method not allowed" },
  "unsupported-media-type": { status: 415, title: "Unsupported media type" },
  "payload-too-large": { status: 413, title: "Payload too large" },
  "too-many-requests": { status: 429, title: "Too many requests" },
  gone: { status: 410, title: "Gone" },
  internal: { status: 500, title: "Internal error" },
  unavailable: { status: 503, title: "Unavailable" },
};

/** The result of a verb: its value, or the problem that kept it from having one. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

export function success<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function failure(problem: Problem): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem };
}

/** The most errors that a problem lists where it is printed: contract section 8. */
export const maxErrors = 100;

/** A `validation` problem from the faults found. */
export function invalid(errors: readonly FieldError[], detail?: string): Problem {
  const first = errors[0];
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return {
    kind: "validation",
    detail:
      detail ??
      `${first ? `${shortened(first.field, 200) || "body"}: ${first.message}` : "The body is not valid"}${rest}`,
    errors,
  };
}

/** Refuses a request for all its wrong parameters at once; `undefined` where there are none. The first gives the kind and the detail. */
export function together(problems: readonly (Problem | undefined)[]): Outcome<never> | undefined {
  const found = problems.flatMap((problem) => problem ?? []);
  const [first, ...rest] = found;
  if (!first) return undefined;
  if (rest.length === 0) return failure(first);
  const errors = found.flatMap((problem) => problem.errors ?? []);
  const more = counted(rest.length, "more parameter is", "more parameters are");
  return failure({ ...first, detail: `${first.detail} ${more} wrong: see errors.`, errors });
}

/** The problem of an outcome; none where it has a value. */
export function problemIn(outcome: Outcome<unknown>): Problem | undefined {
  return outcome.ok ? undefined : outcome.problem;
}

/** Carries a problem where code throws: at the edges, for callers that prefer exceptions. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Takes the value out of an outcome, or throws its problem as a {@link RegistryError}. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new RegistryError(outcome.problem);
}
