import type { Json } from "../json.ts";

/**
 * The store port: everything durable in Fieldroll is a document, and every change is one commit.
 *
 * What an implementation promises:
 *
 * - **Atomic.** A commit makes all its writes or none, also when the process is killed in the middle.
 * - **Conditional.** Expectations and claims are checked inside the same atomic step that writes. Of any
 *   number of simultaneous commits that expect the same version, exactly one succeeds.
 * - **Isolated.** `get`, `resolve` and `query` see only whole commits. A call made after a commit has
 *   resolved sees that commit, from every handle on the same store.
 * - **Durable.** When a `strict` commit has resolved it survives a crash of the process and of the machine;
 *   a `relaxed` one survives a crash of the process and may be lost, whole, with the machine's power. One that tells feeds of
 *   something, also that a document leaves them, or removes, is strict on a store whose feeds are read from elsewhere ({@link isStrict}).
 * - **Fed.** The change feed tells every committed change of a document to every feed the document belongs
 *   to, or just left. A reader that follows `next` never misses a change, also under concurrent commits.
 * - **Closed is closed.** After `close` every call rejects with a {@link StoreError} of code `closed`.
 *
 * Documents are plain JSON, and they and requests are handed over by value: what a caller does to one afterwards changes nothing.
 * Strings compare by UTF-16 code unit wherever an order is promised.
 */
export interface Store {
  /** Reads documents by key. The answer has one place per key, `undefined` where there is none. */
  get(keys: readonly DocumentKey[]): Promise<readonly (StoredDocument | undefined)[]>;

  /** Finds who holds each claim. The answer has one place per claim, `undefined` where it is free. */
  resolve(claims: readonly string[]): Promise<readonly (DocumentKey | undefined)[]>;

  /**
   * Finds the document that holds a claim, and those that name it: what `resolve`, `get` and `query` find, at the price of
   * about one of them. A store may do without; callers then ask the three.
   */
  find?(claim: string, naming?: Naming): Promise<Found | undefined>;

  /** Reads the documents of one collection that meet every condition, in order, one page at a time. */
  query(query: Query): Promise<QueryPage>;

  /**
   * How many documents a query finds in all. A store may do without; callers then read every page.
   *
   * @param isWanted asked now and then while it counts: after `false` the store stops soon, and answers `undefined`. Default: always true
   */
  count?(query: Pick<Query, "collection" | "where">, isWanted?: () => boolean): Promise<number | undefined>;

  /**
   * Reads a feed onwards from a cursor, oldest change first. Each document appears once, at its newest change.
   * Changes of one commit come in the order of its `put` and then of its `remove`.
   */
  changes(request: ChangesRequest): Promise<ChangesPage>;

  /** Checks every expectation and makes every write, atomically. A failed expectation is an answer, not an error. */
  commit(commit: Commit): Promise<CommitResult>;

  /**
   * Compares everything kept beside the documents (claims, entries, feeds, whatever else helps to find them) with what the
   * documents declare, and the medium with itself; tells each fault as it is found. Others may read and write meanwhile: what
   * they change is no fault. A store may do without.
   */
  verify?(tell: (fault: StoreFault) => void): Promise<StoreCensus>;

  /**
   * Builds everything kept beside the documents anew, from what they declare, and gives the store another identity: cursors
   * given before are refused as `bad-cursor`. Killed in the middle it has done nothing, or part of it; calling again ends it.
   * Of two documents that declare one claim the one with the smaller key keeps it, and `tell` names the other. A store may do
   * without.
   */
  rebuild?(tell: (fault: StoreFault) => void): Promise<StoreCensus>;

  /**
   * Gives the store another identity, and changes nothing else: cursors given before are refused as `bad-cursor`. For data that
   * were restored from a copy and lack what its readers were told since. A store may do without.
   */
  renew?(): Promise<void>;

