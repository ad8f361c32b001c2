import {
  type FieldError,
  isJsonObject,
  type Json,
  type JsonObject,
  type ProblemKind,
  problemKinds,
  type Reference,
  readShown,
} from "@fieldroll/core";
import { retryAfter } from "../model/backoff.ts";
import type { Housed } from "../types.ts";

/** What came of one request, sorted by what to do about it. */
export type Reply =
  /** 2xx with JSON. Whether it is a verdict on the request is for its reader to check. */
  | {
      readonly kind: "ok";
      readonly status: number;
      readonly body: JsonObject;
      /** Whether the server says that it performed the request before: only this API knows that. */
      readonly replayed?: boolean;
      /** The server's key of the record that was read or written, where it tells that. */
      readonly recordKey?: string | undefined;
      /** What is shown of it, where the server says that it is not all. */
      readonly shows?: readonly string[] | undefined;
    }
  /** This API refused the request, and said why. */
  | ({ readonly kind: "problem" } & WireProblem)
  /** No token, or not one that counts any more. */
  | { readonly kind: "unauthorized"; readonly status?: number; readonly detail: string }
  /** Nobody is being served now: stop asking. */
  | ({ readonly kind: "unavailable" } & Trouble)
  /** The server failed on this request; others may fare better. */
  | ({ readonly kind: "broken" } & Trouble)
  | NoAnswer;

/** What a server in trouble said. */
interface Trouble {
  readonly status?: number;
  readonly retryAfter: number | null;
  readonly detail: string;
}

/** Whatever happened, it was not this API that answered. The request may have had its effect all the same. */
export interface NoAnswer {
  readonly kind: "no-answer";
  readonly why: "network" | "timeout" | "not-the-api";
  readonly status?: number;
  /** Whether an answer began and did not come whole: less may come through. */
  readonly isCut?: boolean;
  /** Whether it may be of a captive portal: no form of answer that this API has. */
  readonly isPortal?: boolean;
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
  /** Of people who would be in two households: where each is already. */
  readonly households?: readonly Housed[];
}

/** What an answer is read from. */
export interface RawAnswer {
  readonly kind: "answer";
  readonly status: number;
  readonly contentType: string | null;
  readonly retryAfter: string | null;
  readonly authenticate: string | null;
  /** When it was made, by the server's clock (RFC 9110 section 6.6.1). */
  readonly date?: string | null;
  /** When it began to come, by this device's clock, in milliseconds. */
  readonly at: number;
  /** The header Idempotent-Replayed. */
  readonly replayed?: string | null;
  /** The header X-Record-Key. */
  readonly recordKey?: string | null;
  /** The header X-Record-Shows. */
  readonly shows?: string | null;
  readonly text: string;
}

/** Sorts an answer. Only JSON that this API could have written counts: a captive portal answers with any status, and never with that. */
export function classify(answer: RawAnswer | NoAnswer, now: Date): Reply {
  if (answer.kind === "no-answer") return answer;
  const { status } = answer;
  const body = jsonBody(answer);
  const wantsToken = /^bearer\b/i.test(answer.authenticate ?? "");
  const isRefusal = status === 401 && wantsToken && !isPage(answer);
  const foreign = isRefusal ? null : foreignIn(answer, body);
  if (foreign) return foreign;
  return sorted(status, {
    body,
    problem: body && isProblem(answer) ? wireProblem(status, body) : undefined,
    retryAfter: retryAfter(answer.retryAfter, now),
    wantsToken,
    replayed: answer.replayed === "true",
    recordKey: answer.recordKey || undefined,
    shows: answer.shows == null ? undefined : readShown(answer.shows),
  });
}

/** Sorts the answer to one request of a bundle: contract section 5. What has not the form of one is no answer. */
export function classifyPart({ response, resource }: JsonObject): Reply {
  const { status, key, shows } = isJsonObject(response) ? response : {};
  const body = isJsonObject(resource) ? resource : undefined;
  if (typeof status !== "number") return notTheApi(0);
  const problem = body && wireProblem(status, body);
  const recordKey = typeof key === "string" ? key : undefined;
  return sorted(status, {
    body,
    problem,
    retryAfter: null,
    wantsToken: false,
    recordKey,
    shows: shownIn(shows),
  });
}

/** What an answer says besides its status. */
interface Said {
  readonly body: JsonObject | undefined;
  readonly problem: WireProblem | undefined;
  /** Milliseconds. */
  readonly retryAfter: number | null;
  readonly wantsToken: boolean;
  readonly replayed?: boolean;
  readonly recordKey?: string | undefined;
  readonly shows?: readonly string[] | undefined;
}

