import {
  type Commit,
  type DocumentKey,
  type Expectation,
  type Failure,
  holds,
  joinedKey,
} from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { columnsOf, type Declared, type DeclaredRow, declaredFrom, keyFrom } from "./rows.ts";
import { toColumn } from "./text.ts";

/** Documents as the commit found them, by joined key; `undefined` where there was none. */
export type Found = ReadonlyMap<string, Declared | undefined>;

/** Reads what the documents to be put and removed declare so far. */
export function findDeclared(connection: Connection, keys: readonly DocumentKey[]): Found {
  return new Map(keys.map((key) => [joinedKey(key), declaredOf(connection, key)]));
}

/** Lists everything that keeps a commit from happening. Must run inside the commit's transaction. */
export function findFailures(connection: Connection, commit: Commit): readonly Failure[] {
  return [
    ...(commit.expect ?? []).flatMap((expectation) => failed(connection, expectation)),
    ...takenClaims(connection, commit),
  ];
}

/** Who holds a claim. */
export function holderOf(connection: Connection, claim: string): DocumentKey | undefined {
  const sql = "SELECT collection, key FROM claims WHERE claim = ?";
  const holder = connection.row<DocumentKey>(sql, toColumn(claim));
  return holder && keyFrom(holder);
}

function declaredOf(connection: Connection, key: DocumentKey): Declared | undefined {
  const columns = columnsOf(key);
  const row = connection.row<DeclaredRow>(
    "SELECT version, claims, entries, feeds FROM documents WHERE collection = ? AND key = ?",
    columns.collection,
    columns.key,
  );
  return row && declaredFrom(row);
}

function versionOf(connection: Connection, key: DocumentKey): number | undefined {
  const columns = columnsOf(key);
  const sql = "SELECT version FROM documents WHERE collection = ? AND key = ?";
  return connection.row<{ version: number }>(sql, columns.collection, columns.key)?.version;
}

function failed(connection: Connection, expectation: Expectation): readonly Failure[] {
  if (expectation.kind === "free") {
    return holderOf(connection, expectation.claim) ? [{ kind: "expectation", expectation }] : [];
  }
  const found = versionOf(connection, expectation);
  if (holds(expectation, found)) return [];
  return [{ kind: "expectation", expectation, ...(found === undefined ? {} : { found }) }];
}

function takenClaims(connection: Connection, commit: Commit): readonly Failure[] {
  const named = new Set([...(commit.put ?? []), ...(commit.remove ?? [])].map(joinedKey));
  const claims = (commit.put ?? []).flatMap((document) => [...new Set(document.claims)]);
  return claims.flatMap((claim): Failure[] => {
    const holder = holderOf(connection, claim);
    return holder && !named.has(joinedKey(holder)) ? [{ kind: "claim-taken", claim, holder }] : [];
  });
}
