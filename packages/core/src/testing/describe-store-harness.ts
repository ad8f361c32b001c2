import type { Commit, Document, DocumentKey, Query, Store, StoredDocument } from "../store/port.ts";
import { StoreError } from "../store/port.ts";

/** How the suite gets stores to examine. */
export interface StoreHarness {
  /** Makes a new and empty store, of which nobody else knows, beside those that are open. */
  create(): Promise<OpenStore>;
  /** Why an optional ability of {@link OpenStore} is missing; printed where a case is skipped for it. Without a reason the case fails. */
  readonly lacks?: { readonly [need in StoreNeed]?: string };
  /** How many documents the largest case puts. Default 100,000; fewer where the store is only an imitation, or slow to fill. */
  readonly documents?: number;
}

/** How much a case is to examine. */
export interface StoreSizes {
  readonly documents: number;
}

/** A store under examination. */
export interface OpenStore {
  readonly store: Store;
  /** Closes every handle and opens the same store again. */
  reopen(): Promise<Store>;
  /** Opens one more handle on the same store, as a second process or tab would. */
  second?(): Promise<Store>;
  /** Lets go of everything as a killed process does, without closing, and opens the same store again. */
  crash?(): Promise<Store>;
  /** Closes every handle and deletes the store. */
  drop(): Promise<void>;
}

/** The abilities that a harness may lack. `another`: that it can make a store while another one is open. */
export type StoreNeed = keyof Pick<OpenStore, "second" | "crash"> | "another";

/** One promise of the port, with the check that it is kept. The check throws when it is not. */
export interface StoreCase {
  /** The part of the port it belongs to, as a heading. */
  readonly about: string;
  /** The promise, as a statement of fact. */
  readonly name: string;
  readonly needs?: StoreNeed;
  /** A call that a store need not have. */
  readonly asks?: "verify" | "rebuild" | "renew";
  /** Whether the number of documents belongs before the name. */
  readonly sized?: boolean;
  /** @param another makes a separate store of the same kind; the case drops it */
  run(open: OpenStore, sizes: StoreSizes, another: () => Promise<OpenStore>): Promise<void>;
}

/** A person's document with little in it: version 1, empty body. */
export function person(key: string, more: Partial<Document> = {}): Document {
  return { collection: "people", key, version: 1, body: {}, ...more };
}

/** The key of a person's document. */
export function personKey(key: string): DocumentKey {
  return { collection: "people", key };
}

/** Commits, and fails the case if the store refuses. */
export async function mustCommit(store: Store, commit: Commit): Promise<void> {
  const result = await store.commit(commit);
  if (!result.ok) throw new Error(`The commit should have been made: ${JSON.stringify(result.failures)}`);
}

const mostReads = 200_000;

/**
 * Ends a case that reads until commits are made, where none gets on: reads that never leave their turn of the event loop keep a commit
 * that waits for another one from it, and every time limit as well.
 */
export function impatience(): { readonly committed: () => void; readonly read: () => void } {
  let reads = 0;
  return {
    committed: () => {
      reads = 0;
    },
    read: () => {
      reads += 1;
      if (reads > mostReads)
        throw new Error(
          `No commit was answered while another handle read ${mostReads} times: reads keep it from going on.`,
        );
    },
  };
}

/** So many handles on one store, the first one included. Those that a harness can't open are the first one again. */
export async function handlesOf(open: OpenStore, count: number): Promise<[Store, ...Store[]]> {
  const others = Array.from({ length: count - 1 }, async () => (await open.second?.()) ?? open.store);
  return [open.store, ...(await Promise.all(others))];
}

/** The keys of documents, in order. */
export function keysOf(documents: readonly DocumentKey[]): string[] {
  return documents.map((document) => document.key);
}

/** Reads all pages of a query. */
export async function readAll(store: Store, query: Query): Promise<StoredDocument[]> {
  const documents: StoredDocument[] = [];
  let after = query.after;
  for (let pages = 0; pages < 2_000; pages++) {
    const page = await store.query({ ...query, ...(after ? { after } : {}) });
    documents.push(...page.documents);
    if (!page.next) return documents;
    after = page.next;
  }
  throw new Error("The query's pages do not end.");
}

/** A feed read to its end: its changes as short words, such as `put a` and `gone b`. */
export async function readFeed(
  store: Store,
  feed: string,
  options: { cursor?: string; limit?: number } = {},
) {
  const told: string[] = [];
  let cursor = options.cursor;
  for (let pages = 0; pages < 2_000; pages++) {
    const page = await store.changes({
      feed,
      limit: options.limit ?? 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const change of page.changes) {
      told.push(change.kind === "put" ? `put ${change.document.key}` : `gone ${change.key}`);
    }
    cursor = page.next;
    if (!page.more) return { told, next: page.next };
  }
  throw new Error("The feed's pages do not end.");
}

/** The code with which a call rejects; fails the case if it does not, or with something else than a StoreError. */
export async function codeOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
  } catch (error) {
    // By name: two copies of the package may be loaded, and their classes differ.
    if (error instanceof StoreError || (error instanceof Error && error.name === "StoreError")) {
      return (error as StoreError).code;
    }
    throw error;
  }
  throw new Error(`This call was answered, and has to be rejected with a StoreError: ${String(call)}`);
}
