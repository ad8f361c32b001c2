import {
  bodyText,
  type Commit,
  type CommitResult,
  checkCommit,
  type DocumentKey,
  type Expectation,
  type Failure,
  joinedKey,
} from "@fieldroll/core";
import { fromColumn, toColumn } from "../sqlite/text.ts";
import type { Database, Value } from "./client.ts";
import { columnsOf, indexedOf } from "./rows.ts";

/** Checks a commit and writes it out; throws `bad-request`, and what is no JSON, before anything is sent. */
export function prepareCommit(commit: Commit): { readonly values: readonly Value[]; readonly asked: Asked } {
  checkCommit(commit);
  const { expect = [], put = [], remove = [], durability } = commit;
  const named = [...put, ...remove].map(columnsOf);
  // Which of the documents that it writes an expectation is about; 0 for none of them.
  const places = new Map([...put, ...remove].map((key, nth) => [joinedKey(key), nth + 1]));
  const asked = expect.map((expectation) => ({ ...expectation }));
  return {
    asked,
    values: [
      put.length,
      named.map(({ collection }) => collection),
      named.map(({ key }) => key),
      put.map(({ version }) => version),
      put.map(({ claims = [] }) => JSON.stringify(claims)),
      put.map(({ entries = {} }) => indexedOf(entries)),
      put.map(({ feeds = [] }) => JSON.stringify(feeds)),
      put.map(bodyText),
      asked.map(({ kind }) => kind),
      asked.map((each) => (each.kind === "free" ? null : toColumn(each.collection))),
      asked.map((each) => (each.kind === "free" ? each.claim : toColumn(each.key))),
      asked.map((each) => (each.kind === "version" ? each.version : null)),
      asked.map((each) => (each.kind === "free" ? 0 : (places.get(joinedKey(each)) ?? 0))),
      durability !== "relaxed",
    ],
  };
}

type Asked = readonly Expectation[];

/** The answer of the database's function: see `commit-function.ts`. Places count from 1. */
interface Answer {
  readonly unmet: readonly (readonly [place: number, found: number | null])[] | null;
  readonly taken:
    | readonly (readonly [put: number, claim: string, holder: readonly [collection: string, key: string]])[]
    | null;
}

const parameters =
  "$1::int, $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::bigint[], $13::int[], $14::boolean";

/** Checks and writes a commit in one statement. */
export async function runCommit(database: Database, schema: string, commit: Commit): Promise<CommitResult> {
  const { values, asked } = prepareCommit(commit);
  const sql = `SELECT ${schema}.commit(${parameters}) AS answer`;
  const [row] = await database.write<{ answer: string | null }>(sql, values);
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
