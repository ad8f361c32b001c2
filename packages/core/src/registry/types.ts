import type { Retention } from "../audit/forgetting.ts";
import type { AuditPage, AuditQuery, History, ReadAudit } from "../audit/types.ts";
import type { BenefitVerbs, ListRequest } from "../benefits/types.ts";
import type { ChangeRequestType, ChangeRequestVerbs } from "../change-request/types.ts";
import type { ConsentVerbs } from "../consent/types.ts";
import type { JsonObject } from "../json.ts";
import type { Outcome, Problem } from "../problem.ts";
import type { ExtensionDeclaration, Vocabularies } from "../resource/context.ts";
import type { Group } from "../resource/group.ts";
import type { Individual } from "../resource/individual.ts";
import type { ProgramMembership } from "../resource/membership.ts";
import type { Program } from "../resource/program.ts";
import type { ResourceType } from "../resource/types.ts";
import type { Store } from "../store/port.ts";
import type { BatchAnswer } from "./batch/types.ts";
import type { Budget } from "./budget.ts";
import type { Policies } from "./policies.ts";
import type { Links } from "./record/document.ts";
import type { MergedRecord } from "./write/judge-merged.ts";

/** Who is asking. Every verb decides by it. */
export interface Caller {
  readonly clientId: string;
  /** Scope names (contract section 7). */
  readonly scopes: readonly string[];
  readonly organization?: string;
  readonly organizationType?: string;
  readonly legalBasis?: string;
  /** The only fields it may ever see, when given: top-level, or one dotted level. */
  readonly fields?: readonly string[];
  /** What it asks for the data for (contract section 3.1); a consent that names a purpose must name this one. */
  readonly purpose?: string;
  /** Told in the audit trail. */
  readonly requestId?: string;
}

/** Which version a write may replace: `"*"` for any that exists, or a list of versionIds. */
export type IfMatch = "*" | readonly string[];

/** Makes a write safe to repeat: contract section 5, `Idempotency-Key`. */
export interface Idempotency {
  /** Chosen by the client, unique among its requests. */
  readonly key: string;
  /** A digest of the request; the same key with another digest is refused. */
  readonly fingerprint: string;
  /** Whose key it is: the caller's own, or one that every caller shares, such as the key of a change request's effect. Default `client`. */
  readonly scope?: "client" | "registry";
}

export interface WriteOptions extends ReadOptions {
  readonly ifMatch?: IfMatch;
  readonly idempotency?: Idempotency;
  /** Of a replacement: what its writer was shown of the record, as {@link FeedItem} has it. All else stays. */
  readonly shown?: readonly string[];
  readonly clockSkew?: number;
}

/** Which part of a record an answer shows: contract section 4. */
export interface ReadOptions {
  /** `_elements`: top-level members or one dotted level, comma-separated; `type` and `identifier` stay. */
  readonly elements?: string;
  /** `_extensions`: names, comma-separated, or `*`. Without it none is shown. */
  readonly extensions?: string;
}

/** The headers `X-Consent-*` of a read: under which right the record is shown. */
export interface Disclosure {
  readonly status: "active" | "legal_basis" | "none";
  /** What is shown: `all`, or members and `extension.<name>`. */
  readonly scope: readonly string[];
  /** YYYY-MM-DD, the last day. */
  readonly expires?: string;
}

export interface Disclosed<T> {
  readonly record: T;
  /** The record's version: its entity tag, also where `meta` is hidden. Not told of a record that nothing shows. */
  readonly versionId?: string;
  /** The record's key, as feeds tell it, with its version. */
  readonly key?: string;
  /** What the caller is shown of it, where that is not all: see {@link FeedItem}. */
  readonly shows?: readonly string[];
  readonly disclosure: Disclosure;
}

