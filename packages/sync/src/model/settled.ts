import type { JsonObject } from "@fieldroll/core";
import type { Accepted } from "./accepted.ts";
import type { Edit, OutboxEntry } from "./entry.ts";

/** How edits left the outbox; kept in the history. */
export type EditEnd =
  /** The server accepted the request that carried them. */
  | "accepted"
  /** A merge left nothing of them to send. */
  | "merged"
  /** A person decided to give them up. */
  | "discarded"
  /** A person decided that the record is another one: what they say went on as an edit of that. */
  | "adopted";

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
  /** The server's key of the record, where an answer has just told it. */
  readonly recordKey?: string | undefined;
  /** A request that the server has just accepted. */
  readonly accepted?: Accepted | undefined;
  /** What is still kept of the requests that it accepted before, where that changes. */
  readonly kept?: readonly Accepted[];
}
