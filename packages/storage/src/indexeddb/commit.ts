import {
  type Commit,
  type CommitResult,
  checkCommit,
  type Expectation,
  type Failure,
  holds,
} from "@fieldroll/core";
import { documentId, documentKey, feedPlace } from "./names.ts";
import { documentsOf, presentAmong, readHolders, readPosition, readRows, type Work } from "./requests.ts";
import { type DocumentRow, type FeedRow, type StateRow, toRow } from "./rows.ts";

/** A commit whose parts were copied and written as rows, ready for a transaction. */
export interface PreparedCommit {
  readonly expect: readonly Expectation[];
  readonly put: readonly DocumentRow[];
  /** Primary keys. */
  readonly remove: readonly string[];
  readonly durability: "strict" | "relaxed";
}

/** What the store holds of what a commit speaks of: rows by primary key, holders' primary keys by claim. */
interface Found {
  readonly rows: ReadonlyMap<string, DocumentRow>;
  readonly holders: ReadonlyMap<string, string>;
}

/** Checks and copies a commit; throws `bad-request`. */
export function prepareCommit(commit: Commit): PreparedCommit {
  checkCommit(commit);
  return {
    expect: (commit.expect ?? []).map((expectation) => ({ ...expectation })),
    put: (commit.put ?? []).map(toRow),
    remove: (commit.remove ?? []).map(documentId),
    durability: commit.durability ?? "strict",
  };
}

/**
 * Checks and writes a commit inside one transaction. Its failures leave the transaction without a write.
 *
 * Unless told to be careful it leaves claims to the unique index, which costs no reads: the transaction is then
 * aborted with a ConstraintError when a claim is taken, or moves from one document to another. Whoever meets that
 * runs the commit again, carefully.
 */
export async function runCommit(
  work: Work,
  commit: PreparedCommit,
  { careful = false }: { readonly careful?: boolean } = {},
): Promise<CommitResult> {
  const rows = await findRows(work, commit);
  const free = commit.expect.flatMap((expectation) =>
    expectation.kind === "free" ? [expectation.claim] : [],
  );
  const unmet = failedExpectations(commit, { rows, holders: await findHolders(work, free) });
  const claims = careful || unmet.length > 0 ? commit.put.flatMap((row) => row.claims) : [];
  const found: Found = { rows, holders: await findHolders(work, claims) };
  const failures = [...unmet, ...takenClaims(commit, found)];
  if (failures.length > 0) return { ok: false, failures };
  const feedRows = changesOf(commit, found);
  const position = feedRows.length > 0 ? await readPosition(work) : 0;
  writeDocuments(work, commit, found);
  if (feedRows.length > 0) writeFeeds(work, feedRows, position);
  return { ok: true };
}

async function findRows(work: Work, { expect, put, remove }: PreparedCommit): Promise<Found["rows"]> {
  const named = expect.flatMap((expectation) =>
    expectation.kind === "free" ? [] : [documentId(expectation)],
  );
  const ids = [...new Set([...put.map((row) => row.id), ...remove, ...named])];
  const present = await presentAmong(work, ids);
  return known(present, await readRows(work, present));
}

async function findHolders(work: Work, claims: readonly string[]): Promise<Found["holders"]> {
  const distinct = [...new Set(claims)];
  return known(distinct, distinct.length > 0 ? await readHolders(work, distinct) : []);
}

function known<T>(names: readonly string[], values: readonly (T | undefined)[]): Map<string, T> {
  const map = new Map<string, T>();
  for (const [i, name] of names.entries()) {
    const value = values[i];
    if (value !== undefined) map.set(name, value);
  }
  return map;
}

function failedExpectations({ expect }: PreparedCommit, { rows, holders }: Found): Failure[] {
  return expect.flatMap((expectation): Failure[] => {
    if (expectation.kind === "free") {
      return holders.has(expectation.claim) ? [{ kind: "expectation", expectation }] : [];
    }
    const found = rows.get(documentId(expectation))?.version;
    if (holds(expectation, found)) return [];
    return [{ kind: "expectation", expectation, ...(found === undefined ? {} : { found }) }];
  });
}

function takenClaims({ put, remove }: PreparedCommit, { holders }: Found): Failure[] {
  const named = new Set([...put.map((row) => row.id), ...remove]);
  return put.flatMap((row) =>
    [...new Set(row.claims)].flatMap((claim): Failure[] => {
      const holder = holders.get(claim);
      if (holder === undefined || named.has(holder)) return [];
      return [{ kind: "claim-taken", claim, holder: documentKey(holder) }];
    }),
  );
}

interface FeedChange {
  readonly feed: string;
  readonly document: string;
  readonly gone: boolean;
  /** Counts the commit's changed documents, from 1. */
  readonly turn: number;
}

function changesOf({ put, remove }: PreparedCommit, { rows }: Found): FeedChange[] {
  const changed = [
    ...put.map((row) => ({ id: row.id, feeds: row.feeds })),
    ...remove.map((id) => ({ id, feeds: [] })),
  ];
  return changed.flatMap(({ id, feeds }, i) => {
    const stays = new Set<string>(feeds);
    const told = new Set([...(rows.get(id)?.feeds ?? []), ...stays]);
    return [...told].map((feed) => ({ feed, document: id, gone: !stays.has(feed), turn: i + 1 }));
  });
}

function writeDocuments(work: Work, { put, remove }: PreparedCommit, { rows, holders }: Found): void {
  const documents = documentsOf(work);
  // The index of claims is unique: whoever gives a claim up goes first.
  for (const row of put) {
    for (const claim of row.claims) {
      const holder = holders.get(claim);
      if (holder !== undefined && holder !== row.id) documents.delete(holder);
    }
  }
  for (const id of remove) if (rows.has(id)) documents.delete(id);
  for (const row of put) documents.put(row);
}

function writeFeeds({ transaction }: Work, changes: readonly FeedChange[], position: number): void {
  const feeds = transaction.objectStore("feeds");
  let newest = position;
  for (const { feed, document, gone, turn } of changes) {
    newest = position + turn;
    const row: FeedRow = { id: `${feed}\u0000${document}`, document, place: feedPlace(feed, newest), gone };
    feeds.put(row);
  }
  const state: StateRow = { name: "position", value: newest };
  transaction.objectStore("state").put(state);
}