  /** Waits for running calls and lets go of the store. Closing twice is harmless: the second waits as long. */
  close(): Promise<void>;
}

/** Something kept beside the documents that does not agree with them, or a damage of the medium. */
export interface StoreFault {
  /** What is wrong: a claim, an entry of an index, a place in a feed, what helps to find substrings, a document, or the medium. */
  readonly about: "claim" | "entry" | "feed" | "substrings" | "document" | "medium";
  /** The document concerned, where there is one. */
  readonly at?: DocumentKey;
  /** What was found and what was expected, as a sentence. Names claims and indexes, never the values of a body. */
  readonly message: string;
}

/** What a store was found to hold. */
export interface StoreCensus {
  readonly documents: number;
  readonly claims: number;
  /** For each document, its different values in each index. */
  readonly entries: number;
  /** For each document, the feeds that it is in; `verify` may count places of what left as well. */
  readonly feeds: number;
}

/**
 * Names one document. Both parts are non-empty strings of well-formed Unicode without U+0000; the same goes for
 * claims, feeds, index names and, but that they may be empty, for values of entries. Anything else is a `bad-request`.
 */
export interface DocumentKey {
  readonly collection: string;
  readonly key: string;
}

/** The documents of a collection that have another document's key among their values in an index. Few, for all are read. */
export interface Naming {
  readonly collection: string;
  readonly index: string;
}

/** A claim's holder, and the documents that name it, by key. */
export interface Found {
  readonly document: StoredDocument;
  /** Empty where none was asked for. */
  readonly naming: readonly StoredDocument[];
}

/** A document as its writer gives it. `put` replaces the whole document, with its claims, entries and feeds. */
export interface Document extends DocumentKey {
  /** A positive integer, chosen by the writer: 1 for a new document, one more at each put. */
  readonly version: number;
  readonly body: Json;
  /** Strings that at most one document of the whole store may hold at a time. */
  readonly claims?: readonly string[];
  /** What queries look at: index name to values. The first value is the one that sorting uses. */
  readonly entries?: Entries;
  /** The feeds that tell this document's changes. A feed that a put no longer names tells, once, that it is gone. */
  readonly feeds?: readonly string[];
}

/** A document as read back: what it declared about itself included, empty where it declared nothing. */
export interface StoredDocument extends Document {
  readonly claims: readonly string[];
  readonly entries: Entries;
  readonly feeds: readonly string[];
}

/** Index name to values. */
export type Entries = Readonly<Record<string, readonly string[]>>;

/**
 * One commit. Expectations speak of the store before the commit's own writes. It names each document at most once,
 * in `put` or in `remove`, and no two of its puts declare the same claim: else it is a `bad-request`. A claim
 * may move from one document to another in one commit that puts or removes the old holder as well.
 */
export interface Commit {
  readonly expect?: readonly Expectation[];
  readonly put?: readonly Document[];
  /** Removing a document that is not there is harmless; state an expectation where it matters. */
  readonly remove?: readonly DocumentKey[];
  /** Default `strict`. */
  readonly durability?: "strict" | "relaxed";
}

/**
 * What must hold for a commit to happen.
 * A claim that a `put` declares and that a document outside this commit holds fails by itself, as `claim-taken`;
 * `free` is for a claim that the commit does not itself make.
 */
export type Expectation =
  | ({ readonly kind: "version"; readonly version: number } & DocumentKey)
  | ({ readonly kind: "exists" } & DocumentKey)
  | ({ readonly kind: "absent" } & DocumentKey)
  | { readonly kind: "free"; readonly claim: string };

/** Why a commit did not happen; every failed expectation is listed, in order, and then every claim that is taken. */
export type Failure =
  | {
      readonly kind: "expectation";
      readonly expectation: Expectation;
      /** The version found, or `undefined` when the document is not there. */
      readonly found?: number;
    }
  | { readonly kind: "claim-taken"; readonly claim: string; readonly holder: DocumentKey };

