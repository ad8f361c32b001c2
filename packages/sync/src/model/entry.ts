import type { JsonObject, Links, ResourceType, WrittenReference } from "@fieldroll/core";
import type { Attempt, RecordState } from "../types.ts";
import type { Incoming } from "./incoming.ts";
import type { Park } from "./park.ts";

/** What a person did to one record in one step, signed in as the client `by`. Its `id` is a UUIDv7, `at` a UTC instant. */
export interface Edit {
  readonly id: string;
  readonly at: string;
  readonly by: string;
  /** Merge patch (RFC 7396) from the record before to the record after; of a created record, the whole of it. */
  readonly patch: JsonObject;
  /** Whether a file has it too, so that another device may send it. */
  readonly carried?: boolean;
  /** Whether a restored server is given it again; `hadPhoto`: of a photo, the version by which it had that. */
  readonly again?: boolean;
  readonly hadPhoto?: number;
  /** By how many seconds this device's clock was ahead of the time that the edit was made by; not there where it was right. */
  readonly skew?: number;
}

/** A request as it leaves (`body`: its bytes as text), every time the same: durable till its outcome is known, from a UTC instant (`frozenAt`) on. Edits made meanwhile wait for their own. */
export interface FrozenRequest {
  /** `Idempotency-Key`: a new one for each request, the same at each attempt. */
  readonly key: string;
  readonly method: "POST" | "PATCH" | "PUT";
  /** Below the API's root, such as `/Individual/urn:x|1`. */
  readonly path: string;
  readonly contentType: string;
  /** The version this stands on; `null` where there is none to replace. */
  readonly ifMatch: string | null;
  /** The server's key of the record that it replaces, where that is known: the name in `path` may be another's by now. */
  readonly recordKey?: string;
  /** The server's keys of those whom it names anew, by raw reference. */
  readonly keys?: Links;
  /** The state of the server's data that counts this version: another one, restored from a backup, counts its own. */
  readonly epoch?: string | null;
  /** Of a PUT upon a copy that shows a part: what it shows. The server leaves all else as it is. */
  readonly shown?: readonly string[];
  readonly body: string;
  /** The record as it is when the request succeeds, in stored form. */
  readonly sent: JsonObject;
  /** The edits that the request carries, by id. */
  readonly covers: readonly string[];
  /** The edits that it carries but for their photo, by id: they stay until that has left too. */
  readonly parts?: readonly string[];
  readonly frozenAt: string;
  /** The same by the server's time, where this device's clock was far from it. */
  readonly serverAt?: string;
  /** The skew of the edits that it carries, in seconds: the largest, where they have several. */
  readonly clockSkew?: number;
  /** Whether it was frozen for a file, and not for its first attempt: what it needs may not have arrived yet. */
  readonly early?: boolean;
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
  readonly reference: WrittenReference;
  /** The server's last copy, in stored form with `meta`; `null` for a record made here that the server has not. */
  readonly base: JsonObject | null;
  /** Of a record that the server had and lost: its last copy there, without what is to be sent again. */
  readonly lost?: JsonObject | null;
  /** Of work that was put away: which state of the server's data its versions count, `null` where unknown; it is sent once that is compared. */
  readonly epoch?: string | null;
  /** Whom its raw references mean, by key on this device; as it is kept, those that the record as it is shown has not. */
  readonly meant?: Links;
  /** By key in `meant`, who that is: of work that was put away where a server tells no keys, or not yet theirs. Those whom this device forgets get others. */
  readonly whom?: Readonly<Record<string, JsonObject>>;
  readonly edits: readonly Edit[];
  /** What edits come to on the present base, where they were made from another one and would say something else on this. */
  readonly comesTo?: { readonly patch: JsonObject; readonly covers: readonly string[] };
  readonly request: FrozenRequest | null;
  /** A request that was refused or given up while an attempt at it may have arrived, or may yet; `later`: the last few after it would make these. */
  readonly earlier?:
    | (Pick<FrozenRequest, "sent" | "covers" | "parts" | "epoch"> & {
        readonly later?: readonly JsonObject[];
      })
    | null;
  /** What a pull brought while the outcome of `request` is unknown. */
  readonly incoming: Incoming | null;
  readonly parked: Park | null;
  /**
   * Places that a person answered while in conflict with what they said before, by the merge's names. They are in conflict until both sides
   * say the same, or it is decided; so too where the record is away meanwhile, and is sent all the same.
   */
  readonly asked?: readonly string[];
  /** Whether the record left what this device keeps a copy of: it goes when nothing of it is left to send. */
  readonly left?: boolean;
  /** The key of a request of which an attempt has begun whose outcome is not known: each was noted before it left. */
  readonly unheard?: string;
  /** Failed attempts of `request` since something last changed. */
  readonly attempts: number;
  /** Rebases without an accepted request between them. */
  readonly rebases: number;
  /** UTC instant before which nothing is sent; `null` for at once. */
  readonly nextAttemptAt: string | null;
  /** What the server last said, in a sentence. */
  readonly lastAnswer: string | null;
  /** The last few attempts, oldest first; not there before the first. */
  readonly answers?: readonly Attempt[];
  /** Raw references by which others may know this record, but the server does not yet. */
  readonly provides: readonly string[];
  /** Raw references by which the server knows this record, but which its unsent work takes from it. */
  readonly releases?: readonly string[];
  /** Raw references that this record holds. */
  readonly needs: readonly string[];
}

/** Names an entry in the outbox. */
export function entryId(type: ResourceType, key: string): string {
  return `${type}/${key}`;
}

/** The record that an entry in the outbox is of. */
export function nameIn(id: string): { readonly type: ResourceType; readonly key: string } {
  const slash = id.indexOf("/");
  return { type: id.slice(0, slash) as ResourceType, key: id.slice(slash + 1) };
}

/** Where the record of an entry stands; one whose request was frozen early waits for its turn like any other. */
export function entryState(entry: OutboxEntry): Exclude<RecordState, "synced"> {
  if (entry.parked) return "parked";
  return entry.request && !(entry.request.early && entry.attempts === 0) ? "sending" : "pending";
}
