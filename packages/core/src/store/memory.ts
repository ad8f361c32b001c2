import { optional, refuseWrongOptions } from "../wrong-options.ts";
import { answerQuery, bodySizes, fitting, holds } from "./match.ts";
import {
  createMemoryMedium,
  entryName,
  type FeedRow,
  lookUp,
  type MemoryMedium,
  putIn,
  rowsAfter,
  takeOut,
  tell,
} from "./memory-medium.ts";
import { rebuildMedium, verifyMedium } from "./memory-upkeep.ts";
import {
  type Change,
  type ChangesPage,
  type ChangesRequest,
  type Commit,
  type CommitResult,
  type Document,
  type Failure,
  type Query,
  type QueryPage,
  type Store,
  type StoredDocument,
  StoreError,
} from "./port.ts";
import {
  bodyText,
  checkCommit,
  checkedChangesRequest,
  checkedClaims,
  checkedKeys,
  checkedQuery,
  joinedKey,
} from "./rules.ts";

/**
 * The reference implementation of the store port, in memory: for tests, and for whoever writes another one.
 * Documents it hands out are frozen. It outlives its handle in its medium only: nothing reaches a disk.
 *
 * @param options.medium What to open; without it, a new and empty one.
 * @throws TypeError for what is no medium
 */
export function createMemoryStore(options: { readonly medium?: MemoryMedium } = {}): Store {
  refuseWrongOptions("createMemoryStore", options, {
    medium: optional([isMedium, "what createMemoryMedium makes"]),
  });
  const medium = options?.medium ?? createMemoryMedium();
  let open = true;
  const whileOpen = async <T>(work: () => T): Promise<T> => {
    if (open) return work();
    throw new StoreError("closed", "This memory store was closed. Open it again on its medium.");
  };
  return {
    get: (keys) => whileOpen(() => checkedKeys(keys).map((key) => lookUp(medium, key))),
    resolve: (claims) => whileOpen(() => checkedClaims(claims).map((claim) => medium.claims.get(claim))),
    query: (query) => whileOpen(() => runQuery(medium, checkedQuery(query))),
    changes: (request) => whileOpen(() => readChanges(medium, checkedChangesRequest(request))),
    commit: (commit) => whileOpen(() => runCommit(medium, commit)),
    verify: (tellFault) => whileOpen(() => verifyMedium(medium, tellFault)),
    rebuild: (tellFault) => whileOpen(() => rebuildMedium(medium, tellFault)),
    renew: () =>
      whileOpen(() => {
        medium.identity += 1;
      }),
    close: async () => {
      open = false;
    },
  };
}

function isMedium(given: unknown): boolean {
  return Object(given).collections instanceof Map;
}

function runQuery(medium: MemoryMedium, query: Query): QueryPage {
  const collection = medium.collections.get(query.collection);
  if (!collection) return { documents: [] };
  const keys = knownKeys(medium, query);
  if (!keys) return answerQuery(collection.values(), query);
  const candidates = [...keys].map((key) => collection.get(key)).filter((document) => document !== undefined);
  return answerQuery(candidates, query);
}

function knownKeys(medium: MemoryMedium, query: Query): Set<string> | undefined {
  const equality = query.where?.find((condition) => "anyOf" in condition);
  if (!equality || !("anyOf" in equality)) return undefined;
  const keys = new Set<string>();
  for (const value of equality.anyOf) {
    const having = medium.entries.get(entryName(query.collection, equality.index, value));
    for (const key of having ?? []) keys.add(key);
  }
  return keys;
}

function readChanges(medium: MemoryMedium, request: ChangesRequest): ChangesPage {
  const position = readCursor(medium, request.cursor);
  const feed = medium.feeds.get(request.feed);
  const rows = feed ? rowsAfter(feed, position, request.limit + 1) : [];
  const first = rows.slice(0, request.limit).map((row) => toChange(medium, row));
  const changes = first.slice(0, fitting(bodySizes(first.map(documentOf)), request.bytes));
  return {
    changes,
    next: `${cursorPrefix(medium)}${rows[changes.length - 1]?.position ?? position}`,
    more: rows.length > changes.length,
  };
}

