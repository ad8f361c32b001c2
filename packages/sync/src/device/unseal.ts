import {
  type DocumentKey,
  type Expectation,
  type Json,
  type JsonObject,
  type Links,
  type ResourceType,
  recordDocument,
  type Store,
  type StoredDocument,
  storedRecord,
} from "@fieldroll/core";
import { absorb } from "../model/absorb.ts";
import { unversioned } from "../model/accepted.ts";
import { mayBeSame, namesMadeFor, namesOf } from "../model/content.ts";
import { oldestEdit, replay } from "../model/edits.ts";
import { entryId, type OutboxEntry } from "../model/entry.ts";
import { entryAs } from "../model/in-names.ts";
import { namingOf } from "../model/naming.ts";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import { compared, putAway, withoutEdits, withoutMaking } from "../model/put-away.ts";
import type { HostPorts } from "../ports.ts";
import { foundAsShown } from "./as-shown.ts";
import { commitParts, keptLinks, noParts } from "./commit.ts";
import { collections, everyDocument, isOf, mostFailures, unchanged } from "./documents.ts";
import { canaryOf, epochHere, readAgainParts } from "./feed-state.ts";
import { whomThere } from "./naming.ts";
import { entryDocument } from "./outbox.ts";
import { endedHere, rankOf, type SealedWork, standingOn } from "./seal.ts";
import {
  addressed,
  type CommitParts,
  entryIn,
  keyOnServer,
  loadWhole,
  localIn,
  serverAlias,
  settledParts,
  type Work,
} from "./work.ts";

/** What bringing work back stands on. */
export interface Unsealing {
  /** Holds at every commit. */
  readonly fence: Expectation;
  /** The state of the server's data that versions here are of. */
  readonly epoch: string | null;
  /** UTC instant. */
  readonly at: string;
  /**
   * What is committed with records that were not here. What left this device's feeds before is told by none of them: it is what a pull
   * from the start does not meet. Absent where the feeds have gone on with nothing since the work was sealed here.
   */
  readonly anew?: () => Promise<CommitParts>;
  /** Whether the feeds go on from where they were when the work was sealed: what they told before is not told again. */
  readonly goesOn?: boolean;
}

/** How work comes back that may have been elsewhere meanwhile. */
export async function unsealing({
  store,
  feeds,
  clock,
  newId,
  fence,
}: Pick<HostPorts, "clock" | "newId"> & {
  readonly store: Store;
  readonly feeds: readonly string[];
  readonly fence: Expectation;
}): Promise<Unsealing> {
  return {
    fence,
    epoch: await epochHere(store, feeds),
    at: clock().toISOString(),
    anew: async () => readAgainParts(store, feeds, await canaryOf(store, newId)),
  };
}

/** Records brought back in one commit. */
const batch = 100;

/**
 * Brings a person's sealed work back into the outbox as it was, frozen requests included: for the record as it is here, whatever
 * its key was where the work was done. What has unsent work here already stays sealed.
 *
 * @returns how many records, or `null` when the fence does not hold any more
 */
export async function unsealWork(store: Store, account: string, how: Unsealing): Promise<number | null> {
  return unsealPages(store, await sealedNames(store, account), { ...how, size: batch });
}

async function unsealPages(
  store: Store,
  names: readonly DocumentKey[],
  { size, ...how }: Unsealing & { readonly size: number },
): Promise<number | null> {
  let opened = 0;
  for (let from = 0; from < names.length; from += size) {
    const count = await unsealPage(store, names.slice(from, from + size), how);
    if (count === null) return null;
    opened += count;
  }
  return opened;
}

/** The names of a person's sealed work, in the order to bring it back. */
async function sealedNames(store: Store, account: string): Promise<readonly DocumentKey[]> {
  const found: { readonly name: DocumentKey; readonly rank: number }[] = [];
  const where = [{ index: "account", anyOf: [account] }];
  for await (const { collection, key, body } of everyDocument(store, {
    collection: collections.sealed,
    where,
  })) {
    const work = body as unknown as SealedWork;
    if (work.format === 1) found.push({ name: { collection, key }, rank: rankOf(work.entry) });
  }
  return found.sort((a, b) => a.rank - b.rank).map(({ name }) => name);
}

/**
 * Where another record has a claim by now, that one keeps it. What can't come back at all stays sealed, and keeps nothing else from
 * coming back.
 */
async function unsealPage(
  store: Store,
  names: readonly DocumentKey[],
  how: Unsealing,
): Promise<number | null> {
  const taken = new Set<string>();
  for (let round = 0; round < mostFailures; round++) {
    // Another tab of the same person may have brought some of it back.
    const present = (await store.get(names)).flatMap((document) => document ?? []);
    const { opening, waiting, bringsRecords } = await unsealingParts(store, present, { ...how, taken });
    const anew = bringsRecords && how.anew ? [await how.anew()] : [];
    const failures = await commitParts(store, [standingOn(how.fence), ...anew, ...opening, ...waiting]);
    if (!failures) return opening.length;
    if (failures.some(isOf(how.fence))) return null;
    for (const failure of failures) if (failure.kind === "claim-taken") taken.add(failure.claim);
  }
  return names.length > 1 ? unsealPages(store, names, { ...how, size: 1 }) : 0;
}

