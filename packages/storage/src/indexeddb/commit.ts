import {
  type Commit,
  type CommitResult,
  checkCommit,
  type Expectation,
  type Failure,
  holds,
  type StoredDocument,
} from "@fieldroll/core";
import { documentAt, findPlaces, grouped, idAt, type Place, takeOut, writeBundles } from "./bundles.ts";
import { documentId, documentKey, feedPlace } from "./names.ts";
import { burden } from "./pack.ts";
import { readCounter, storeOf, type Work } from "./requests.ts";
import { type DocumentRow, type FeedRow, type StateRow, toBundle, toRow } from "./rows.ts";

/** A commit whose parts were copied and written as rows, ready for a transaction. */
export interface PreparedCommit {
  readonly expect: readonly Expectation[];
  readonly put: readonly DocumentRow[];
  /** Ids. */
  readonly remove: readonly string[];
  readonly durability: "strict" | "relaxed";
}

/** What the store holds of what a commit speaks of: documents and their places by id, holders' ids by claim. */
interface Found {
  readonly rows: ReadonlyMap<string, StoredDocument>;
  readonly places: ReadonlyMap<string, Place>;
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
 * Unless told to be careful it leaves claims, and documents that are expected to be new, to the unique indexes, which costs
 * no reads: the transaction is then aborted with a ConstraintError when a claim is taken, or moves from one document to
 * another, or when a document is there already. Whoever meets that runs the commit again, carefully.
 *
 * @returns also how much it adds to the burden of recent rows
 */
export async function runCommit(
  work: Work,
  commit: PreparedCommit,
  { careful = false }: { readonly careful?: boolean } = {},
): Promise<{ readonly result: CommitResult; readonly burden: number }> {
  const places = await findPlaces(work, "ids", idsOf(commit, careful));
  const rows = new Map(
    [...places].flatMap(([id, place]) => {
      const document = documentAt(place);
      return document ? [[id, document] as const] : [];
    }),
  );
  const free = commit.expect.flatMap((expectation) =>
    expectation.kind === "free" ? [expectation.claim] : [],
  );
  const unmet = failedExpectations(commit, { rows, places, holders: await findHolders(work, free) });
  if (unmet.length > 0 && !careful) return runCommit(work, commit, { careful: true });
  const claims = careful ? commit.put.flatMap((row) => row.claims) : [];
  const found: Found = { rows, places, holders: await findHolders(work, claims) };
  const failures = [...unmet, ...takenClaims(commit, found)];
  if (failures.length > 0) return { result: { ok: false, failures }, burden: 0 };
  const feedRows = changesOf(commit, found);
  const position = feedRows.length > 0 ? await readCounter(work, "position") : 0;
  writeDocuments(work, commit, { places, careful });
  if (feedRows.length > 0) writeFeeds(work, feedRows, position);
  return { result: { ok: true }, burden: writeRecent(work, commit, found) };
}

/** The documents that have to be looked at. */
function idsOf({ expect, put, remove }: PreparedCommit, careful: boolean): string[] {
  const made = new Set(put.map(({ id }) => id));
  const known = new Set([...made, ...remove]);
  for (const each of expect) {
    if (each.kind === "free") continue;
    const id = documentId(each);
    if (!careful && each.kind === "absent" && made.has(id)) known.delete(id);
    else known.add(id);
  }
  return [...known];
}

async function findHolders(work: Work, claims: readonly string[]): Promise<Found["holders"]> {
  const places = await findPlaces(work, "claims", [...new Set(claims)]);
  return new Map([...places].map(([claim, place]) => [claim, idAt(place)]));
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

/**
 * A document alone in its row is overwritten there; the others leave theirs, and what is new comes in rows of its own. A
 * careful commit lets all leave first, for the index of claims is unique: whoever gives a claim up goes before who takes it.
 */
function writeDocuments(
  work: Work,
  { put, remove }: PreparedCommit,
  { places, careful }: { readonly places: Found["places"]; readonly careful: boolean },
): void {
  const alone = (id: string) => !careful && places.get(id)?.bundle.ids.length === 1;
  const moving = [...put.map(({ id }) => id).filter((id) => !alone(id)), ...remove];
  takeOut(
    work,
    moving.flatMap((id) => places.get(id) ?? []),
  );
  const [staying, others] = [put.filter(({ id }) => alone(id)), put.filter(({ id }) => !alone(id))];
  for (const row of staying) {
    storeOf(work, "bundles").put({ ...toBundle([row]), n: places.get(row.id)?.bundle.n });
  }
  writeBundles(work, others);
}

/** Characters of a recent row: Chromium keeps values from 64 KiB on in files. */
const recentSize = 48_000;

/** Notes what changed for queries. A document that is written with the entries it had changes nothing for them. */
function writeRecent(work: Work, { put, remove }: PreparedCommit, { rows }: Found): number {
  const changes: { readonly collection: string; readonly text: string }[] = [];
  const note = (id: string, entries: string, before: StoredDocument | undefined) => {
    const { collection, key } = documentKey(id);
    changes.push({ collection, text: `[${JSON.stringify(key)},${entries},${before ? 1 : 0}]` });
  };
  for (const { id, entries } of put) {
    const before = rows.get(id);
    if (!before || JSON.stringify(before.entries) !== entries) note(id, entries, before);
  }
  for (const id of remove) if (rows.has(id)) note(id, "null", rows.get(id));
  let sum = 0;
  for (const [collection, each] of grouped(changes, (change) => change.collection)) {
    const texts = each.map(({ text }) => text);
    const parts = partsOf(texts);
    for (const text of parts) storeOf(work, "recent").put({ collection, text });
    sum += burden(parts.length, texts.length);
  }
  return sum;
}

/** Lists, as JSON, of as many texts as one row takes. */
function partsOf(texts: readonly string[]): string[] {
  const parts: string[][] = [];
  let size = recentSize;
  for (const text of texts) {
    if (size + text.length > recentSize) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(text);
    size += text.length;
  }
  return parts.map((part) => `[${part.join()}]`);
}

function writeFeeds(work: Work, changes: readonly FeedChange[], position: number): void {
  const feeds = storeOf(work, "feeds");
  let newest = position;
  for (const { feed, document, gone, turn } of changes) {
    newest = position + turn;
    const row: FeedRow = { id: `${feed}\u0000${document}`, document, place: feedPlace(feed, newest), gone };
    feeds.put(row);
  }
  const state: StateRow = { name: "position", value: newest };
  storeOf(work, "state").put(state);
}