/** The answer to a write. */
export interface Written<T> {
  readonly record: T;
  /** `Type/system|value`, printed so that it can be fetched. */
  readonly reference: string;
  /** The record's version: its entity tag, also where `meta` is hidden. Empty where nothing of the record is shown. */
  readonly versionId: string;
  /** The record's key, as feeds tell it, where its version is told; an answer that was kept before answers named theirs has none. */
  readonly key?: string;
  /** What the caller is shown of it, where that is not all: see {@link FeedItem}. */
  readonly shows?: readonly string[];
  readonly created: boolean;
  /** Whether this is the stored answer to an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

/** One page of a search. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor?: string;
  readonly hasMore: boolean;
  /** Of a search for records: their keys, as feeds tell them, in the order of `data`. */
  readonly keys?: readonly string[];
  /** With `_total=accurate`: how many the caller would find in all. */
  readonly total?: number;
}

/** Search parameters by name, as on the address line: contract section 4. */
export type SearchParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `<system>|<value>`, percent-encoded or not, or the two parts. */
export type Address = string | { readonly system: string; readonly value: string };

/** The reading verbs of one type of resource. */
export interface Readable<T> {
  read(address: Address, options?: ReadOptions): Promise<Outcome<T>>;
  /** As {@link Readable.read}, with the right under which the record is shown. */
  disclose(address: Address, options?: ReadOptions): Promise<Outcome<Disclosed<T>>>;
  /** A page of the record's versions, newest first: who, when, what changed. */
  history(address: Address, request?: ListRequest): Promise<Outcome<History>>;
  search(parameters?: SearchParameters): Promise<Outcome<Page<T>>>;
}

/** The verbs of a type of resource that callers create and change. `replace` is PUT, `patch` is PATCH (RFC 7396). */
export interface Writable<T> extends Readable<T> {
  create(body: unknown, options?: WriteOptions): Promise<Outcome<Written<T>>>;
  replace(address: Address, body: unknown, options: WriteOptions): Promise<Outcome<Written<T>>>;
  /** Memberships have no PATCH over HTTP; in process they have. */
  patch(address: Address, patch: unknown, options: WriteOptions): Promise<Outcome<Written<T>>>;
}

/** The verbs of groups. The four member operations succeed however many happen at once: contract section 5. */
export interface GroupVerbs<T> extends Writable<T> {
  /** `member`: one member item as in a Group. */
  addMember(address: Address, member: unknown, options?: WriteOptions): Promise<Outcome<Written<T>>>;
  /** `{entity, endDate?, reason?}`. */
  removeMember(address: Address, removal: unknown, options?: WriteOptions): Promise<Outcome<Written<T>>>;
  /** `{source, target}`, References. Active members move to the target, the source is archived. Answers the target. */
  merge(body: unknown, options?: WriteOptions): Promise<Outcome<Written<T>>>;
  /** `{identifier, name, members: [Reference], head?}`. Answers the new group. */
  split(address: Address, body: unknown, options?: WriteOptions): Promise<Outcome<Written<T>>>;
}

/** One item of the change feed: contract section 5. */
export interface FeedItem {
  readonly type: ResourceType;
  readonly reference: string;
  /** The record's stable key: the same at every change, also when its identifiers were replaced. */
  readonly key: string;
  readonly versionId: string;
  readonly change: "upsert" | "removed";
  /** With `upsert`. Never holds `photo` unless asked for. */
  readonly record?: JsonObject;
  /** With `upsert` of a person: whether there is a photo that the reader may see, in the record here or not. */
  readonly photo?: boolean;
  /**
   * With `upsert`: the keys of those whom the record refers to, by the reference there, but for programs and for identifiers that are made for
   * one record. Not there where there is none, nor for a reader who may not see everybody.
   */
  readonly keys?: Readonly<Record<string, string>>;
  /** With `upsert`, where a part only is shown, which: `all` core fields or each by name (`name.family`), `extension` or `extension.<name>`. */
  readonly shows?: readonly string[];
  /** With `removed`: `left-feed` (another area), `archived`, `consent`. */
  readonly reason?: string;
}

