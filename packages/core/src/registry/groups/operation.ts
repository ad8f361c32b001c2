import type { JsonObject } from "../../json.ts";
import { type FieldError, failure, invalid, type Outcome, type Problem } from "../../problem.ts";
import type { DocumentKey } from "../../store/port.ts";
import type { Settings } from "../settings.ts";
import type { Address, Caller, IfMatch, RecordView, WriteEntry, WriteOptions, Written } from "../types.ts";
import { precondition } from "../write/precondition.ts";
import { findSeen } from "../write/write-sight.ts";

/** A member operation put in terms of writes, which commit together. */
export interface Operation {
  readonly entries: readonly WriteEntry[];
  /** Which entry's record is the answer. */
  readonly answer: number;
  /** Why, for the audit trail. */
  readonly reason?: string;
  /** Puts a problem of the writes in terms of the request. */
  readonly told: (problem: Problem) => Problem;
}

/** A request for a member operation. */
export interface OperationRequest {
  readonly body: unknown;
  readonly ifMatch?: IfMatch;
}

/** A request about one group. */
export interface GroupRequest extends OperationRequest {
  readonly address: Address;
}

/** For whom an operation is planned. */
export interface Asking {
  readonly settings: Settings;
  readonly caller: Caller;
}

/** Writes an operation, and answers with the group that it is about. */
export async function performOperation(
  records: RecordView,
  operation: Operation,
  { ifMatch: _, ...options }: WriteOptions,
): Promise<Outcome<Written<JsonObject>>> {
  const { entries, answer, reason, told } = operation;
  const written = await records.transaction(entries, { ...options, ...(reason !== undefined && { reason }) });
  if (!written.ok) return failure(told(written.problem));
  const value = written.value[answer];
  return value ? { ok: true, value } : failure({ kind: "internal", detail: "The write has no answer." });
}

/** Keys of records by raw reference, as far as they are there and the caller may know of them. */
export async function recordsNamed(
  { settings, caller }: Asking,
  raws: readonly (string | undefined)[],
): Promise<ReadonlyMap<string, DocumentKey>> {
  const claims = [...new Set(raws.filter((raw) => raw !== undefined))];
  return (await findSeen(settings, caller, claims)).keys;
}

/** Refuses a version that the caller did not expect. Without If-Match any will do. */
export function unmet(type: "Group", group: JsonObject, ifMatch: IfMatch | undefined): Problem | undefined {
  if (ifMatch === undefined) return undefined;
  return precondition({ type, key: "", version: 0, record: group, links: {}, feeds: [] }, ifMatch);
}

/** An operation that is refused, but only after an earlier answer to the same request was looked for. */
export function refusal(faults: readonly FieldError[]): Operation {
  const body = () => failure(invalid(faults));
  return { entries: [{ verb: "derive", type: "Group", body }], answer: 0, told: withoutEntry };
}

/** The operation is one request: which of its writes failed says nothing to the caller. */
export function withoutEntry(problem: Problem): Problem {
  const { entry: _, ...rest } = problem;
  return rest;
}
