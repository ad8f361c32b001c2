import type { CommitResult, DocumentKey, Entries } from "@fieldroll/core";
import { Declarations, findFailures } from "./check.ts";
import type { Connection } from "./client.ts";
import { type Entry, entriesDifference, textsDifference } from "./declared.ts";
import type { PreparedCommit } from "./prepare.ts";
import { columnsOf, type Declared, type DocumentRow } from "./rows.ts";
import { type SubstringIndex, writeSubstrings } from "./substrings.ts";
import { toColumn } from "./text.ts";

/** One document's change: what it was, and its new row; without a row it is removed. */
interface Change {
  /** Written for columns. */
  readonly at: DocumentKey;
  readonly before: Declared;
  readonly after: Declared;
  readonly row?: DocumentRow;
}

const nothing: Declared = { version: 0, claims: [], entries: {}, feeds: [] };

/** Checks and writes a commit. Must run in a transaction that holds the write lock from its start. */
export function runCommit(
  connection: Connection,
  commit: PreparedCommit,
  indexes: readonly SubstringIndex[],
): CommitResult {
  const found = new Declarations(connection);
  const failures = findFailures(connection, commit, found);
  if (failures.length > 0) return { ok: false, failures };
  const changes: Change[] = commit.put.map((document) => {
    const { declared: after, row } = document;
    return { at: row, before: found.of(document) ?? nothing, after, row };
  });
  for (const key of commit.remove) {
    const before = found.of(key);
    if (before) changes.push({ at: columnsOf(key), before, after: nothing });
  }
  writeClaims(connection, changes);
  writeFeeds(connection, changes);
  for (const change of changes) writeDocument(connection, change, indexes);
  return { ok: true };
}

/** All are erased before any is written, because a claim may pass from one document of the commit to another. */
function writeClaims(connection: Connection, changes: readonly Change[]): void {
  const differences = changes.map(({ at, before, after }) => {
    return { at, difference: textsDifference(before.claims, after.claims) };
  });
  for (const claim of differences.flatMap(({ difference }) => difference.erase)) {
    connection.run("DELETE FROM claims WHERE claim = ?", claim);
  }
  for (const { at, difference } of differences) {
    for (const claim of difference.write) {
      connection.run(
        "INSERT INTO claims (claim, collection, key) VALUES (?, ?, ?)",
        claim,
        at.collection,
        at.key,
      );
    }
  }
}

function writeDocument(
  connection: Connection,
  { at, before, after, row }: Change,
  indexes: readonly SubstringIndex[],
): void {
  const entries = { at, before: before.entries, after: after.entries };
  writeEntries(connection, entries);
  if (row) {
    putRow(connection, row, before.version > 0);
    writeSubstrings(connection, indexes, entries);
  } else {
    writeSubstrings(connection, indexes, entries);
    connection.run("DELETE FROM documents WHERE collection = ? AND key = ?", at.collection, at.key);
  }
}

function putRow(connection: Connection, row: DocumentRow, isThere: boolean): void {
  const { collection, key, version, claims, entries, feeds, body } = row;
  const sql = isThere
    ? "UPDATE documents SET version = ?, claims = ?, indexed = ?, feeds = ?, body = ? WHERE collection = ? AND key = ?"
    : "INSERT INTO documents (version, claims, indexed, feeds, body, collection, key) VALUES (?, ?, ?, ?, ?, ?, ?)";
  connection.run(sql, version, claims, entries, feeds, body, collection, key);
}

function writeEntries(
  connection: Connection,
  {
    at: { collection, key },
    before,
    after,
  }: { readonly at: DocumentKey; readonly before: Entries; readonly after: Entries },
): void {
  const { erase, write }: { erase: readonly Entry[]; write: readonly Entry[] } = entriesDifference(
    before,
    after,
  );
  for (const { idx, value } of erase) {
    connection.run(
      "DELETE FROM entries WHERE collection = ? AND idx = ? AND value = ? AND key = ?",
      ...[collection, idx, value, key],
    );
  }
  for (const { idx, value, first } of write) {
    connection.run(
      `INSERT INTO entries (collection, idx, value, key, first) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (collection, idx, value, key) DO UPDATE SET first = excluded.first`,
      ...[collection, idx, value, key, first ? 1 : 0],
    );
  }
}

/** Each document's change takes the next position; positions are given out under the write lock, so they commit in order. */
function writeFeeds(connection: Connection, changes: readonly Change[]): void {
  const told = changes.filter(({ before, after }) => before.feeds.length + after.feeds.length > 0);
  if (told.length === 0) return;
  const sql = "UPDATE store SET position = position + ? RETURNING position";
  const last = connection.row<{ position: number }>(sql, told.length)?.position ?? 0;
  for (const [nth, { at, before, after }] of told.entries()) {
    const position = last - told.length + 1 + nth;
    const current = new Set(after.feeds);
    for (const feed of new Set([...before.feeds, ...current])) {
      connection.run(
        `INSERT INTO feeds (feed, collection, key, position, gone) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (feed, collection, key) DO UPDATE SET position = excluded.position, gone = excluded.gone`,
        ...[toColumn(feed), at.collection, at.key, position, current.has(feed) ? 0 : 1],
      );
    }
  }
}
