import type { CommitResult } from "@fieldroll/core";
import { Declarations, findFailures } from "./check.ts";
import type { Connection, SqliteValue } from "./client.ts";
import { textsDifference } from "./declared.ts";
import { writeEntries } from "./entries.ts";
import { writeFeeds } from "./feeds.ts";
import type { PreparedCommit } from "./prepare.ts";
import { columnsOf, type Declared, type DocumentChange, type Placed } from "./rows.ts";
import type { SubstringWrites } from "./substring-writes.ts";

/** What came of a commit. */
export interface Done {
  readonly result: CommitResult;
  /** Whether feeds are told of a document that was in them: a commit does not say so itself where the document leaves them all. */
  readonly moves: boolean;
}

const nothing: Declared = { version: 0, claims: [], entries: {}, feeds: [] };

/**
 * Checks and writes a commit, but for the texts for substrings, of which it notes what changes. Must run in a transaction that holds
 * the write lock from its start.
 */
export function runCommit(connection: Connection, commit: PreparedCommit, texts: SubstringWrites): Done {
  const found = new Declarations(connection);
  const failures = findFailures(connection, commit, found);
  if (failures.length > 0) return { result: { ok: false, failures }, moves: false };
  const changes = changesOf(connection, commit, found);
  writeClaims(connection, changes);
  const positions = writeFeeds(connection, changes);
  writeDocuments(connection, changes, positions);
  writeEntries(connection, changes);
  for (const { id, at, before, after } of changes) {
    texts.note({ id, at, added: before.version === 0, before: before.entries, after: after.entries });
  }
  return { result: { ok: true }, moves: changes.some(({ before }) => before.feeds.length > 0) };
}

function changesOf(
  connection: Connection,
  commit: PreparedCommit,
  found: Declarations,
): readonly DocumentChange[] {
  let last = 0;
  const newId = () => {
    if (last === 0) last = newestId(connection);
    return ++last;
  };
  const absent = (): Placed => ({ version: 0, claims: [], entries: {}, feeds: [], id: newId(), position: 0 });
  const changes: DocumentChange[] = commit.put.map((document) => {
    const { declared: after, row } = document;
    const before = found.of(document) ?? absent();
    return { id: before.id, at: row, before, after, row };
  });
  for (const key of commit.remove) {
    const before = found.of(key);
    if (before) changes.push({ id: before.id, at: columnsOf(key), before, after: nothing });
  }
  return changes;
}

function newestId(connection: Connection): number {
  return connection.row<{ id: number | null }>("SELECT max(id) AS id FROM documents")?.id ?? 0;
}

/** All are erased before any is written, because a claim may pass from one document of the commit to another. */
function writeClaims(connection: Connection, changes: readonly DocumentChange[]): void {
  const written: SqliteValue[] = [];
  for (const { at, before, after } of changes) {
    const { erase, write } = textsDifference(before.claims, after.claims);
    for (const claim of erase) connection.run("DELETE FROM claims WHERE claim = ?", claim);
    for (const claim of write) written.push(claim, at.collection, at.key);
  }
  connection.insert("INSERT INTO claims (claim, collection, key)", written);
}

const documentColumns = "id, collection, key, version, position, claims, indexed, feeds, body";

function writeDocuments(
  connection: Connection,
  changes: readonly DocumentChange[],
  positions: ReadonlyMap<number, number>,
): void {
  const added: SqliteValue[] = [];
  for (const { id, before, row } of changes) {
    if (!row) {
      connection.run("DELETE FROM documents WHERE id = ?", id);
      continue;
    }
    const { collection, key, version, claims, entries, feeds, body } = row;
    const position = positions.get(id) ?? 0;
    if (before.version > 0) {
      connection.run(
        "UPDATE documents SET version = ?, position = ?, claims = ?, indexed = ?, feeds = ?, body = ? WHERE id = ?",
        ...[version, position, claims, entries, feeds, body, id],
      );
    } else {
      added.push(id, collection, key, version, position, claims, entries, feeds, body);
    }
  }
  connection.insert(`INSERT INTO documents (${documentColumns})`, added);
}
