import type { HistoryRequest, Versions } from "../audit/record-history.ts";
import type { Shown } from "../audit/tell-read.ts";
import type { AuditEntry } from "../audit/types.ts";
import type { Outcome, Problem } from "../problem.ts";
import type { SchemaContext } from "../resource/context.ts";
import type { ResourceType } from "../resource/types.ts";
import type { Commit, Position } from "../store/port.ts";
import type { FeedPart, PageRequest } from "./feed/changes.ts";
import type { VisibleRecord } from "./find-visible.ts";
import type { FoundRecord } from "./record/find-record.ts";
import type { Chunk } from "./search/sources.ts";
import type { Settings } from "./settings.ts";
import type { Sight, Subject } from "./sight.ts";
import type { Caller, WriteEntry } from "./types.ts";
import type { AuditedWrite } from "./write/audit-part.ts";
import type { Draft } from "./write/draft.ts";
import type { Footing } from "./write/enrollment.ts";
import type { CommitPart, Rewritten } from "./write/followers.ts";
import type { HouseholdVerdict, WrittenRecord } from "./write/one-household.ts";
import type { RefusedDuplicates } from "./write/refused-duplicates.ts";

/** A write whose references have been found. */
export interface LinkedWrite {
  readonly drafts: readonly Draft[];
  /** By the key of the membership that stands on it. */
  readonly footings: ReadonlyMap<string, Footing>;
}

/** A walk through the records that consents show a caller. */
export interface CoveredWalk {
  readonly type: ResourceType;
  /** A consent's id as `value`, and the key of a record that it shows; from the beginning without one. */
  readonly after?: Position;
  /** When the walk's first page was read. */
  readonly since: string;
  /** So many records are wanted at first. */
  readonly size: number;
}

/**
 * What a registry that answers others does beyond keeping records: consents and the audit trail. A device has none of it: who
 * holds the store sees all that is in it, and the server keeps the trail.
 */
export interface Governance {
  /** Finds a record for who may see it whole, with what rendering it will ask for. */
  find(settings: Settings, type: ResourceType, claim: string): Promise<FoundRecord | undefined>;
  sight(settings: Settings, caller: Caller, records: readonly Subject[]): Promise<Sight>;
  /**
   * The records of a type of which a caller bound by consent may see anything, in the order of the consents that show them;
   * `undefined` when consents do not tell (policy `identifiers`). Its cost depends on those consents alone, never on hidden records.
   */
  covered(settings: Settings, caller: Caller, walk: CoveredWalk): AsyncIterable<Chunk> | undefined;
  /** Why a caller whom consents bind may not write this: it would learn, or come to see, what nobody showed it. */
  refusal(settings: Settings, caller: Caller, write: LinkedWrite): Promise<Problem | undefined>;
  /** Judges a write by `policies.oneHousehold`. A device leaves that to the server, which knows all households. */
  households(
    settings: Settings,
    caller: Caller,
    written: readonly WrittenRecord[],
  ): Promise<HouseholdVerdict>;
  /** Judges the funds that programs are written with, and tells what to commit for them. */
  withFunds(
    settings: Settings,
    caller: Caller,
    drafts: readonly Draft[],
  ): Promise<{ readonly drafts: readonly Draft[]; readonly parts: readonly CommitPart[] }>;
  /** Whether records of a type have a member at all, by its JSON pointer. */
  isKnown(type: ResourceType, field: string, context: SchemaContext): boolean;
  /** Why the versions that a write names are none. A device's own code names them. */
  misstated(entries: readonly WriteEntry[]): Problem | undefined;
  /** Says of members that a type has not which ones may have been meant. */
  explain: NonNullable<SchemaContext["explain"]>;
  readonly duplicates: RefusedDuplicates;
  /** The audit documents of a write. */
  auditPart(settings: Settings, write: AuditedWrite): CommitPart;
  /** What a change of a group's members means to those whom its consents show. */
  tellMembers(
    settings: Settings,
    write: { readonly rewritten: readonly Rewritten[]; readonly commit: Commit },
  ): Promise<CommitPart>;
  /** Tells the audit trail which records an answer shows. */
  tellRead(
    settings: Settings,
    caller: Caller,
    read: { readonly action: AuditEntry["action"]; readonly shown: readonly Shown[] },
  ): void;
  /** A page of a feed for a caller whom consents bind. */
  boundPage(settings: Settings, caller: Caller, request: PageRequest): Promise<Outcome<FeedPart>>;
  /** A page of a record's versions. */
  history(settings: Settings, found: VisibleRecord, request: HistoryRequest): Promise<Versions>;
}
