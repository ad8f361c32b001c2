import {
  type Commit,
  checkCommit,
  type DocumentKey,
  type Entries,
  type Expectation,
  isStrict,
} from "@fieldroll/core";
import { type Declared, type DocumentRow, toRow } from "./rows.ts";

/** A commit that was checked by itself and copied as far as it will be read: its giver may do to it what it likes. */
export interface PreparedCommit {
  readonly expect: readonly Expectation[];
  readonly put: readonly PreparedPut[];
  readonly remove: readonly DocumentKey[];
  readonly strict: boolean;
}

/** A document to be put: what it declares, as the port has it, and its row. */
export interface PreparedPut extends DocumentKey {
  readonly declared: Declared;
  readonly row: DocumentRow;
}

/** Checks what can be checked of a commit alone, and writes it out: a body that is no JSON must fail before anything is locked. */
export function prepareCommit(commit: Commit): PreparedCommit {
  checkCommit(commit);
  const { expect = [], put = [], remove = [] } = commit;
  return {
    expect: expect.map((expectation) => ({ ...expectation })),
    put: put.map((document) => {
      const { collection, key, version, claims = [], entries = {}, feeds = [] } = document;
      const declared = { version, claims: [...claims], entries: copied(entries), feeds: [...feeds] };
      return { collection, key, declared, row: toRow(document) };
    }),
    remove: remove.map(({ collection, key }) => ({ collection, key })),
    strict: isStrict(commit),
  };
}

function copied(entries: Entries): Entries {
  const copy: Record<string, readonly string[]> = { ...entries };
  for (const index of Object.keys(copy)) copy[index] = [...(copy[index] ?? [])];
  return copy;
}