function sorted(status: number, said: Said): Reply {
  const { problem, retryAfter, wantsToken } = said;
  if (notServing.includes(status)) {
    const detail = `The server answers ${status}: it can't serve now.`;
    return { kind: "unavailable", status, retryAfter, detail };
  }
  if (status >= 200 && status < 300) return performed(status, said);
  if (status === 401) {
    if (!problem && !wantsToken) return notTheApi(status);
    return { kind: "unauthorized", status, detail: problem?.detail ?? "The server asks for a new sign-in." };
  }
  if (status >= 500 || status === 408) {
    return {
      kind: "broken",
      status,
      retryAfter,
      detail: problem?.detail ?? `The server failed (${status}).`,
    };
  }
  const refusal = status === 413 ? (problem ?? tooLarge) : problem;
  return refusal ? { kind: "problem", ...refusal } : notTheApi(status);
}

function performed(status: number, { body, replayed, recordKey, shows }: Said): Reply {
  if (!body) return notTheApi(status);
  const told = { ...(replayed && { replayed }), ...(recordKey && { recordKey }), ...(shows && { shows }) };
  return { kind: "ok", status, body, ...told };
}

/** What a server says that it shows of a record. */
export function shownIn(value: Json | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : undefined;
}

/** Statuses by which a server, or what stands before it, says that it serves nobody now. */
const notServing: readonly number[] = [425, 429, 503];

/** Whoever says it, the request was not passed on, and will not be as it is. */
const tooLarge: WireProblem = {
  status: 413,
  problem: "payload-too-large",
  detail: "The record is too large to be sent; make it smaller, such as by leaving out its photo.",
  errors: [],
  existing: null,
  missingScope: null,
};

/**
 * What is no answer of this API: a redirect, a page, or anything else without its form.
 *
 * @param status 0 where a browser does not tell it, which is so of a redirect
 */
export function notTheApi(status: number): NoAnswer {
  const answer = status === 0 ? "with a redirect" : status;
  return {
    kind: "no-answer",
    why: "not-the-api",
    isPortal: true,
    status,
    detail: `This network may ask you to sign in first: something answers ${answer} in the server's place.`,
  };
}

function cutShort(status: number): NoAnswer {
  const detail = "The server's answer did not come whole.";
  return { kind: "no-answer", why: "not-the-api", isCut: true, status, detail };
}

/** What an answer without JSON comes to; `null` for one that a server of JSON, or a proxy before it, may give. */
export function foreignIn(answer: RawAnswer, body: JsonObject | undefined): NoAnswer | null {
  const { status } = answer;
  // A network's own status (RFC 6585 section 6).
  if (status === 511) return notTheApi(status);
  if (body || isOfProxies(status)) return null;
  return isJson(answer) && status < 300 ? cutShort(status) : notTheApi(status);
}

/** Whether it is a page for people; this API has some, at no address that is asked here. */
function isPage({ contentType }: RawAnswer): boolean {
  return /^(text\/html|application\/xhtml\+xml)\b/i.test(contentType ?? "");
}

/** What a proxy says of a server that fails, or of too much, is a page as well. */
export function isOfProxies(status: number): boolean {
  return status >= 500 || status === 408 || status === 413 || notServing.includes(status);
}

/** Problem details say that they are (RFC 9457 section 3): a proxy's JSON is none, whatever its members. */
function isProblem({ contentType }: RawAnswer): boolean {
  return /^application\/problem\+json\b/i.test(contentType ?? "");
}

/** The object that an answer carries, if it is JSON and says so. */
export function jsonBody(answer: RawAnswer): JsonObject | undefined {
  return isJson(answer) ? parse(answer.text) : undefined;
}

function isJson({ contentType }: RawAnswer): boolean {
  return /^application\/([\w.-]+\+)?json\b/i.test(contentType ?? "");
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
    ...(Array.isArray(body.households) && { households: body.households.flatMap(housedIn) }),
  };
}

function housedIn(value: Json): readonly Housed[] {
  const [person, household] = isJsonObject(value)
    ? [named(value.person), named(value.household)]
    : [null, null];
  return person && household ? [{ person, household }] : [];
}

function named(value: Json | undefined): Reference | null {
  if (!isJsonObject(value) || typeof value.reference !== "string") return null;
  const { reference, display } = value;
  return { reference, ...(typeof display === "string" && { display }) };
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
