import type { ChangesRequest, Commit, Document, DocumentKey, Expectation, Naming, Query } from "./port.ts";
import { StoreError } from "./port.ts";

/**
 * The rules of the port that need no store to be checked. Every adapter calls these first, so that all
 * refuse the same requests: each throws a {@link StoreError} of code `bad-request`.
 */

/** Checks a commit: names, versions, and that it says one thing about each document and each claim. */
export function checkCommit(commit: Commit): void {
  const named = new Set<string>();
  const claimed = new Set<string>();
  for (const document of commit.put ?? []) {
    nameOnce(named, document);
    checkDocument(document);
    for (const claim of new Set(document.claims)) {
      if (claimed.has(claim))
        refuse(`two puts of one commit declare the same claim, one of them ${nameOf(document)}`);
      claimed.add(claim);
    }
  }
  for (const key of commit.remove ?? []) nameOnce(named, key);
  for (const expectation of commit.expect ?? []) checkExpectation(expectation);
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

/** Checks a query: its collection and its limit. */
export function checkQuery(query: Query): void {
  checkText(query.collection, "a collection");
  checkLimit(query.limit);
}

/** Checks what names a claim's holder. */
export function checkNaming({ collection, index }: Naming): void {
  checkText(collection, "a collection");
  checkText(index, "an index name");
}

/** Checks a request for changes: its feed and its limit. */
export function checkChangesRequest(request: ChangesRequest): void {
  checkText(request.feed, "a feed");
  checkLimit(request.limit);
}

/** Checks the keys that a caller wants to read. */
export function checkKeys(keys: readonly DocumentKey[]): void {
  for (const key of keys) checkKey(key);
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
  if (expectation.kind === "free") {
    checkPrivate(expectation.claim, "a claim");
    return;
  }
  checkKey(expectation);
  if (expectation.kind === "version" && !Number.isSafeInteger(expectation.version)) {
    refuse(`the version expected of ${nameOf(expectation)} is ${expectation.version}, not an integer`);
  }
}

function checkDocument(document: Document): void {
  const { version } = document;
  if (!Number.isSafeInteger(version) || version < 1) {
    refuse(`the version of ${nameOf(document)} is ${version}, not a positive integer`);
  }
  for (const claim of document.claims ?? []) checkPrivate(claim, "a claim");
  for (const feed of document.feeds ?? []) checkText(feed, "a feed");
  for (const [index, values] of Object.entries(document.entries ?? {})) {
    checkText(index, "an index name");
    for (const value of values) if (!isPlain(value)) checkValue(value, index);
  }
}

function checkKey(key: DocumentKey): void {
  checkText(key.collection, "a collection");
  checkText(key.key, "a key");
}

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
  if (typeof text !== "string" || text === "") refuse(`${what} is empty`);
  if (!isStorable(text)) refuse(`${what} holds U+0000 or half a surrogate pair${shown()}`);
}

function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1) refuse(`the limit is ${limit}, not a positive integer`);
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
