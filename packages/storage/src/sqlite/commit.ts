import { type Commit, type CommitResult, type Document, type DocumentKey, joinedKey } from "@fieldroll/core";
import { findDeclared, findFailures } from "./check.ts";
import type { Connection } from "./client.ts";
import { type Difference, entriesDifference, textsDifference } from "./declared.ts";
import { columnsOf, type Declared, type DocumentRow, toRow } from "./rows.ts";
import { type SubstringIndex, substringIndexes, writeSubstrings } from "./substrings.ts";
import { toColumn } from "./text.ts";

/** One document's change: what it was, and its new row; without a row it is removed. */
interface Change {
  /** Written for columns. */
  readonly at: DocumentKey;
  readonly before: Declared;
  readonly after: Pick<Document, "claims" | "entries" | "feeds">;
  readonly row?: DocumentRow;
}

const nothing: Declared = { version: 0, claims: [], entries: {}, feeds: [] };

/** Checks and writes a commit in one transaction that holds the write lock from its start. */
export function runCommit(connection: Connection, commit: Commit): CommitResult {
  // Written out first: a body that is no JSON must fail before anything is locked.
  const rows = (commit.put ?? []).map((document) => ({ document, row: toRow(document) }));
  const removed = commit.remove ?? [];
  return connection.immediate(() => {
    const failures = findFailures(connection, commit);
    if (failures.length > 0) return { ok: false, failures };
    const found = findDeclared(connection, [...(commit.put ?? []), ...removed]);
    const changes: Change[] = rows.map(({ document, row }) => {
      return { at: row, before: found.get(joinedKey(document)) ?? nothing, after: document, row };
    });
    for (const key of removed) {
      const before = found.get(joinedKey(key));
      if (before) changes.push({ at: columnsOf(key), before, after: {} });
    }
    writeClaims(connection, changes);
    writeFeeds(connection, changes);
    const indexes = substringIndexes(connection);
    for (const change of changes) writeDocument(connection, change, indexes);
    return { ok: true };
  });
}

/** All are erased before any is written, because a claim may pass from one document of the commit to another. */
function writeClaims(connection: Connection, changes: readonly Change[]): void {
  const differences = changes.map(({ at, before, after }) => {
    return { at, difference: textsDifference(before.claims, after.claims ?? []) };
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
  const entries = { at, before: before.entries, after: after.entries ?? {} };
  writeEntries(connection, at, entriesDifference(entries.before, entries.after));
  if (row) {
    connection.run(
      `INSERT INTO documents (collection, key, version, claims, entries, feeds, body) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (collection, key) DO UPDATE SET version = excluded.version, claims = excluded.claims,
       entries = excluded.entries, feeds = excluded.feeds, body = excluded.body`,
      ...[row.collection, row.key, row.version, row.claims, row.entries, row.feeds, row.body],
    );
    writeSubstrings(connection, indexes, entries);
  } else {
    writeSubstrings(connection, indexes, entries);
    connection.run("DELETE FROM documents WHERE collection = ? AND key = ?", at.collection, at.key);
  }
}

function writeEntries(
  connection: Connection,
  { collection, key }: DocumentKey,
  difference: Difference<{ idx: string; value: string; first: boolean }>,
): void {
  for (const { idx, value } of difference.erase) {
    connection.run(
      "DELETE FROM entries WHERE collection = ? AND idx = ? AND value = ? AND key = ?",
      ...[collection, idx, value, key],
    );
  }
  for (const { idx, value, first } of difference.write) {
    connection.run(
      `INSERT INTO entries (collection, idx, value, key, first) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (collection, idx, value, key) DO UPDATE SET first = excluded.first`,
      ...[collection, idx, value, key, first ? 1 : 0],
    );
  }
}

/** Each document's change takes the next position; positions are given out under the write lock, so they commit in order. */
function writeFeeds(connection: Connection, changes: readonly Change[]): void {
  const told = changes.filter(({ before, after }) => before.feeds.length + (after.feeds?.length ?? 0) > 0);
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