function toChange(medium: MemoryMedium, row: FeedRow): Change {
  const document = row.gone ? undefined : lookUp(medium, row);
  return document ? { kind: "put", document } : { kind: "gone", collection: row.collection, key: row.key };
}

function documentOf(change: Change): StoredDocument | undefined {
  return change.kind === "put" ? change.document : undefined;
}

function readCursor(medium: MemoryMedium, cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const prefix = cursorPrefix(medium);
  const digits = cursor.startsWith(prefix) ? cursor.slice(prefix.length) : "";
  const position = /^(?:0|[1-9]\d{0,15})$/.test(digits) ? Number(digits) : Number.NaN;
  if (position <= medium.position) return position;
  throw new StoreError(
    "bad-cursor",
    "The cursor is not one of this store's. Read the feed from the beginning.",
  );
}

function cursorPrefix({ name, identity }: MemoryMedium): string {
  return `m${name}.${identity}-`;
}

function runCommit(medium: MemoryMedium, commit: Commit): CommitResult {
  checkCommit(commit);
  // Copies come first: a body that is no JSON must fail before anything is written.
  const documents = (commit.put ?? []).map(storable);
  const failures = [...failedExpectations(medium, commit), ...takenClaims(medium, commit)];
  if (failures.length > 0) return { ok: false, failures };
  const before = documents.map((document) => lookUp(medium, document));
  for (const old of before) if (old) takeOut(medium, old);
  const removed = (commit.remove ?? []).map((key) => lookUp(medium, key)).filter((old) => old !== undefined);
  for (const old of removed) takeOut(medium, old);
  for (const [i, document] of documents.entries()) {
    putIn(medium, document);
    tellAll(medium, { before: before[i], document });
  }
  for (const old of removed) tellAll(medium, { before: old });
  return { ok: true };
}

function tellAll(medium: MemoryMedium, change: { before?: StoredDocument | undefined; document?: Document }) {
  const { before, document } = change;
  const key = document ?? before;
  if (!key) return;
  const position = ++medium.position;
  const stays = new Set(document?.feeds);
  for (const feed of new Set([...(before?.feeds ?? []), ...stays])) {
    tell(medium, feed, { collection: key.collection, key: key.key, position, gone: !stays.has(feed) });
  }
}

function failedExpectations(medium: MemoryMedium, commit: Commit): Failure[] {
  return (commit.expect ?? []).flatMap((expectation): Failure[] => {
    if (expectation.kind === "free") {
      return medium.claims.has(expectation.claim) ? [{ kind: "expectation", expectation }] : [];
    }
    const found = lookUp(medium, expectation)?.version;
    if (holds(expectation, found)) return [];
    return [{ kind: "expectation", expectation, ...(found === undefined ? {} : { found }) }];
  });
}

function takenClaims(medium: MemoryMedium, commit: Commit): Failure[] {
  const named = new Set([...(commit.put ?? []), ...(commit.remove ?? [])].map(joinedKey));
  return (commit.put ?? []).flatMap((document) =>
    [...new Set(document.claims)].flatMap((claim): Failure[] => {
      const holder = medium.claims.get(claim);
      return holder && !named.has(joinedKey(holder)) ? [{ kind: "claim-taken", claim, holder }] : [];
    }),
  );
}

function storable(document: Document): StoredDocument {
  const { collection, key, version, claims = [], entries = {}, feeds = [] } = document;
  const body = JSON.parse(bodyText(document)) as Document["body"];
  return frozen({ collection, key, version, body, ...copied({ claims, entries, feeds }) });
}

function copied<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Without recursion: a body may be nested as deep as JSON goes. */
function frozen<T>(value: T): T {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    for (const member of Object.values(next)) waiting.push(member);
    Object.freeze(next);
  }
  return value;
}
