import {
  type Document,
  type Expectation,
  type Json,
  type Links,
  recordDocument,
  recordKey,
  type Store,
  type StoredDocument,
  storedRecord,
} from "@fieldroll/core";
import { referredFirst } from "../model/content.ts";
import { entryId, type OutboxEntry } from "../model/entry.ts";
import { typeIn } from "../model/naming.ts";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import { putAway, withoutEdits } from "../model/put-away.ts";
import { commitParts, type Known, keptLinks, knownIn } from "./commit.ts";
import { collections, everyDocument, isOf, mostFailures, unchanged } from "./documents.ts";
import { whomMeant } from "./known-again.ts";
import { entryOf } from "./outbox.ts";
import { type CommitParts, entryIn, isKeyUntold, keyOnServer, linksOf, loadWork, type Work } from "./work.ts";

/**
 * Unsent work of somebody who is not signed in: the entry, and the record's document as it was. Nothing but
 * {@link unsealWork} reads it, so no search, status or push meets it.
 */
export interface SealedWork {
  /** Grows when the shape changes: a tablet may hold such work for months, over several versions of this software. */
  readonly format: 1;
  readonly entry: OutboxEntry;
  readonly record: Kept | null;
}

type Kept = Pick<Document, "body" | "claims" | "entries">;

/** Records moved in one commit. */
const batch = 100;

/** Records read at a time where nothing is moved. */
const slice = 16;

/** Whose a sealed document is: people are known by their names on one server. */
export function accountOf(server: string, clientId: string): string {
  return JSON.stringify([server, clientId]);
}

/**
 * Moves all unsent work, each entry with its record, out of everybody's sight until its person signs in. Every commit moves
 * whole records, so that each is either here or there wherever this is broken off.
 *
 * @param fence holds at every commit
 * @param epoch the state of the server's data that versions here are of
 * @returns how many records, or `null` when the fence does not hold any more, or something else keeps standing in the way
 */
export async function sealWork(
  store: Store,
  account: string,
  fence: Expectation,
  epoch: string | null,
): Promise<number | null> {
  for (let [sealed, failed] = [0, 0]; ; ) {
    const names = await unsentNames(store);
    if (names.length === 0) return sealed;
    // What refers to others goes first, while they are here to tell what they are called by now.
    names.sort((a, b) => rankOf(b) - rankOf(a));
    for (let from = 0; from < names.length; from += batch) {
      const works = await loadWork(store, names.slice(from, from + batch));
      const contents = await contentsOf(store, works, epoch);
      const documents = contents.map((content) => sealedDocument(account, content));
      const parts = [standingOn(fence), await newParts(store, documents, () => false), ...works.map(away)];
      const failures = await commitParts(store, parts);
      failed = failures ? failed + 1 : 0;
      if (failures?.some(isOf(fence)) || failed === mostFailures) return null;
      if (!failures) sealed += contents.length;
    }
  }
}

async function unsentNames(store: Store): Promise<Pick<OutboxEntry, "type" | "key">[]> {
  const names: Pick<OutboxEntry, "type" | "key">[] = [];
  for await (const document of everyDocument(store, { collection: collections.outbox })) {
    const { type, key } = entryOf(document);
    names.push({ type, key });
  }
  return names;
}

function away(work: Work): CommitParts {
  const { type, key, record, outbox } = work;
  const [at, id] = [recordKey(type, key), { collection: collections.outbox, key: entryId(type, key) }];
  const expect = [unchanged(at, record), unchanged(id, outbox)];
  return { expect, put: [], remove: entryIn(work) ? [at, id] : [] };
}

/**
 * Puts sealed documents where nothing is: under a further number where other work of the record has the same first edit.
 *
 * @param isKnown whether one of the same name already says it all; such a document is left out
 */
async function newParts(
  store: Store,
  documents: readonly Document[],
  isKnown: (document: Document, there: Pick<Document, "body">) => boolean,
): Promise<CommitParts> {
  const put = new Map<string, Document>();
  let open = documents;
  for (let number = 1; open.length > 0; number++) {
    const named = open.map((each) => (number === 1 ? each : { ...each, key: `${each.key}/${number}` }));
    const found = await store.get(named);
    open = open.filter((document, place) => {
      const own = named[place] ?? document;
      const there = found[place] ?? put.get(own.key);
      if (!there) put.set(own.key, own);
      return there !== undefined && !isKnown(document, there);
    });
  }
  const all = [...put.values()];
  return { expect: all.map((document) => unchanged(document, undefined)), put: all, remove: [] };
}

/** Unsent work as it is put away: what it refers to is called as it is now, and linked by the key under which it comes back. */
async function contentsOf(
  store: Store,
  works: readonly Work[],
  epoch: string | null,
): Promise<readonly SealedWork[]> {
  const contents: SealedWork[] = [];
  for (const work of works) {
    const known = await knownIn(store, work);
    if (!known) continue;
    const { type, base } = known.entry;
    const [links = {}] = base ? await linksOf(store, [{ type, record: base }]) : [];
    const meant = await linkedBack(store, { ...links, ...known.entry.meant });
    const mayGetAnother = isPlainEpoch(epoch) ? () => true : isKeyUntold;
    const whom = { ...(await whomMeant(store, meant, mayGetAnother)), ...known.entry.whom };
    contents.push({
      format: 1,
      entry: {
        ...putAway(known.entry, epoch),
        ...(Object.keys(meant).length > 0 && { meant }),
        ...(Object.keys(whom).length > 0 && { whom }),
      },
      record: work.record ? await linkedAnew(store, work.record, known) : null,
    });
  }
  return contents;
}

