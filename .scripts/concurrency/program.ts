import type { Commit, Document, DocumentKey, Expectation, Store } from "@fieldroll/core";
import { person } from "../bench/seed.ts";
import type { Deed } from "./ledger.ts";

export const collection = "people";
/** The feed that every document is in. */
export const feed = "all";

/** Documents that all writers change all the time. */
export const hot: readonly string[] = Array.from({ length: 12 }, (_, i) => `hot-${i}`);
/** Documents between which cards move; each card is a claim that one of them holds. */
export const holders: readonly string[] = Array.from({ length: 6 }, (_, i) => `holder-${i}`);
export const cards: readonly string[] = Array.from({ length: 8 }, (_, i) => `card-${i}`);

/** What all writers share, before the first of them begins. */
export function firstCommit(): Commit & { readonly put: readonly Document[] } {
  const shared = hot.map((key, i) => documentOf({ key, version: 1, by: "nobody", number: i }));
  const holding = holders.map((key, i) => {
    const claims = cards.filter((_, card) => card % holders.length === i);
    return { ...documentOf({ key, version: 1, by: "nobody", number: i }), claims };
  });
  return { put: [...shared, ...holding] };
}

/** One writer. */
export interface Life {
  readonly writer: string;
  readonly random: (below: number) => number;
  /** Deeds tried. */
  tried: number;
  /** Keys of people that it made and that are there. */
  readonly own: string[];
}

/** Tries the writer's next deed; `undefined` when another writer was quicker. */
export async function nextDeed(store: Store, life: Life): Promise<Deed | undefined> {
  life.tried += 1;
  const commit = await choose(store, life);
  const result = await store.commit(commit);
  if (!result.ok) return undefined;
  const { put = [], remove = [] } = commit;
  for (const { key, version } of put) if (version === 1) life.own.push(key);
  for (const { key } of remove) life.own.splice(life.own.indexOf(key), 1);
  return { put: put.map(({ key, version }) => [key, version]), removed: remove.map(({ key }) => key) };
}

async function choose(store: Store, life: Life): Promise<Commit> {
  const what = life.random(20);
  const oldest = life.own[life.random(Math.max(1, life.own.length))];
  if (what < 4) return creating(life, 1);
  if (what < 10) return raising(store, life, [hot[life.random(hot.length)] ?? ""]);
  if (what < 14) return moving(store, life);
  if (what < 16 && oldest !== undefined) return { expect: [exists(oldest)], remove: [at(oldest)] };
  if (what < 17 && oldest !== undefined) return raising(store, life, [oldest]);
  const several = await raising(store, life, [hot[life.random(hot.length)] ?? "", ...life.own.slice(-2)]);
  return { expect: several.expect ?? [], put: [...(several.put ?? []), ...(creating(life, 3).put ?? [])] };
}

function creating(life: Life, count: number): Commit {
  const put = Array.from({ length: count }, (_, i) => {
    const key = `${life.writer}.${life.tried}.${i}`;
    return { ...documentOf({ key, version: 1, by: life.writer, number: life.tried }), claims: [`id ${key}`] };
  });
  return { expect: put.map(({ key }) => ({ kind: "absent", ...at(key) })), put };
}

async function raising(store: Store, life: Life, keys: readonly string[]): Promise<Commit> {
  const found = (await store.get(keys.map(at))).filter((document) => document !== undefined);
  return { expect: found.map(versionOf), put: found.map((document) => raised(document, life)) };
}

/** Takes a card from whoever has one and gives it to somebody else, in one commit. */
async function moving(store: Store, life: Life): Promise<Commit> {
  const card = cards[life.random(cards.length)] ?? "";
  const [holder] = await store.resolve([card]);
  const others = holders.filter((key) => key !== holder?.key);
  const taker = others[life.random(others.length)] ?? "";
  const [from, to] = await store.get([at(holder?.key ?? ""), at(taker)]);
  // Moved on since: one more commit that must not be made.
  if (!from?.claims.includes(card) || !to) return { expect: [{ kind: "free", claim: card }] };
  return {
    expect: [versionOf(from), versionOf(to)],
    put: [
      { ...raised(from, life), claims: from.claims.filter((claim) => claim !== card) },
      { ...raised(to, life), claims: [...to.claims, card] },
    ],
  };
}

function raised(document: Document & { readonly claims: readonly string[] }, life: Life): Document {
  const { key, claims } = document;
  const next = { key, version: document.version + 1, by: life.writer, number: life.tried };
  return { ...documentOf(next), claims };
}

const at = (key: string): DocumentKey => ({ collection, key });
const exists = (key: string): Expectation => ({ kind: "exists", ...at(key) });
const versionOf = ({ key, version }: Document): Expectation => ({ kind: "version", ...at(key), version });

interface Making {
  readonly key: string;
  readonly version: number;
  readonly by: string;
  readonly number: number;
}

function documentOf({ key, version, by, number }: Making): Document {
  const body = { ...person(number), by, version };
  const entries = { name: [`reyes ${number % 1000}`], by: [by], "identifier.value": [key] };
  return { ...at(key), version, body, claims: [], entries, feeds: [feed, `area/${number % 7}`] };
}
