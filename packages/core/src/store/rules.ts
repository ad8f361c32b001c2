import type {
  ChangesRequest,
  Commit,
  Condition,
  Document,
  DocumentKey,
  Entries,
  Expectation,
  Naming,
  Query,
} from "./port.ts";
import { StoreError } from "./port.ts";

/**
 * The rules of the port that need no store to be checked. Every adapter calls these first, so that all
 * refuse the same requests: each throws a {@link StoreError} of code `bad-request`.
 *
 * They take nothing for granted that types say: who calls from JavaScript may give anything, and what one store would keep
 * another might choke on, for ever.
 */

/** The most conditions of one query: a medium that has to write them into one statement takes no more. */
export const mostConditions = 500;

/** Checks a commit: its form, names, versions, and that it says one thing about each document and each claim. */
export function checkCommit(commit: Commit): void {
  checkObject(commit, "a commit");
  checkDurability(commit.durability);
  const named = new Set<string>();
  const claimed = new Set<string>();
  for (const document of listed(commit.put, "the put of a commit")) {
    nameOnce(named, document);
    checkDocument(document);
    for (const claim of new Set(document.claims)) {
      if (claimed.has(claim))
        refuse(`two puts of one commit declare the same claim, one of them ${nameOf(document)}`);
      claimed.add(claim);
    }
  }
  for (const key of listed(commit.remove, "the remove of a commit")) nameOnce(named, key);
  for (const expectation of listed(commit.expect, "the expect of a commit")) checkExpectation(expectation);
}

/**
 * Whether a commit says that it has to outlive a loss of power. One that tells feeds of something does, whatever it asks for: a reader
 * may have its position by then, which the store would give to another commit after the loss, and that one the reader would never hear of.
 *
 * A put that takes a document out of its feeds tells them of that, too, and does not say so: a store whose feeds are read from
 * elsewhere has to look at what is there, in the step that writes.
 */
export function isStrict({ durability, put = [], remove = [] }: Commit): boolean {
  return durability !== "relaxed" || remove.length > 0 || put.some(({ feeds = [] }) => feeds.length > 0);
}

/** Checks a document to be put by itself: its names, its version and what it declares. */
export function checkPut(document: Document): void {
  checkKey(document);
  checkDocument(document);
}

/**
 * A document's body as JSON text. Every adapter makes it before it writes anything.
 *
 * @throws StoreError `bad-request` for a body that has none: `undefined`, a function, a BigInt anywhere, a circle, or one
 * nested too deep.
 */
export function bodyText(document: Document): string {
  const text = jsonOf(document.body);
  return text ?? refuse(`the body of ${nameOf(document)} can't be written as JSON`);
}

/**
 * Checks a query: its collection, its limit, and the form of its conditions, sort and place.
 *
 * Like all rules of what is to be read it gives a copy, which the caller can't change before the store has read.
 */
export function checkedQuery(query: Query): Query {
  const counted = checkedCount(query);
  const { limit, bytes, sort, after, part } = query;
  checkLimit(limit);
  checkBytes(bytes);
  if (part !== undefined && part !== "key" && part !== "declared") {
    refuse(`a part of documents is ${shown(part)}, not "key" or "declared"`);
  }
  checkOrder(query);
  return {
    ...counted,
    limit,
    ...(bytes !== undefined && { bytes }),
    ...(sort && { sort: { index: sort.index, descending: sort.descending ?? false } }),
    ...(after && { after: { value: after.value, key: after.key } }),
    ...(part !== undefined && { part }),
  };
}

/** Checks what is to be counted. */
export function checkedCount(
  query: Pick<Query, "collection" | "where">,
): Pick<Query, "collection" | "where"> {
  checkObject(query, "a query");
  const { collection, where } = query;
  checkText(collection, "a collection");
  return { collection, ...(where !== undefined && { where: checkedConditions(where) }) };
}

/** Checks what names a claim's holder. */
export function checkedNaming(naming: Naming): Naming {
  checkObject(naming, "what names a claim's holder");
  const { collection, index } = naming;
  checkText(collection, "a collection");
  checkText(index, "an index name");
  return { collection, index };
}

/** Checks a request for changes: its feed, its limit, and that its cursor is a text. */
export function checkedChangesRequest(request: ChangesRequest): ChangesRequest {
  checkObject(request, "a request for changes");
  const { feed, limit, bytes, cursor } = request;
  checkText(feed, "a feed");
  checkLimit(limit);
  checkBytes(bytes);
  if (cursor !== undefined) checkString(cursor, "a cursor");
  return { feed, limit, ...(bytes !== undefined && { bytes }), ...(cursor !== undefined && { cursor }) };
}

