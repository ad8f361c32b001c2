import type { FieldError, JsonObject, ResourceType } from "@fieldroll/core";
import type { ParkedRecord, RecordState } from "../types.ts";

/** What a person did to one record in one step. */
export interface Edit {
  /** UUIDv7. */
  readonly id: string;
  /** UTC instant. */
  readonly at: string;
  /** The client that the person was signed in as. */
  readonly by: string;
  /** Merge patch (RFC 7396) from the record before to the record after; of a created record, the whole of it. */
  readonly patch: JsonObject;
}

/**
 * A request as it leaves, every time the same: durable before its first attempt, kept until its outcome is known.
 * Edits made meanwhile wait for their own request.
 */
export interface FrozenRequest {
  /** `Idempotency-Key`: a new one for each request, the same at each attempt. */
  readonly key: string;
  readonly method: "POST" | "PATCH" | "PUT";
  /** Below the API's root, such as `/Individual/urn:x|1`. */
  readonly path: string;
  readonly contentType: string;
  /** The version this stands on; `null` where there is none to replace. */
  readonly ifMatch: string | null;
  /** The bytes, as text. */
  readonly body: string;
  /** The record as it is when the request succeeds, in stored form. */
  readonly sent: JsonObject;
  /** The edits that the request carries, by id. */
  readonly covers: readonly string[];
  /** UTC instant. */
  readonly frozenAt: string;
}

/** News of a record from a pull: its newer copy, or that it left. */
export type Incoming =
  | { readonly kind: "upsert"; readonly record: JsonObject }
  | { readonly kind: "removed"; readonly versionId: string; readonly reason: string };

/** Why an entry waits for a person. What conflicts is computed when it is shown, from base, local and theirs. */
export interface Park {
  readonly reason: ParkedRecord["reason"];
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly existing: string | null;
  /** The other copy, in stored form, where one is known. */
  readonly theirs: JsonObject | null;
  /** UTC instant. */
  readonly since: string;
}

/**
 * One record's unsent work, as the outbox keeps it. There is one entry per record, from the first edit until nothing
 * is left to send. The record as it is shown is not here but in its own document: it is `base` with all `edits` on it.
 */
export interface OutboxEntry {
  readonly type: ResourceType;
  /** The record's key on this device. */
  readonly key: string;
  /** `Type/system|value`, printed. */
  readonly reference: string;
  /** The server's last copy, in stored form with `meta`; `null` for a record made here that the server has not. */
  readonly base: JsonObject | null;
  readonly edits: readonly Edit[];
  readonly request: FrozenRequest | null;
  /** What a pull brought while the outcome of `request` is unknown. */
  readonly incoming: Incoming | null;
  readonly parked: Park | null;
  /** Whether the record left what this device keeps a copy of: it goes when nothing of it is left to send. */
  readonly left?: boolean;
  /** Failed attempts of `request` since something last changed. */
  readonly attempts: number;
  /** Rebases without an accepted request between them. */
  readonly rebases: number;
  /** UTC instant before which nothing is sent; `null` for at once. */
  readonly nextAttemptAt: string | null;
  /** What the server last said, in a sentence. */
  readonly lastAnswer: string | null;
  /** Raw references by which others may know this record, but the server does not yet. */
  readonly provides: readonly string[];
  /** Raw references by which the server knows this record, but which its unsent work takes from it. */
  readonly releases?: readonly string[];
  /** Raw references that this record holds. */
  readonly needs: readonly string[];
}

/** How edits left the outbox; kept in the history. */
export type EditEnd =
  /** The server accepted the request that carried them. */
  | "accepted"
  /** A merge left nothing of them to send. */
  | "merged"
  /** A person decided to give them up. */
  | "discarded";

export interface EndedEdit {
  readonly edit: Edit;
  readonly end: EditEnd;
}

/** An entry and its record after something happened to them. */
export interface Settled {
  /** `null` when nothing is left to send. */
  readonly entry: OutboxEntry | null;
  /** The record as it is shown, in stored form; `null` when the device lets go of it. */
  readonly local: JsonObject | null;
  readonly ended: readonly EndedEdit[];
}

/**
 * Lets go of a record that left earlier and was kept only for its unsent work, once nothing of that is left.
 *
 * @param entry as it was before
 */
export function withoutLeft(entry: OutboxEntry, settled: Settled): Settled {
  return entry.left && settled.entry === null ? { ...settled, local: null } : settled;
}

/** Names an entry in the outbox. */
export function entryId(type: ResourceType, key: string): string {
  return `${type}/${key}`;
}

/** Where the record of an entry stands. */
export function entryState(entry: OutboxEntry): Exclude<RecordState, "synced"> {
  if (entry.parked) return "parked";
  return entry.request ? "sending" : "pending";
}

/** When the oldest edit that has not arrived was made. */
export function oldestEdit(entry: OutboxEntry): string {
  return entry.edits[0]?.at ?? entry.request?.frozenAt ?? "";
}
