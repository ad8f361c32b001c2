import {
  bodyText,
  type Commit,
  type CommitResult,
  checkCommit,
  compareCodeUnits,
  type Document,
  type DocumentKey,
  type Expectation,
  type Failure,
  isStrict,
  joinedKey,
} from "@fieldroll/core";
import { fromColumn, toColumn } from "../text.ts";
import type { Database, Value } from "./client.ts";
import { listText } from "./list-text.ts";
import { columnsOf, indexedOf, kept } from "./rows.ts";

/** Checks a commit and writes it out; throws `bad-request`, and what is no JSON, before anything is sent. */
export function prepareCommit(commit: Commit): { readonly values: readonly Value[]; readonly asked: Asked } {
  checkCommit(commit);
  const { expect = [], put = [], remove = [] } = commit;
  const named = [...put, ...remove].map(columnsOf);
  // Which of the documents that it writes an expectation is about; 0 for none of them.
  const places = new Map([...put, ...remove].map((key, nth) => [joinedKey(key), nth + 1]));
  const asked = expect.map((expectation) => ({ ...expectation }));
  const entries = entryColumns(put);
  const told = put.flatMap(({ feeds = [] }, nth) =>
    [...new Set(feeds)].map((feed) => ({ nth: nth + 1, feed })),
  );
  return {
    asked,
    values: [
      put.length,
      inOrder(named),
      named.map(({ collection }) => collection),
      named.map(({ key }) => key),
      put.map(({ version }) => version),
      put.map(bodyText),
      put.map(({ claims = [] }) => JSON.stringify(claims)),
      put.map((document) => indexedOf(document.entries ?? {})),
      put.map(({ feeds = [] }) => JSON.stringify(feeds)),
      entries.puts,
      entries.indexes,
      entries.values,
      entries.firsts,
      told.map(({ nth }) => nth),
      told.map(({ feed }) => feed),
      asked.map(({ kind }) => kind),
      // Nothing is read of what an expectation has not; and NULL in a list may be a word (`array_nulls`).
      asked.map((each) => (each.kind === "free" ? "" : toColumn(each.collection))),
      asked.map((each) => (each.kind === "free" ? each.claim : toColumn(each.key))),
      asked.map((each) => (each.kind === "version" ? each.version : 0)),
      asked.map((each) => (each.kind === "free" ? 0 : (places.get(joinedKey(each)) ?? 0))),
      isStrict(commit),
    ],
  };
}

/** The rows of `entries` for the documents put, each once, column by column. */
function entryColumns(put: readonly Document[]) {
  const puts: number[] = [];
  const indexes: string[] = [];
  const values: string[] = [];
  const firsts: boolean[] = [];
  for (const [place, { entries = {} }] of put.entries()) {
    for (const [name, list] of Object.entries(entries)) {
      const index = toColumn(name);
      const once = list.length > 1 ? [...new Set(list.map(kept))] : list.map(kept);
      for (const [at, value] of once.entries()) {
        puts.push(place + 1);
        indexes.push(index);
        values.push(value);
        firsts.push(at === 0);
      }
    }
  }
  return { puts, indexes, values, firsts };
}

/** Places of documents, from 1, in the order in which every commit locks them. */
function inOrder(named: readonly DocumentKey[]): readonly number[] {
  const places = named.map((key, nth) => ({ ...key, nth: nth + 1 }));
  const order = (a: DocumentKey, b: DocumentKey) =>
    compareCodeUnits(a.collection, b.collection) || compareCodeUnits(a.key, b.key);
  return places.toSorted(order).map(({ nth }) => nth);
}

type Asked = readonly Expectation[];

/** The answer of the database's function: see `commit-function.ts`. Places count from 1. */
interface Answer {
  readonly unmet: readonly (readonly [place: number, found: number | null])[] | null;
  readonly taken:
    | readonly (readonly [put: number, claim: string, holder: readonly [collection: string, key: string]])[]
    | null;
}

const types =
  "int int[] text[] text[] bigint[] text[] jsonb[] jsonb[] jsonb[] int[] text[] text[] boolean[] int[] text[] text[] text[] text[] bigint[] int[] boolean";

const parameters = types
  .split(" ")
  .map((type, nth) => `$${nth + 1}::${type}`)
  .join(", ");

/** Checks and writes a commit in one statement. */
export async function runCommit(database: Database, schema: string, commit: Commit): Promise<CommitResult> {
  const { values, asked } = prepareCommit(commit);
  const written = values.map((value) => (Array.isArray(value) ? listText(value) : value));
  const sql = `SELECT ${schema}.commit(${parameters}) AS answer`;
  const [row] = await database.write<{ answer: string | null }>(sql, written);
  if (!row?.answer) return { ok: true };
  return { ok: false, failures: failuresOf(JSON.parse(row.answer) as Answer, asked) };
}

function failuresOf({ unmet, taken }: Answer, asked: Asked): Failure[] {
  const expectations = (unmet ?? []).flatMap(([place, found]): Failure[] => {
    const expectation = asked[place - 1];
    if (!expectation) return [];
    return [{ kind: "expectation", expectation, ...(found === null ? {} : { found }) }];
  });
  const claims = (taken ?? []).map(([, claim, [collection, key]]): Failure => {
    const holder: DocumentKey = { collection: fromColumn(collection), key: fromColumn(key) };
    return { kind: "claim-taken", claim, holder };
  });
  return [...expectations, ...claims];
}