/** Checks the keys that a caller wants to read. */
export function checkedKeys(keys: readonly DocumentKey[]): readonly DocumentKey[] {
  return [...required(keys, "what is to be read")].map((key) => {
    checkKey(key);
    return { collection: key.collection, key: key.key };
  });
}

/** Checks the claims whose holders a caller wants: any texts, also such as nobody can declare. */
export function checkedClaims(claims: readonly string[]): readonly string[] {
  return checkedStrings(claims, "what is to be resolved", "a claim");
}

/** One string for a document's key: an injective join, as no part holds U+0000. */
export function joinedKey(key: DocumentKey): string {
  return `${key.collection}\u0000${key.key}`;
}

function nameOnce(named: Set<string>, key: DocumentKey): void {
  checkKey(key);
  const joined = joinedKey(key);
  if (named.has(joined)) refuse(`one commit names ${nameOf(key)} twice`);
  named.add(joined);
}

function jsonOf(body: unknown): string | undefined {
  try {
    return JSON.stringify(body);
  } catch {
    return undefined;
  }
}

function checkExpectation(expectation: Expectation): void {
  checkObject(expectation, "an expectation");
  const { kind } = expectation;
  if (kind === "free") {
    checkPrivate(expectation.claim, "a claim");
    return;
  }
  if (kind !== "version" && kind !== "exists" && kind !== "absent") {
    refuse(`an expectation is of the kind ${shown(kind)}, not "version", "exists", "absent" or "free"`);
  }
  checkKey(expectation);
  if (kind === "version" && !Number.isSafeInteger(expectation.version)) {
    refuse(
      `the version expected of ${nameOf(expectation)} is ${shown(expectation.version)}, not a whole number`,
    );
  }
}

function checkDurability(durability: Commit["durability"]): void {
  if (durability === undefined || durability === "strict" || durability === "relaxed") return;
  refuse(`the durability of a commit is ${shown(durability)}, not "strict" or "relaxed"`);
}

function checkDocument(document: Document): void {
  const { version, claims, feeds, entries } = document;
  if (!Number.isSafeInteger(version) || version < 1) {
    refuse(`the version of ${nameOf(document)} is ${shown(version)}, not a positive integer`);
  }
  if (claims !== undefined) checkList(claims, () => `the claims of ${nameOf(document)}`);
  if (feeds !== undefined) checkList(feeds, () => `the feeds of ${nameOf(document)}`);
  for (const claim of claims ?? []) checkPrivate(claim, "a claim");
  for (const feed of feeds ?? []) checkText(feed, "a feed");
  if (entries !== undefined) checkEntries(document, entries);
}

function checkEntries(document: Document, entries: Entries): void {
  if (typeof entries !== "object" || entries === null || Array.isArray(entries)) {
    refuse(`the entries of ${nameOf(document)} are ${shown(entries)}, not an object`);
  }
  checkPlain(entries, () => `the entries of ${nameOf(document)}`);
  for (const [index, values] of Object.entries(entries)) {
    checkText(index, "an index name");
    checkList(values, () => `the values of the index ${index} of ${nameOf(document)}`);
    for (const value of values) if (!isPlain(value)) checkValue(value, index);
  }
}

function checkedConditions(where: readonly Condition[]): readonly Condition[] {
  const conditions = required(where, "the where of a query");
  if (conditions.length > mostConditions) {
    refuse(`a query has ${conditions.length} conditions, more than ${mostConditions}`);
  }
  return [...conditions].map(checkedCondition);
}

const conditionKinds = [["anyOf"], ["prefix"], ["contains"], ["from", "below"]] as const;

function checkedCondition(condition: Condition): Condition {
  checkObject(condition, "a condition");
  const { index } = condition;
  checkString(index, "an index name");
  const kinds = conditionKinds.filter((members) => members.some((member) => member in condition));
  if (kinds.length > 1) refuse(`a condition is of several kinds: ${kinds.flat().join(", ")}`);
  if ("anyOf" in condition) {
    return { index, anyOf: checkedStrings(condition.anyOf, "the anyOf of a condition", "a value of anyOf") };
  }
  if ("prefix" in condition) {
    return { index, prefix: checkString(condition.prefix, "the prefix of a condition") };
  }
  if ("contains" in condition) {
    return { index, contains: checkString(condition.contains, "the contains of a condition") };
  }
  const { from, below } = condition;
  return {
    index,
    ...(from !== undefined && { from: checkString(from, "the from of a range") }),
    ...(below !== undefined && { below: checkString(below, "the below of a range") }),
  };
}

