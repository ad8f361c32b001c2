import type { Document, DocumentKey, Store } from "@fieldroll/core";
import { type Follower, followOn } from "./follower.ts";
import { advance, joined, type Life, sharedAt, sharedKey, sharedVersion, tallyKey } from "./program.ts";

/** What a check goes by. */
export interface Expected {
  readonly lives: readonly Life[];
  /** Writer to the number of the last commit that it acknowledged. */
  readonly acknowledged: ReadonlyMap<string, number>;
  readonly followers: readonly Follower[];
}

const atOnce = 500;

/**
 * Compares a store with what its writers must have written since the last check. Throws at the first thing that is missing,
 * half there, or not as it was written.
 *
 * @returns How many commits are there whose acknowledgement was cut off.
 */
export async function checkSince(store: Store, expected: Expected): Promise<number> {
  const touched: Touched = { keys: new Map(), claims: new Set() };
  let beyond = 0;
  const tallies = await store.get(expected.lives.map(({ writer }) => tallyKey(writer)));
  for (const [i, life] of expected.lives.entries()) {
    const found = tallies[i]?.version ?? 0;
    beyond += checkTally(found, expected.acknowledged.get(life.writer) ?? 0, life.writer);
    advanceTo(life, found, touched);
  }
  const { keys, claims } = touched;
  await checkDocuments(store, expected.lives, [...keys.values()]);
  await checkClaims(store, expected.lives, [...claims]);
  await checkShared(store, expected.lives);
  for (const follower of expected.followers) {
    await followOn(store, follower);
    checkFollower(follower, expected.lives, [...keys.keys()]);
  }
  return beyond;
}

/** What commits since the last check have named. */
interface Touched {
  readonly keys: Map<string, DocumentKey>;
  readonly claims: Set<string>;
}

function checkTally(found: number, acknowledged: number, writer: string): number {
  if (found < acknowledged) fail(`writer ${writer}: ${acknowledged} acknowledged, ${found} there`);
  if (found > acknowledged + 1)
    fail(`writer ${writer}: ${found} there, one was asked for after ${acknowledged}`);
  return found - acknowledged;
}

function advanceTo(life: Life, made: number, { keys, claims }: Touched): void {
  while (life.made < made) {
    const touched = advance(life);
    for (const { collection, key } of touched.keys)
      keys.set(joined({ collection, key }), { collection, key });
    for (const claim of touched.claims) claims.add(claim);
  }
}

/** Compares a whole store with what its writers must have written: every document, through the indexes as well. */
export async function checkAll(store: Store, { lives, followers }: Expected): Promise<void> {
  for (const { writer, documents } of lives) {
    const persons = [...documents.values()].filter(({ collection }) => collection === "people");
    await checkDocuments(store, lives, [...documents.values()]);
    const where = [{ index: "writer", anyOf: [writer] }];
    const listed: string[] = [];
    for (let after: { value: string | null; key: string } | undefined, more = true; more; ) {
      const query = { collection: "people", where, sort: { index: "name" }, limit: atOnce };
      const page = await store.query({ ...query, ...(after && { after }) });
      listed.push(...page.documents.map(({ key }) => key));
      after = page.next;
      more = page.next !== undefined;
    }
    same(`persons of ${writer} listed`, listed.toSorted(), persons.map(({ key }) => key).toSorted());
  }
  const every = lives.flatMap(({ documents }) => [...documents.keys()]);
  for (const follower of followers) {
    checkFollower(follower, lives, every);
    const told = [...follower.known.values()].filter((each) => each !== "gone").length;
    const there = lives
      .flatMap(({ documents }) => [...documents.values()])
      .filter(isIn(follower.feed)).length;
    const shared = follower.feed === "all" && sharedVersion(lives.map(({ made }) => made)) > 0 ? 1 : 0;
    if (told !== there + shared) fail(`the feed ${follower.feed} has told ${told} of ${there + shared}`);
  }
  const faults: string[] = [];
  await store.verify?.((fault) => faults.push(fault.message));
  if (faults.length > 0) fail(`verify tells ${faults.length} faults: ${faults.slice(0, 5).join(" ")}`);
}

async function checkDocuments(
  store: Store,
  lives: readonly Life[],
  keys: readonly DocumentKey[],
): Promise<void> {
  for (let from = 0; from < keys.length; from += atOnce) {
    const some = keys.slice(from, from + atOnce);
    const found = await store.get(some);
    for (const [i, key] of some.entries()) same(joined(key), found[i], expectedAt(lives, joined(key)));
  }
}

async function checkClaims(store: Store, lives: readonly Life[], claims: readonly string[]): Promise<void> {
  for (let from = 0; from < claims.length; from += atOnce) {
    const some = claims.slice(from, from + atOnce);
    const found = await store.resolve(some);
    for (const [i, claim] of some.entries()) {
      const holder = lives.map((life) => life.claims.get(claim)).find((each) => each !== undefined);
      const key = found[i];
      same(`holder of the claim ${claim}`, key && joined(key), holder);
    }
  }
}

async function checkShared(store: Store, lives: readonly Life[]): Promise<void> {
  const [shared] = await store.get([sharedKey]);
  const version = sharedVersion(lives.map(({ made }) => made));
  same("the shared document", shared, version === 0 ? undefined : sharedAt(version));
}

function checkFollower({ feed, known }: Follower, lives: readonly Life[], names: readonly string[]): void {
  for (const name of names) {
    const document = expectedAt(lives, name);
    const told = known.get(name);
    const there = document !== undefined && isIn(feed)(document);
    if (there ? told !== document.version : typeof told === "number") {
      fail(
        `the feed ${feed} has told ${name} as ${told}, and it is ${there ? document.version : "not in it"}`,
      );
    }
  }
}

function isIn(feed: string): (document: Document) => boolean {
  return ({ feeds = [] }) => feeds.includes(feed);
}

function expectedAt(lives: readonly Life[], name: string): Document | undefined {
  return lives.map(({ documents }) => documents.get(name)).find((each) => each !== undefined);
}

function same(what: string, found: unknown, expected: unknown): void {
  const [left, right] = [canonical(found), canonical(expected)];
  if (left !== right) fail(`${what} is ${left.slice(0, 300)}, and should be ${right.slice(0, 300)}`);
}

/** A text that is the same for equal values, whatever the order of members. */
function canonical(value: unknown): string {
  const text = JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
  return text ?? "nothing";
}

function fail(message: string): never {
  throw new Error(`After a kill: ${message}.`);
}