async function linkedAnew(store: Store, record: StoredDocument, { entry, local }: Known): Promise<Kept> {
  const stored = storedRecord(record);
  const links = await keptLinks(
    store,
    { type: stored.type, key: stored.key, record, outbox: undefined },
    { entry, local },
  );
  const {
    body,
    claims = [],
    entries = {},
  } = recordDocument({ ...stored, record: local, links: await linkedBack(store, links) });
  return { body, claims, entries };
}

/** Links to the keys under which their records come back. */
export async function linkedBack(store: Store, links: Links): Promise<Links> {
  const raw = Object.keys(links);
  const targets = await loadWork(
    store,
    raw.map((name) => ({ type: typeIn(name), key: links[name] ?? "" })),
  );
  const back = targets.map((target) => (target.outbox ? target.key : keyOnServer(target)));
  return Object.fromEntries(raw.map((name, i) => [name, back[i] ?? ""]));
}

function sealedDocument(account: string, content: SealedWork): Document {
  const { type, key, edits, request } = content.entry;
  return {
    collection: collections.sealed,
    // By its first edit too: two people may hold one record unsent, and nothing is ever written over.
    key: `${account}/${entryId(type, key)}/${edits[0]?.id ?? request?.key ?? ""}`,
    version: 1,
    body: content as unknown as Json,
    entries: { account: [account] },
  };
}

/**
 * All unsent work of whoever is signed in, as it would be sealed; a few records at a time, so that an edit made meanwhile waits for
 * no more than these.
 *
 * @param epoch the state of the server's data that versions here are of
 */
export async function* unsentWork(store: Store, epoch: string | null): AsyncGenerator<SealedWork> {
  const names = await unsentNames(store);
  for (let from = 0; from < names.length; from += slice) {
    yield* await contentsOf(store, await loadWork(store, names.slice(from, from + slice)), epoch);
  }
}

/** All sealed work of a person, in a shape that this version knows. */
export async function sealedWork(store: Store, account: string): Promise<readonly SealedWork[]> {
  const found: SealedWork[] = [];
  const where = [{ index: "account", anyOf: [account] }];
  for await (const { body } of everyDocument(store, { collection: collections.sealed, where })) {
    const work = body as unknown as SealedWork;
    if (work.format === 1) found.push(work);
  }
  return found;
}

/**
 * Takes in sealed work of a person that comes from another device; what is here already, or was, stays as it is.
 *
 * @param fence holds at every commit
 * @returns how many records are new here, or `null` when the fence does not hold any more
 */
export async function takeIn(
  store: Store,
  account: string,
  { works, fence }: { readonly works: readonly SealedWork[]; readonly fence: Expectation },
): Promise<number | null> {
  let taken = 0;
  const ordered = [...works].sort((a, b) => rankOf(a.entry) - rankOf(b.entry));
  for (let from = 0; from < ordered.length; from += batch) {
    const unknown = await unknownHere(store, ordered.slice(from, from + batch));
    const documents = unknown.map((work) => sealedDocument(account, work));
    const parts = await newParts(store, documents, saysAll);
    if (await commitParts(store, [standingOn(fence), parts])) return null;
    taken += parts.put.length;
  }
  return taken;
}

/** Where work stands among what refers to it, and what it refers to: wherever moving it is broken off, that is there before. */
export function rankOf({ type }: Pick<OutboxEntry, "type">): number {
  return referredFirst.indexOf(type);
}

/** Whether sealed work has all edits of another one. */
function saysAll({ body }: Pick<Document, "body">, there: Pick<Document, "body">): boolean {
  const [own, others] = [body, there.body].map(
    (each) => (each as unknown as Partial<SealedWork>).entry?.edits,
  );
  const known = new Set(others?.map(({ id }) => id));
  return own?.every(({ id }) => known.has(id)) === true;
}

/** Without what waits in the outbox here, or left it. */
async function unknownHere(store: Store, works: readonly SealedWork[]): Promise<readonly SealedWork[]> {
  const present = await loadWork(
    store,
    works.map(({ entry }) => entry),
  );
  const known = new Set([
    ...(await endedHere(
      store,
      works.map(({ entry }) => entry),
    )),
    ...present.flatMap((work) => entryIn(work)?.edits.map(({ id }) => id) ?? []),
  ]);
  return works.flatMap((work) => {
    const entry = work.entry.edits.length > 0 ? withoutEdits(work.entry, known) : null;
    return entry ? { ...work, entry } : [];
  });
}

/** The edits of such work that left the outbox here. */
export async function endedHere(
  store: Store,
  entries: readonly Pick<OutboxEntry, "edits">[],
): Promise<ReadonlySet<string>> {
  const names = entries.flatMap(({ edits }) =>
    edits.map(({ id }) => ({ collection: collections.history, key: id })),
  );
  return new Set((await store.get(names)).flatMap((document) => document?.key ?? []));
}

/** Whether anything of a person is sealed here. */
export async function hasSealed(store: Store, account: string): Promise<boolean> {
  const where = [{ index: "account", anyOf: [account] }];
  return (await store.query({ collection: collections.sealed, where, limit: 1 })).documents.length > 0;
}

/** A part of a commit that only expects. */
export function standingOn(fence: Expectation): CommitParts {
  return { expect: [fence], put: [], remove: [] };
}