/** A list is spread first: places of it that were left out are `undefined` then, and refused. */
function checkedStrings(list: readonly string[], what: string, each: string): readonly string[] {
  return [...required(list, what)].map((text) => checkString(text, each));
}

function checkOrder({ sort, after }: Query): void {
  if (sort !== undefined) {
    checkObject(sort, "a sort");
    checkString(sort.index, "an index name");
    const { descending = false } = sort;
    if (typeof descending !== "boolean") refuse(`the descending of a sort is ${shown(descending)}`);
  }
  if (after === undefined) return;
  checkObject(after, "a place to go on from");
  checkString(after.key, "the key of a place");
  if (after.value === null) return;
  checkString(after.value, "the value of a place");
  if (sort === undefined) refuse("a place to go on from has a value, in an order by key alone");
}

function checkKey(key: DocumentKey): void {
  checkObject(key, "what names a document");
  checkText(key.collection, "a collection");
  checkText(key.key, "a key");
}

function checkObject(value: object, what: string): void {
  if (typeof value !== "object" || value === null) refuse(`${what} is ${shown(value)}, not an object`);
}

function checkString(text: unknown, what: string): string {
  return typeof text === "string" ? text : refuse(`${what} is ${shown(text)}, not a string`);
}

function checkList(list: readonly string[], what: () => string): void {
  if (!Array.isArray(list)) refuse(`${what()} are ${shown(list)}, not a list`);
  checkPlain(list, what);
}

/** What has a `toJSON` is kept as that gives it, and not as it was checked. */
function checkPlain(declared: object, what: () => string): void {
  if ("toJSON" in declared && typeof declared.toJSON === "function") refuse(`${what()} have a toJSON`);
}

/** A list that may be left out. */
function listed<T>(list: readonly T[] | undefined, what: string): readonly T[] {
  return list === undefined ? [] : required(list, what);
}

function required<T>(list: readonly T[], what: string): readonly T[] {
  return Array.isArray(list) ? list : refuse(`${what} is ${shown(list)}, not a list`);
}

/** What was given in the place of something else. Of a text, which may be about a person, no more than that it is one. */
function shown(value: unknown): string {
  if (value === null || value === undefined || typeof value === "number") return `${value}`;
  return Array.isArray(value) ? "a list" : (kindsOfValues[typeof value] ?? `a ${typeof value}`);
}

const kindsOfValues: Readonly<Record<string, string>> = { object: "an object", string: "a text" };

function checkValue(value: string, index: string): void {
  if (value !== "") checkPrivate(value, `a value of the index ${index}`);
}

// What nearly all texts are, told at a fraction of the price.
const plain = /^[ -\uD7FF]+$/;

function isPlain(text: unknown): boolean {
  return typeof text === "string" && plain.test(text);
}

// U+0000 separates joined keys and no SQL text column takes it; a lone surrogate has no form in UTF-8.
const loneSurrogate = /\p{Surrogate}/u;

function isStorable(text: string): boolean {
  return !text.includes("\u0000") && !loneSurrogate.test(text);
}

function checkText(text: string, what: string): void {
  if (!isPlain(text)) checkPrivate(text, what, () => `: ${quoted(text)}`);
}

/** Checks a text that says something about a person: a refusal tells it nowhere. */
function checkPrivate(text: string, what: string, shown = () => ""): void {
  if (isPlain(text)) return;
  checkString(text, what);
  if (text === "") refuse(`${what} is empty`);
  if (!isStorable(text)) refuse(`${what} holds U+0000 or half a surrogate pair${shown()}`);
}

function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1)
    refuse(`the limit is ${shown(limit)}, not a positive integer`);
}

function checkBytes(bytes: number | undefined): void {
  if (bytes !== undefined && (!Number.isSafeInteger(bytes) || bytes < 1))
    refuse(`the bytes of a page are ${shown(bytes)}, not a positive integer`);
}

function refuse(fault: string): never {
  throw new StoreError("bad-request", `The store refuses the request: ${fault}. Correct the caller.`);
}

function nameOf({ collection, key }: DocumentKey): string {
  return `${collection} ${quoted(key)}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
