import { auditDocument } from "../../audit/document.ts";
import { type AuditEntry, auditOf } from "../../audit/types.ts";
import { failure, type Outcome, type Problem } from "../../problem.ts";
import type { Failure } from "../../store/port.ts";
import { counted } from "../../text.ts";
import { createTurns } from "../groups/turns.ts";
import type { Settings } from "../settings.ts";
import { isBound } from "../sight.ts";
import type { Caller } from "../types.ts";

/** A claim of a write that another record holds. */
export type TakenClaim = Extract<Failure, { readonly kind: "claim-taken" }>;

/**
 * Limits how often restricted callers learn that an identifier is taken. A refused duplicate tells that a record is there, so a client gets
 * `policies.refusedDuplicates` of them a minute in this process, and each leaves an audit entry.
 */
export interface RefusedDuplicates {
  /**
   * Runs a write that may be refused as a duplicate. Writes of one restricted client run one after the other, so that all of them see
   * the refusals before them. Fails with `too-many-requests`, whatever the write is, once the client has had its refusals.
   */
  limit<T>(settings: Settings, caller: Caller, write: () => Promise<Outcome<T>>): Promise<Outcome<T>>;
  /** Counts a refusal of a restricted caller, and writes its audit entry. */
  note(settings: Settings, caller: Caller, taken: readonly TakenClaim[]): Promise<void>;
}

const windowMilliseconds = 60_000;

/** Counts in memory: only clients that were refused within the last minute, and of each no more refusals than it may have. */
export function countRefusedDuplicates(): RefusedDuplicates {
  const turns = createTurns();
  const refusals = new Map<string, readonly number[]>();
  const recent = (clientId: string, now: number) =>
    (refusals.get(clientId) ?? []).filter((at) => at > now - windowMilliseconds);
  return {
    async limit(settings, caller, write) {
      if (!isBound(caller)) return write();
      return turns.take([caller.clientId], async () => {
        const now = Date.parse(settings.now());
        const most = settings.policies.refusedDuplicates;
        const oldest = recent(caller.clientId, now).at(-most);
        return oldest === undefined ? write() : failure(tooMany(most, oldest + windowMilliseconds - now));
      });
    },
    async note(settings, caller, taken) {
      const now = Date.parse(settings.now());
      for (const other of refusals.keys()) if (recent(other, now).length === 0) refusals.delete(other);
      refusals.set(caller.clientId, [...recent(caller.clientId, now), now]);
      if (!settings.policies.audit) return;
      await settings.store.commit({
        put: [auditDocument(entryOf(settings, caller, taken), settings.newId())],
      });
    },
  };
}

function tooMany(limit: number, milliseconds: number): Problem {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return {
    kind: "too-many-requests",
    detail: `Too many of your writes named an identifier that is taken: ${limit} a minute are allowed. Try again in ${counted(seconds, "second")}.`,
    rateLimit: { limit, seconds },
  };
}

/** Names the records that hold what the write asked for, and the identifiers as they were sent. */
function entryOf({ now }: Settings, caller: Caller, taken: readonly TakenClaim[]): AuditEntry {
  const about = (kind: string) => taken.some(({ claim }) => claim.startsWith(kind));
  const identifiers = taken.flatMap(({ claim }) => (/^(enrollment|household):/.test(claim) ? [] : [claim]));
  const fields = [
    ...(identifiers.length > 0 ? ["identifier"] : []),
    ...(about("enrollment:") ? ["program", "beneficiary"] : []),
    ...(about("household:") ? ["member"] : []),
  ];
  return {
    at: now(),
    action: "duplicate",
    ...auditOf(caller),
    records: [...new Set(taken.map(({ holder }) => `${holder.collection}/${holder.key}`))],
    fields,
    ...(identifiers.length > 0 && { identifiers }),
  };
}
