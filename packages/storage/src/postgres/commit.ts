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
import { joinedJson, listText } from "./list-text.ts";
import { columnsOf, indexedOf, kept } from "./rows.ts";

/** A commit, checked and written for columns: who asked for it can't change it any more. */
export interface PreparedCommit {
  readonly puts: readonly PutColumns[];
  readonly removes: readonly DocumentKey[];
  readonly asked: Asked;
  readonly strict: boolean;
  readonly names: Names;
}

/** What commits that are made together may not share. */
export interface Names {
  /** Documents, and claims, that it changes, or keeps from being made. */
  readonly written: ReadonlySet<string>;
  /** Documents that have to stay as they are. */
  readonly expected: ReadonlySet<string>;
}

interface PutColumns extends DocumentKey {
  readonly version: number;
  readonly body: string;
  readonly claims: string;
  readonly indexed: string;
  readonly feeds: string;
  /** Rows of `entries`, each once. */
  readonly entries: readonly (readonly [index: string, value: string, first: boolean])[];
  /** Feeds to be told, each once. */
  readonly told: readonly string[];
}

/** Checks a commit and writes it out; throws `bad-request`, and what is no JSON, before anything is sent. */
export function prepareCommit(commit: Commit): PreparedCommit {
  checkCommit(commit);
  const { expect = [], put = [], remove = [] } = commit;
  return {
    puts: put.map(putColumns),
    removes: remove.map(columnsOf),
    asked: expect.map((expectation) => ({ ...expectation })),
    strict: isStrict(commit),
    names: namesOf(commit),
  };
}

function putColumns(document: Document): PutColumns {
  const { version, claims = [], entries = {}, feeds = [] } = document;
  const rows = Object.entries(entries).flatMap(([name, list]) => {
    const index = toColumn(name);
    const once = list.length > 1 ? [...new Set(list.map(kept))] : list.map(kept);
    return once.map((value, at) => [index, value, at === 0] as const);
  });
  return {
    ...columnsOf(document),
    version,
    body: bodyText(document),
    claims: JSON.stringify(claims),
    indexed: indexedOf(entries),
    feeds: JSON.stringify(feeds),
    entries: rows,
    told: [...new Set(feeds)],
  };
}

function namesOf({ expect = [], put = [], remove = [] }: Commit): Names {
  const claims = put.flatMap(({ claims: made = [] }) => made.map(claimName));
  const written = new Set([...[...put, ...remove].map(joinedKey), ...claims]);
  const expected = new Set<string>();
  for (const each of expect) {
    if (each.kind === "free") written.add(claimName(each.claim));
    else if (each.kind === "absent") written.add(joinedKey(each));
    else expected.add(joinedKey(each));
  }
  return { written, expected };
}

/** No document's name begins so: its collection has a name. */
function claimName(claim: string): string {
  return `\u0000${claim}`;
}

type Asked = readonly Expectation[];

/** The answer of the database's function: see `commit-function.ts`. Places count from 1. */
interface Answer {
  readonly unmet: readonly (readonly [place: number, found: number | null])[] | null;
  readonly taken:
    | readonly (readonly [put: number, claim: string, holder: readonly [collection: string, key: string]])[]
    | null;
}

/** The types of the function's arguments. Lists of JSON come joined: written as lists, each of their many quotes would be escaped. */
const types =
  "int int[] int[] text[] text[] bigint[] json:text[] json:jsonb[] json:jsonb[] json:jsonb[] int[] text[] text[] boolean[] int[] text[] text[] text[] text[] bigint[] int[] boolean".split(
    " ",
  );

const parameters = types
  .map((type, nth) => {
    const joined = type.split("json:")[1];
    return joined ? `string_to_array($${nth + 1}::text, E'\\n')::${joined}` : `$${nth + 1}::${type}`;
  })
  .join(", ");

/**
 * Checks and writes commits that clash in no name, in one statement: all of them, or none where one is refused.
 *
 * @param patience milliseconds that others' locks are waited for
 * @returns a place for each: its result, or `undefined` for one that was held up by another's refusal and has to be made anew
 */