/** Sealed work, and the record on this device that it is of. */
interface Opened {
  readonly document: StoredDocument;
  readonly content: SealedWork;
  readonly work: Work;
}

async function unsealingParts(
  store: Store,
  documents: readonly StoredDocument[],
  how: Unsealing & { readonly taken: ReadonlySet<string> },
): Promise<{
  readonly opening: readonly CommitParts[];
  readonly waiting: readonly CommitParts[];
  readonly bringsRecords: boolean;
}> {
  const known = documents.flatMap((document) => {
    const content = document.body as unknown as SealedWork;
    return content.format === 1 ? [{ document, content }] : [];
  });
  // The earliest first, for what was made later may stand on it; of two that begin alike, the one that says more.
  const begin = ({ content }: (typeof known)[number]) => Date.parse(oldestEdit(content.entry));
  const edits = ({ content }: (typeof known)[number]) => content.entry.edits.length;
  known.sort((a, b) => begin(a) - begin(b) || edits(b) - edits(a));
  const works = await worksHere(
    store,
    known.map(({ content }) => content),
  );
  const met = new Map<string, OutboxEntry>();
  const waiting: CommitParts[] = [];
  const opened: Opened[] = [];
  known.forEach(({ document, content }, i) => {
    const work = works[i];
    if (!work) return;
    const names = [entryId(work.type, work.key), ...marksOf(content)];
    const other = names.flatMap((name) => met.get(name) ?? []).at(0) ?? entryIn(work);
    if (other) {
      waiting.push(waitingParts(document, content, other));
      return;
    }
    for (const name of names) met.set(name, content.entry);
    opened.push({ document, content, work });
  });
  const claimed = new Set(how.taken);
  const opening: CommitParts[] = [];
  for (const parts of await openedParts(store, opened, how)) {
    const put = parts.put.map((document) => addressed(document, claimed));
    for (const claim of put.flatMap(({ claims }) => claims ?? [])) claimed.add(claim);
    opening.push({ ...parts, put });
  }
  return { opening, waiting, bringsRecords: opened.some(({ work }) => !work.record) };
}

/** The records here that sealed work is of: a device that made a record knows it by another key than the others. */
async function worksHere(store: Store, contents: readonly SealedWork[]): Promise<readonly Work[]> {
  const direct = await loadWhole(
    store,
    contents.map(({ entry }) => entry),
  );
  const names = contents.map((content, i) => {
    if (direct[i]?.record || direct[i]?.outbox) return [];
    return [serverAlias(serverKeyOf(content)), ...namesOf(content.entry.type, recordIn(content))];
  });
  const flat = names.flat();
  const holders = flat.length > 0 ? await store.resolve(flat) : [];
  const byName = new Map(flat.map((name, i) => [name, holders[i]]));
  return Promise.all(
    contents.map(async (content, i) => {
      const [own, called] = [direct[i], names[i] ?? []];
      const { type, key } = content.entry;
      const keys = called
        .flatMap((name) => byName.get(name) ?? [])
        .filter((each) => each.collection === type);
      const there = { type, key: serverKeyOf(content) };
      const others =
        called.length > 0
          ? await loadWhole(store, [there, ...keys.map((each) => ({ type, key: each.key }))])
          : [];
      const found = others.find((work) => isHere(work) && isSame(content, work));
      return found ?? own ?? { type, key, record: undefined, outbox: undefined };
    }),
  );
}

function isHere({ record, outbox }: Work): boolean {
  return record !== undefined || outbox !== undefined;
}

/** Whether a record is known to be the one that sealed work is of. */
function isSame(content: SealedWork, work: Work): boolean {
  const marks = marksOf(content);
  const { type } = work;
  const local = localIn(work) ?? {};
  if (marks.includes(keyMark(type, keyOnServer(work)))) return true;
  const isCalledSo = nameMarks(content, local).some((mark) => marks.includes(mark));
  // A number may be somebody else's by now.
  return isCalledSo && mayBeSame(type, content.entry.base ?? recordIn(content), local);
}

/**
 * What shows that two works, or a work and a record, are of the same one: the record's key on the server, and the identifiers that were
 * made for it. A server without feeds tells no keys: there any identifier has to do.
 */
function marksOf(content: SealedWork): readonly string[] {
  return [keyMark(content.entry.type, serverKeyOf(content)), ...nameMarks(content, recordIn(content))];
}

/** The record's key on the server, as far as the device that sealed the work knew it. */
function serverKeyOf(content: SealedWork): string {
  return keyOnServer({ key: content.entry.key, record: storedIn(content) });
}

function keyMark(type: ResourceType, key: string): string {
  return `${type}/${serverAlias(key)}`;
}

function nameMarks(
  { entry: { type, base, epoch = null } }: SealedWork,
  record: JsonObject,
): readonly string[] {
  return base && isPlainEpoch(epoch) ? namesOf(type, record) : namesMadeFor(type, record);
}

