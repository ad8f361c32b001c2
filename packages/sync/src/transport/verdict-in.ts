import { isJsonObject, type JsonObject, type ResourceType, withKeptDates } from "@fieldroll/core";
import { sameContent, sameRecord, versionOf } from "../model/content.ts";
import type { FrozenRequest } from "../model/entry.ts";
import { recordIn } from "./page-in.ts";
import type { NoAnswer, Reply } from "./reply.ts";

/** A reply whose body, if it has one, was checked to be what was asked for. */
export type Checked<T> =
  | {
      readonly kind: "value";
      readonly status?: number;
      readonly value: T;
      /** The server's key of the record, where the answer tells it. */
      readonly recordKey?: string | undefined;
      /** Of an answer to a POST: whether it is a record with none of the identifiers that were sent. */
      readonly isOther?: boolean;
    }
  | Exclude<Reply, { kind: "ok" }>;

/** Whether the answer is that this caller has no such record; not that the caller lacks a right of its own. */
export function isAbsent(reply: Checked<unknown>): boolean {
  return reply.kind === "problem" && absent.includes(reply.problem) && reply.missingScope === null;
}

const absent: readonly string[] = ["not-found", "gone", "authorization"];

/**
 * The server's record in a reply to a frozen request, which is the verdict on it: a bare 200 is none.
 *
 * @param isPlain whether the server keeps no idempotency keys: a POST that it has performed must not be repeated, whatever it made of it
 */
export function verdictIn(
  reply: Reply,
  type: ResourceType,
  request: FrozenRequest,
  isPlain = false,
): Checked<JsonObject> {
  if (reply.kind !== "ok") return reply;
  const { replayed = false, body, recordKey, shows, status } = reply;
  const record = replayed || isOwnWord(body) ? recordIn(type, body, shows) : undefined;
  if (record && isVerdict(record, request, replayed))
    return { kind: "value", status, value: record, recordKey };
  const isOther = isPlain && request.method === "POST" && body.type === type && isJsonObject(body.meta);
  return isOther ? { kind: "value", status, value: record ?? {}, isOther } : noVerdict;
}

/** An echo of what was sent is none: the API adds a version, or says that no consent shows the record. */
function isOwnWord({ meta, _consent: consent }: JsonObject): boolean {
  return meta !== undefined || isJsonObject(consent);
}

/**
 * A version that the request was to replace is the answer to some GET, unless it already says what was sent, with the days that a
 * registry keeps of an enrollment although they were taken out: then there is nothing that it could have changed. Where consents have
 * come to hide the version, only the server's word that it performed the request before tells: that is known at the second attempt.
 */
function isVerdict(record: JsonObject, { sent, ifMatch }: FrozenRequest, replayed: boolean): boolean {
  if (!sameRecord(record, sent)) return false;
  if (replayed || ifMatch === null || versionOf(record) > Number(ifMatch)) return true;
  return sameContent(record, sent.type === "ProgramMembership" ? withKeptDates(record, sent) : sent);
}

/** A record that was asked for by its reference. */
export function readIn(reply: Reply, type: ResourceType | undefined): Checked<JsonObject> {
  if (reply.kind !== "ok") return reply;
  const record = type && recordIn(type, reply.body, reply.shows);
  return record ? { kind: "value", value: record, recordKey: reply.recordKey } : noVerdict;
}

/** Instead of an answer that is none. */
export const noVerdict: NoAnswer = {
  kind: "no-answer",
  why: "not-the-api",
  isPortal: true,
  detail: "The answer is not one of this API, although it says that all went well.",
};