export type CommitResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly failures: readonly Failure[] };

/** A query: all conditions hold, documents come in order of `sort` and then of key. */
export interface Query {
  readonly collection: string;
  /** At most 500. */
  readonly where?: readonly Condition[];
  /**
   * Default: by key. Descending turns the whole order around, keys of equal values included; but documents
   * without a value in the index come last in either direction. Sorting may stop at a value's first 500 characters, and
   * take what is equal so far by key.
   */
  readonly sort?: { readonly index: string; readonly descending?: boolean };
  /** The `next` of the page before. Stays valid while documents come and go. */
  readonly after?: Position;
  /** At most this many documents, 1 or more. */
  readonly limit: number;
  /** How much of each document is wanted, where that is not all of it. */
  readonly part?: Part;
  /**
   * The page also ends before the document with which its bodies together are longer than this, as UTF-8 JSON. Its first document is
   * always there. A store may count what it keeps beside the bodies as well. 1 or more; default: no end.
   */
  readonly bytes?: number;
}

/**
 * A part of documents: `"key"` is key and version, `"declared"` also claims, entries and feeds. What is left out comes empty, a body as
 * `null`: a decision that looks at no body costs the same however large that is. A store may hand over more.
 */
export type Part = "key" | "declared";

/**
 * A condition on the values that documents have in one index; one value that meets it is enough. It is of one of these kinds.
 * A range is `from` ≤ value < `below`. `contains` looks for a substring, code unit by code unit.
 * Any text may be asked for, here, in a {@link Position} and as a claim, also what no document can have: half a surrogate
 * pair is found within pairs, and U+0000 nowhere.
 */
export type Condition =
  | { readonly index: string; readonly anyOf: readonly string[] }
  | { readonly index: string; readonly prefix: string }
  | { readonly index: string; readonly contains: string }
  | { readonly index: string; readonly from?: string; readonly below?: string };

/** A place in a query's order: the last document's sort value (`null` without one, and without a sort) and key. */
export interface Position {
  readonly value: string | null;
  readonly key: string;
}

export interface QueryPage {
  readonly documents: readonly StoredDocument[];
  /** Given when there are more documents. */
  readonly next?: Position;
}

export interface ChangesRequest {
  readonly feed: string;
  /** An opaque string from an earlier page's `next`; without it, from the beginning. */
  readonly cursor?: string;
  readonly limit: number;
  /** Ends the page as {@link Query.bytes} does; `next` and `more` say so. */
  readonly bytes?: number;
}

export interface ChangesPage {
  readonly changes: readonly Change[];
  /** Where to go on; always given, also by an empty page. */
  readonly next: string;
  readonly more: boolean;
  /** Whether changes that are committed are kept back at the end of this page, for one that comes before them may still be committed. */
  readonly held?: boolean;
}

/** A document's newest state in a feed. It is gone when it left the feed or was removed. */
export type Change =
  | { readonly kind: "put"; readonly document: StoredDocument }
  | ({ readonly kind: "gone" } & DocumentKey);

/** What a store can refuse for, beyond a commit's failures. */
export type StoreErrorCode =
  /** The store was closed, here or by another handle that upgrades it. */
  | "closed"
  /** There is no room left. Nothing of the commit was written. */
  | "quota"
  /** The file or database is damaged, or is something else altogether. */
  | "corrupt"
  /** It was written by a newer version of this software. */
  | "newer-schema"
  /** Another handle, of an earlier version of this software, keeps it from being upgraded. */
  | "blocked"
  /** This host keeps no such store, as a browser in private mode may not. */
  | "absent"
  /** A cursor that this store did not give. */
  | "bad-cursor"
  /** Refused by the rules of the port, such as an empty key. */
  | "bad-request"
  /** Anything else the medium reports; `cause` has it. */
  | "unavailable";

/** Rejection of a store's call. `message` says what happened, where, and what to do next. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
