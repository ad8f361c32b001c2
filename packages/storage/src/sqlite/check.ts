import { type DocumentKey, type Expectation, type Failure, holds, joinedKey } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Connection } from "./client.ts";
import type { PreparedCommit } from "./prepare.ts";
import { columnsOf, type DeclaredRow, declaredFrom, keyFrom, type Placed } from "./rows.ts";

/** What the documents that a commit names declare so far, each read once. Good for one commit, in its transaction. */
export class Declarations {
  readonly #connection: Connection;
  readonly #read = new Map<string, Placed | undefined>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** `undefined` where there is no document. */
  of(key: DocumentKey): Placed | undefined {
    const name = joinedKey(key);
    if (!this.#read.has(name)) this.#read.set(name, declaredOf(this.#connection, key));
    return this.#read.get(name);
  }
}

/** Lists everything that keeps a commit from happening. Must run inside the commit's transaction. */
export function findFailures(
  connection: Connection,
  commit: PreparedCommit,
  found: Declarations,
): readonly Failure[] {
  const named = new Set([...commit.put, ...commit.remove].map(joinedKey));
  const version = (key: DocumentKey) =>
    named.has(joinedKey(key)) ? found.of(key)?.version : versionOf(connection, key);
  return [
    ...commit.expect.flatMap((expectation) => failed(connection, expectation, version)),
    ...takenClaims(connection, commit, { named, found }),
  ];
}

/** Who holds a claim. */
export function holderOf(connection: Connection, claim: string): DocumentKey | undefined {
  const sql = "SELECT collection, key FROM claims WHERE claim = ?";
  const holder = connection.row<DocumentKey>(sql, toColumn(claim));
  return holder && keyFrom(holder);
}

function declaredOf(connection: Connection, key: DocumentKey): Placed | undefined {
  const columns = columnsOf(key);
  const row = connection.row<DeclaredRow & { id: number; position: number }>(
    "SELECT id, version, position, claims, indexed AS entries, feeds FROM documents WHERE collection = ? AND key = ?",
    columns.collection,
    columns.key,
  );
  return row && { ...declaredFrom(row, columns), id: row.id, position: row.position };
}

function versionOf(connection: Connection, key: DocumentKey): number | undefined {
  const columns = columnsOf(key);
  const sql = "SELECT version FROM documents WHERE collection = ? AND key = ?";
  return connection.row<{ version: number }>(sql, columns.collection, columns.key)?.version;
}

function failed(
  connection: Connection,
  expectation: Expectation,
  version: (key: DocumentKey) => number | undefined,
): readonly Failure[] {
  if (expectation.kind === "free") {
    return holderOf(connection, expectation.claim) ? [{ kind: "expectation", expectation }] : [];
  }
  const found = version(expectation);
  if (holds(expectation, found)) return [];
  return [{ kind: "expectation", expectation, ...(found === undefined ? {} : { found }) }];
}

/** What a document holds already nobody else can have taken. */
function takenClaims(
  connection: Connection,
  commit: PreparedCommit,
  { named, found }: { readonly named: ReadonlySet<string>; readonly found: Declarations },
): readonly Failure[] {
  return commit.put.flatMap((document) => {
    const held = found.of(document)?.claims ?? [];
    const claims = [...new Set(document.declared.claims)].filter((claim) => !held.includes(claim));
    return claims.flatMap((claim): Failure[] => {
      const holder = holderOf(connection, claim);
      return holder && !named.has(joinedKey(holder)) ? [{ kind: "claim-taken", claim, holder }] : [];
    });
  });
}
