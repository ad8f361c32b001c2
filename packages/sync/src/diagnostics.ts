import type { ResourceType } from "@fieldroll/core";
import type { EnginePhase, NetworkProblem, SyncStatus } from "./status-types.ts";
import type { ParkedRecord } from "./types.ts";

/**
 * What a device can tell whoever looks into a problem: plain JSON of at most 1 MB. It has states, counts, times, scopes and the
 * statuses of answers, and nothing that a person wrote or is called: no names, identifiers, fields, messages or places.
 */
export interface Diagnostics {
  readonly format: 1;
  /** The version of this package. */
  readonly software: string;
  /** UTC instant; `null` when the store could not be opened. */
  readonly madeAt: string | null;
  readonly status: Omit<SyncStatus, "signedInAs" | "lastError" | "networkProblem"> & {
    readonly signedIn: boolean;
    readonly networkProblem: NetworkProblem["reason"] | null;
    /** Whether the last run failed, or could not read a feed. */
    readonly failing: boolean;
  };
  /** What the engine of the tab that was asked knows of itself; `null` when the store could not be opened. */
  readonly engine: EngineFacts | null;
  readonly feeds: readonly FeedFacts[];
  /** Documents of the store by collection; work of people who are not signed in is `sealed`. */
  readonly documents: Readonly<Record<string, number>>;
  /** Entries of the outbox: those that wait for a person first, then those that failed most often. */
  readonly entries: readonly EntryFacts[];
  /** How many more entries there are than are told of. */
  readonly entriesLeftOut: number;
}

/** What the engine knows of itself. */
export interface EngineFacts {
  readonly phase: EnginePhase;
  readonly leading: boolean;
  readonly online: boolean;
  readonly session: "none" | "valid" | "expired";
  readonly durable: boolean;
  readonly wanted: "no" | "due" | "eager";
  /** Runs in a row that were stopped. */
  readonly failures: number;
  /** Whether the server named the time of the next attempt. */
  readonly asked: boolean;
}

/** How far a feed was read. Of its name only the kind is told: the rest may be a place. */
export interface FeedFacts {
  readonly kind: string;
  readonly complete: boolean;
  readonly restarting: boolean;
  readonly records: number;
  readonly pages: number;
}

/** One record's unsent work, without the record. */
export interface EntryFacts {
  readonly type: ResourceType;
  readonly state: "pending" | "sending" | "parked";
  /** Why it waits for a person. */
  readonly reason: ParkedRecord["reason"] | null;
  /** UTC instant of the oldest edit. */
  readonly since: string;
  /** Whether the server has not got the record at all. */
  readonly isNew: boolean;
  readonly edits: number;
  readonly attempts: number;
  readonly rebases: number;
  readonly nextAttemptAt: string | null;
  /** Whether another record has to reach the server first. */
  readonly blocked: boolean;
  /** The request whose outcome is awaited; `size` in characters. */
  readonly request: { readonly method: string; readonly size: number; readonly frozenAt: string } | null;
  /** The last few attempts, oldest first. */
  readonly answers: readonly { readonly at: string; readonly status: number | null }[];
}

/** As in the package's own description; a test compares the two. */
export const softwareVersion = "0.1.0";