export interface FeedPage {
  readonly data: readonly FeedItem[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
  /** Changes when the server's data was restored: the reader starts over. */
  readonly epoch: string;
}

export interface FeedRequest extends ReadOptions {
  readonly feed: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** What one caller may do with the four types of record, which is all that a device needs. */
export interface RecordView {
  readonly individuals: Writable<Individual>;
  readonly groups: Writable<Group>;
  /** Over HTTP programs are read-only; the embedding program creates them here. */
  readonly programs: Writable<Program>;
  readonly memberships: Writable<ProgramMembership>;
  /**
   * Several writes in one commit, all or none. An entry may refer to what another creates, in any order. On a server entries
   * may change a record that others changed or made before them; on a device each is about a record of its own.
   */
  transaction(
    entries: readonly WriteEntry[],
    options?: TransactionOptions,
  ): Promise<Outcome<readonly Written<JsonObject>[]>>;
}

/** The registry as one caller sees it. */
export interface RegistryView extends RecordView, BenefitVerbs {
  readonly groups: GroupVerbs<Group>;
  readonly consents: ConsentVerbs;
  readonly changeRequests: ChangeRequestVerbs;
  changes(request: FeedRequest): Promise<Outcome<FeedPage>>;
  /** A bundle of requests, `transaction` or `batch`: contract section 5. */
  batch(bundle: unknown, options?: BatchOptions): Promise<Outcome<BatchAnswer>>;
}

export interface TransactionOptions extends ReadOptions {
  readonly idempotency?: Idempotency;
  /**
   * The records come from a trusted copy of the register, such as an import: they say how things stand. The rules about what is done
   * today do not count (docs/command-line.md lists them), those about what a record may be do; no date is given that is not named.
   */
  readonly trusted?: boolean;
  /** An enrollment that was left may be enrolled anew, by the same rules as any other: contract section 2. */
  readonly reopens?: boolean;
  /** Why the change is made, in its author's words: told in the audit trail. */
  readonly reason?: string;
  /**
   * By how many seconds the author's clock was ahead of the server's when the dates of the write were made, of the corrected time. Told in
   * the audit trail and in the history.
   */
  readonly clockSkew?: number;
}

/** How a bundle is performed. */
export interface BatchOptions extends TransactionOptions {
  /** Answers the searches of a bundle, where the host's differ from the registry's own: sealed cursors, links. */
  readonly search?: (type: ResourceType, parameters: SearchParameters) => Promise<Outcome<JsonObject>>;
  /** Tells by which fingerprint a single request under an idempotency key is known. Default: by all of its text. */
  readonly fingerprint?: Fingerprint;
}

/** The fingerprint of a request: of its method, what it is about, such as `Group/urn:x|1/$split`, and its body as text. */
export type Fingerprint = (request: {
  readonly method: string;
  readonly target: string;
  readonly body: string;
}) => Promise<string>;

/**
 * One write of a transaction. `body` is the record, or the merge-patch of a `patch`. An `update` says what a record is to
 * become from what it is, both in stored form; it is asked again when someone else was faster, and so needs no version.
 */
export type WriteEntry =
  | {
      readonly verb: "create";
      readonly type: ResourceType;
      readonly body: unknown;
      /** The new record's internal key, a UUID, where its writer has to know it beforehand. Default: a new id. */
      readonly key?: string;
      /** Of a Program: the total of its fund, as of `programDesk.setFund`, which the record does not show. Default: as it is. */
      readonly fund?: unknown;
    }
  | {
      /** A create whose body follows from what the updates before it in the transaction found. */
      readonly verb: "derive";
      readonly type: ResourceType;
      readonly body: () => Outcome<JsonObject>;
    }
  | {
      readonly verb: "update";
      readonly type: ResourceType;
      readonly address: Address;
      /** What `change` looks at: a caller who may not see all of it is refused before `change` is asked. */
      readonly looksAt?: readonly string[];
      /** The records that `change` may come to refer to, raw. */
      readonly refers?: readonly string[];
      /** Decided together with the entry before it, on what that one found. So is every `derive`. */
      readonly together?: boolean;
      /** `links` leads from the record's references, raw, to the keys of the records they name. */
      readonly change: (record: JsonObject, links: Links) => Outcome<JsonObject>;
    }
  | ({
      readonly verb: "replace" | "patch";
      readonly type: ResourceType;
      readonly address: Address;
      readonly body: unknown;
      /** As of a `create`. */
      readonly fund?: unknown;
    } & Pick<WriteOptions, "ifMatch" | "shown">);

/** The rules of records over a store, without consents, benefits and bundles: what a device runs. */
export interface RecordRegistry {
  as(caller: Caller): RecordView;
  /**
   * Says what is wrong with a merged record, as far as neither copy has it: their own faults are not of who merges them. An
   * enrollment goes on from where theirs is. Looks at no other record; `undefined` where nothing is wrong.
   */
  judge(merged: MergedRecord): Problem | undefined;
}

/** What a deployment chose, for whoever serves or describes its registry. */
export interface RegistryFacts {
  readonly namespace: string;
  /** Whether there are Program and ProgramMembership. */
  readonly programs: boolean;
  readonly extensions: readonly ExtensionDeclaration[];
  /** The types that the deployment declares; the shipped ones when it declares none. */
  readonly changeRequestTypes?: readonly ChangeRequestType[];
  readonly withoutConsent: "hide" | "identifiers";
  /** Whether a person belongs to one household at most. */
  readonly oneHousehold: boolean;
}

/** The registry: rules over a store. It has no state of its own, so any number may share a store. */
export interface Registry {
  /** @param options.budget what the caller's reads may cost together; default: no limit */
  as(caller: Caller, options?: { readonly budget?: Budget }): RegistryView;
  readonly facts: RegistryFacts;
  /** Identifies this history of the data; another one after a restore. */
  epoch(): Promise<string>;
  /**
   * A random text that every process on the store shares and nobody else knows; made at the first question.
   *
   * @param name what it is for, such as `cursors`
   */
  secret(name: string): Promise<string>;
  /**
   * Removes the kept answers of idempotency keys older than 180 days (contract section 5), some hundreds a call. Resolves to how
   * many there were; a server asks now and then until there are none.
   */
  forgetOldAnswers(): Promise<number>;
  /**
   * Removes audit entries that the retention of the configuration keeps no longer, some hundreds a call, oldest first. Resolves to how
   * many documents there were; a server asks now and then until there are none.
   */
  forgetOldEntries(): Promise<number>;
  /** Reads the audit trail, oldest first: contract section 3.8. For the operator, never for callers. */
  audit(query?: AuditQuery): Promise<Outcome<AuditPage>>;
}

/** Whether a beneficiary may be enrolled in a program, as the embedding program decides. */
export interface Eligibility {
  readonly eligible: boolean;
  /** Sentences for people; told when it is not. */
  readonly reasons?: readonly string[];
}

/** What a deployment chooses. */
export interface RegistryConfig {
  readonly store: Store;
  /** The present instant. */
  readonly clock: () => Date;
  /** A new UUIDv7 (RFC 9562). */
  readonly newId: () => string;
  /** Replaces `service` in `urn:service:…`. */
  readonly namespace?: string;
  /** Lists of allowed codes by system; a system without a list is open. */
  readonly vocabularies?: Vocabularies;
  readonly extensions?: readonly ExtensionDeclaration[];
  /** Without programs, Program and ProgramMembership are not there. Default: with. */
  readonly capabilities?: { readonly programs?: boolean };
  readonly policies?: Policies;
  /** Asked when a beneficiary enters `enrolled`. Default: everybody is eligible. */
  readonly eligibility?: (program: Program, beneficiary: JsonObject) => Promise<Eligibility> | Eligibility;
  /** Default: `add_farmer`, `edit_farmer`, `create_farm`, `grant_consent`, `reopen_enrollment`. */
  readonly changeRequestTypes?: readonly ChangeRequestType[];
  /** Told of every read of personal data. Default: nobody. */
  readonly onRead?: ReadAudit;
  /** How long the audit trail is kept; see {@link Registry.forgetOldEntries}. Default: for good. */
  readonly retention?: Retention;
}

/** What a change did to one record: given to the journal, and so to whatever must commit together with it. */
export interface RecordChange {
  readonly type: ResourceType;
  readonly key: string;
  readonly before: JsonObject | null;
  readonly after: JsonObject;
  readonly caller: Caller;
  /** UTC instant, ISO 8601 with milliseconds. */
  readonly at: string;
}