export async function runCommits(
  database: Database,
  schema: string,
  commits: readonly PreparedCommit[],
  patience: number,
): Promise<readonly (CommitResult | undefined)[]> {
  const written = valuesOf(commits).map((value, nth) => {
    if (!isList(value)) return value;
    return types[nth]?.startsWith("json:") ? joinedJson(value) : listText(value);
  });
  // Only a warning tells that no standby has what has to be on one, whatever a role or a database leaves out.
  const waits = `set_config('lock_timeout', $${written.length + 1}::text, true), ${warned}`;
  const sql = `SELECT ${waits}, ${schema}.commit(${parameters}) AS answer`;
  const [row] = await database.send<{ answer: string | null }>(sql, [...written, `${patience}`]);
  if (!row?.answer) return commits.map(() => ({ ok: true }));
  const failures = failuresOf(JSON.parse(row.answer) as Answer, commits);
  return commits.map((commit) => {
    const own = failures.flatMap(({ of, failure }) => (of === commit ? [failure] : []));
    return own.length > 0 ? { ok: false, failures: own } : undefined;
  });
}

const warned = "set_config('client_min_messages', 'warning', true)";

function isList(value: Value): value is Exclude<Value, string | number | boolean | null> {
  return Array.isArray(value);
}

/** The function's arguments. All puts come first, then all removes. */
function valuesOf(commits: readonly PreparedCommit[]): readonly Value[] {
  const puts = commits.flatMap((commit) => commit.puts);
  const named: readonly DocumentKey[] = [...puts, ...commits.flatMap(({ removes }) => removes)];
  const members = (of: "puts" | "removes") => commits.flatMap((commit, nth) => commit[of].map(() => nth));
  // Which of the documents that it writes an expectation is about; 0 for none of them.
  const places = new Map(named.map((key, nth) => [joinedKey(key), nth + 1]));
  const rows = puts.flatMap(({ entries }, nth) => entries.map((row) => [nth + 1, ...row] as const));
  const told = puts.flatMap((put, nth) => put.told.map((feed) => [nth + 1, feed] as const));
  const asked = commits.flatMap((commit) => commit.asked.map(askColumns));
  return [
    puts.length,
    [...members("puts"), ...members("removes")],
    inOrder(named),
    named.map(({ collection }) => collection),
    named.map(({ key }) => key),
    puts.map(({ version }) => version),
    puts.map(({ body }) => body),
    puts.map(({ claims }) => claims),
    puts.map(({ indexed }) => indexed),
    puts.map(({ feeds }) => feeds),
    rows.map(([nth]) => nth),
    rows.map(([, index]) => index),
    rows.map(([, , value]) => value),
    rows.map(([, , , first]) => first),
    told.map(([nth]) => nth),
    told.map(([, feed]) => feed),
    asked.map(({ kind }) => kind),
    asked.map(({ collection }) => collection),
    asked.map(({ key }) => key),
    asked.map(({ version }) => version),
    asked.map((each) => (each.kind === "free" ? 0 : (places.get(joinedKey(each)) ?? 0))),
    commits.some(({ strict }) => strict),
  ];
}

/** Nothing is read of what an expectation has not; and NULL in a list may be a word (`array_nulls`). */
function askColumns(each: Expectation) {
  if (each.kind === "free") return { kind: each.kind, collection: "", key: each.claim, version: 0 };
  return { kind: each.kind, ...columnsOf(each), version: each.kind === "version" ? each.version : 0 };
}

/** Places of documents, from 1, in the order in which every commit locks them. */
function inOrder(named: readonly DocumentKey[]): readonly number[] {
  const places = named.map((key, nth) => ({ ...key, nth: nth + 1 }));
  const order = (a: DocumentKey, b: DocumentKey) =>
    compareCodeUnits(a.collection, b.collection) || compareCodeUnits(a.key, b.key);
  return places.toSorted(order).map(({ nth }) => nth);
}

interface FailureOf {
  readonly of: PreparedCommit | undefined;
  readonly failure: Failure;
}

function failuresOf({ unmet, taken }: Answer, commits: readonly PreparedCommit[]): readonly FailureOf[] {
  const asked = commits.flatMap((of) => of.asked.map((expectation) => ({ of, expectation })));
  const owners = commits.flatMap((of) => of.puts.map(() => of));
  const expectations = (unmet ?? []).flatMap(([place, found]): FailureOf[] => {
    const ask = asked[place - 1];
    if (!ask) return [];
    const { of, expectation } = ask;
    return [{ of, failure: { kind: "expectation", expectation, ...(found === null ? {} : { found }) } }];
  });
  const claims = (taken ?? []).map(([put, claim, [collection, key]]): FailureOf => {
    const holder: DocumentKey = { collection: fromColumn(collection), key: fromColumn(key) };
    return { of: owners[put - 1], failure: { kind: "claim-taken", claim, holder } };
  });
  return [...expectations, ...claims];
}