export function recordIn(content: SealedWork): JsonObject {
  const stored = storedIn(content);
  return stored ? storedRecord(stored).record : replay(content.entry);
}

/** The record's document as it was sealed. */
export function storedIn({ entry: { type, key }, record }: SealedWork): StoredDocument | undefined {
  if (!record) return undefined;
  const { body, claims = [], entries = {} } = record;
  return { collection: type, key, version: 1, body, claims, entries, feeds: [] };
}

async function openedParts(
  store: Store,
  opened: readonly Opened[],
  how: Unsealing,
): Promise<readonly CommitParts[]> {
  const own = new Map<string, string>();
  for (const { content, work } of opened) {
    for (const name of namesOf(work.type, recordIn(content))) own.set(name, work.key);
  }
  return Promise.all(
    opened.map(async (each) => {
      const { document, work } = each;
      const content = await calledHere(store, each.content);
      const parts = await (work.record ? metParts : newParts)(store, { ...each, content }, { ...how, own });
      return {
        expect: [...parts.expect, unchanged(document, document)],
        put: parts.put,
        remove: [...parts.remove, document],
      };
    }),
  );
}

/** Sealed work with those whom it means under the keys that they have here: who was registered here, and was not forgotten since, has another than on the server. */
async function calledHere(store: Store, content: SealedWork): Promise<SealedWork> {
  const sealed = storedIn(content);
  const stored = sealed && storedRecord(sealed);
  const { meant = {} } = content.entry;
  const keys = [...new Set(Object.values({ ...stored?.links, ...meant }))];
  const holders = keys.length > 0 ? await store.resolve(keys.map(serverAlias)) : [];
  const here = new Map(keys.flatMap((key, i) => (holders[i] ? [[key, holders[i].key] as const] : [])));
  if (here.size === 0) return content;
  const led = (links: Links) =>
    Object.fromEntries(Object.entries(links).map(([raw, key]) => [raw, here.get(key) ?? key]));
  const document = stored && recordDocument({ ...stored, links: led(stored.links) });
  const { body, claims = [], entries = {} } = document ?? {};
  return {
    ...content,
    entry: { ...content.entry, meant: led(meant) },
    record: body === undefined ? null : { body, claims, entries },
  };
}

type Opening = Unsealing & { readonly own: ReadonlyMap<string, string> };

/** Work of a record that is not here: it brings it. */
async function newParts(
  store: Store,
  { content, work }: Opened,
  { own, goesOn = false }: Opening,
): Promise<CommitParts> {
  const { type, key } = work;
  const { incoming } = content.entry;
  // Until the first pull says what this person may still see, it is shown as it was told before, which stands against nothing newer.
  const told =
    incoming?.kind === "upsert" && !goesOn ? { ...incoming, record: unversioned(incoming.record) } : incoming;
  const entry = { ...content.entry, incoming: told };
  const put = [entryDocument(putAway(entry, null), undefined)];
  const sealed = storedIn(content);
  if (sealed) {
    const stored = storedRecord(sealed);
    const links = await keptLinks(store, { ...work, record: sealed }, { entry, local: stored.record }, own);
    put.push(foundAsShown(recordDocument({ ...stored, links }), entry));
  }
  const expect = [
    unchanged({ collection: type, key }, undefined),
    unchanged({ collection: collections.outbox, key: entryId(type, key) }, undefined),
  ];
  return { expect, put, remove: [] };
}

/** Work of a record that is here, as the server last told of it: that is news for the work where it stands on an older copy. */
async function metParts(
  store: Store,
  { content, work }: Opened,
  { own, epoch, at }: Opening,
): Promise<CommitParts> {
  const theirs = localIn(work);
  const left = withoutMaking(content.entry, await endedHere(store, [content.entry]));
  if (!left) return noParts;
  const sealed = storedIn(content);
  const meant = { ...(sealed && storedRecord(sealed).links), ...left.meant };
  const before = { ...compared({ ...left, key: work.key, incoming: null }, epoch), meant };
  const record = theirs ?? {};
  const held = { entry: before, local: recordIn(content) };
  const known = entryAs(held, record, await whomThere(store, namingOf(work.type, record, held)));
  const settled = absorb(known.entry, known.local, { kind: "upsert", record }, { at });
  const entry = settled.entry && putAway(settled.entry, epoch);
  const links = await keptLinks(store, work, settled, own);
  return settledParts(work, { ...settled, entry }, { at, links, before });
}

/** What goes on waiting does so without the edits that the work before it brings. */
function waitingParts(document: StoredDocument, content: SealedWork, before: OutboxEntry): CommitParts {
  const entry = withoutEdits(content.entry, new Set(before.edits.map(({ id }) => id)));
  if (entry === content.entry) return noParts;
  const body = { ...content, entry } as unknown as Json;
  const put = entry ? [{ ...document, version: document.version + 1, body }] : [];
  return { expect: [unchanged(document, document)], put, remove: entry ? [] : [document] };
}
