import {
  type Document,
  type DocumentKey,
  type Expectation,
  type Json,
  type JsonObject,
  type Links,
  type ResourceType,
  recordDocument,
  recordKey,
  referencesOf,
  type Store,
  type StoredDocument,
  type StoredReference,
  sameJson,
  storedRecord,
} from "@fieldroll/core";
import { namesOf } from "../model/content.ts";
import { replay } from "../model/edits.ts";
import { entryId, nameIn, type OutboxEntry } from "../model/entry.ts";
import { noted } from "../model/in-names.ts";
import { lawful } from "../model/machine.ts";
import { meaningOf } from "../model/meaning.ts";
import { ownName } from "../model/naming.ts";
import type { Settled } from "../model/settled.ts";
import { acceptedIn, acceptedKey, acceptedParts } from "./accepted.ts";
import { foundAsShown } from "./as-shown.ts";
import { collections, everyDocument, unchanged } from "./documents.ts";
import { knownAgain } from "./known-again.ts";
import { entryDocument, entryOf, historyDocument } from "./outbox.ts";

/** A record and its unsent work, as read in one go: what a decision stands on. */
export interface Work {
  readonly type: ResourceType;
  readonly key: string;
  readonly record: StoredDocument | undefined;
  readonly outbox: StoredDocument | undefined;
  /** What is kept of its accepted requests, where that was read too. */
  readonly accepted?: StoredDocument | undefined;
}

/** Parts of one commit. */
export interface CommitParts {
  readonly expect: readonly Expectation[];
  readonly put: readonly Document[];
  readonly remove: readonly DocumentKey[];
}

/** Reads records with their unsent work. */
export async function loadWork(
  store: Store,
  names: readonly { readonly type: ResourceType; readonly key: string }[],
): Promise<readonly Work[]> {
  if (names.length === 0) return [];
  const found = await store.get([
    ...names.map(({ type, key }) => recordKey(type, key)),
    ...names.map(({ type, key }) => outboxKey(type, key)),
  ]);
  const works = names.map(({ type, key }, i) => {
    return { type, key, record: found[i], outbox: found[names.length + i] };
  });
  return knownAgain(store, works);
}

/** Reads records with their unsent work, and with what is kept of their accepted requests. */
export async function loadWhole(
  store: Store,
  names: readonly { readonly type: ResourceType; readonly key: string }[],
): Promise<readonly Work[]> {
  if (names.length === 0) return [];
  const found = await store.get(
    [recordKey, outboxKey, acceptedKey].flatMap((keyOf) => names.map(({ type, key }) => keyOf(type, key))),
  );
  const works = names.map(({ type, key }, i) => {
    const [record, outbox, accepted] = [0, 1, 2].map((nth) => found[nth * names.length + i]);
    return { type, key, record, outbox, accepted };
  });
  return knownAgain(store, works);
}

/** The document of a record's unsent work. */
export function outboxKey(type: ResourceType, key: string): DocumentKey {
  return { collection: collections.outbox, key: entryId(type, key) };
}

/** The unsent work of a record, with whom all its references mean. */
export function entryIn({ record, outbox }: Work): OutboxEntry | null {
  const entry = outbox ? entryOf(outbox) : null;
  const links = record && entry ? storedRecord(record).links : {};
  return entry && Object.keys(links).length > 0 ? { ...entry, meant: { ...links, ...entry.meant } } : entry;
}

/** Whom the references of a record mean, of its unsent work, and of what was accepted of it before it was forgotten, by key. */
export function meantIn(work: Work): Links {
  const { meant } = meaningOf(acceptedIn(work), entryIn(work));
  return { ...meant, ...(!work.outbox && work.record && storedRecord(work.record).links) };
}

/** Records that are read at once. */
const slice = 200;

/** The keys of all whom unsent work means. */
export async function meantByUnsent(store: Store): Promise<ReadonlySet<string>> {
  const names: ReturnType<typeof nameIn>[] = [];
  for await (const { key } of everyDocument(store, { collection: collections.outbox }))
    names.push(nameIn(key));
  const meant = new Set<string>();
  for (let at = 0; at < names.length; at += slice)
    for (const work of await loadWork(store, names.slice(at, at + slice)))
      for (const key of Object.values(meantIn(work))) meant.add(key);
  return meant;
}

/** The record as it is shown. A store that lost it, and has its unsent work, has it in that. */
export function localIn(work: Work): JsonObject | null {
  if (work.record) return storedRecord(work.record).record;
  const entry = entryIn(work);
  return entry && replay(entry);
}

/** What the server last said of a record; `null` for one that it has not got. */
export function serverCopy(work: Work): JsonObject | null {
  const entry = entryIn(work);
  return entry ? entry.base : localIn(work);
}

export interface SettleOptions {
  /** UTC instant. */
  readonly at: string;
  readonly links: Links;
  /** The server's key of the record, where a pull told it. */
  readonly serverKey?: string;
  /** The record's key on this device, where a pull told of it without the server's. */
  readonly keyless?: string;
  /** The server's key of a record that was asked for by that, and is told of in no feed yet. */
  readonly askedBy?: string;
  /** Whether the key that it had on the server is none any more. */
  readonly isKeyLost?: boolean;
  /** Claims that it leaves to others. */
  readonly withheld?: ReadonlySet<string>;
  /** Work that comes from elsewhere, as it was: none of the record is in the outbox. */
  readonly before?: OutboxEntry;
}

/** What a settled record and entry write. Nothing that did not change is written. */
export function settledParts(work: Work, decided: Settled, options: SettleOptions): CommitParts {
  const { type, key } = work;
  const entry = options.before ?? entryIn(work);
  const settled = lawful(entry, decided, options.at);
  const aliases = [...aliasesOf(work, settled, options), ...formerAliases(work, settled)];
  const { put, remove } = recordParts(work, settled, { ...options, aliases });
  const untold = untoldParts(work, settled.local ? aliases : [], {
    isWritten: put.length > 0,
    at: options.at,
  });
  put.push(...untold.put);
  remove.push(...untold.remove);
  if (!settled.entry && work.outbox) remove.push(outboxKey(type, key));
  const next = settled.entry && noted(settled.entry, new Set(Object.keys(options.links)));
  if (next && !sameJson(next as unknown as JsonObject, work.outbox?.body)) {
    put.push(entryDocument(next, work.outbox));
  }
  const kept = acceptedParts(work, settled);
  put.push(...kept.put);
  remove.push(...kept.remove);
  const subject = entry ?? settled.entry;
  // Requests that were accepted in turn may name one edit, and be given again together.
  const ended = new Map(settled.ended.map((each) => [each.edit.id, each]));
  if (subject) put.push(...[...ended.values()].map((each) => historyDocument(subject, each, options.at)));
  const expect = [unchanged(recordKey(type, key), work.record), unchanged(outboxKey(type, key), work.outbox)];
  return { expect: [...expect, ...kept.expect], put, remove };
}

/** The record as it is shown, or that it has left. */
function recordParts(
  { type, key, record, outbox }: Work,
  { local, entry }: Pick<Settled, "local" | "entry">,
  {
    aliases,
    links,
    withheld = new Set(),
  }: Pick<SettleOptions, "links" | "withheld"> & { readonly aliases: readonly string[] },
): { readonly put: Document[]; readonly remove: DocumentKey[] } {
  const known = record?.claims.filter(isServerAlias) ?? [];
  if (!local) {
    const departed = { ...departedKey(key), version: 1, body: type, claims: known };
    return { put: known.length > 0 ? [departed] : [], remove: record ? [recordKey(type, key)] : [] };
  }
  const version = (record?.version ?? 0) + 1;
  const whole = recordDocument({ type, key, record: local, links, feeds: [], aliases, version });
  const document = addressed(foundAsShown(whole, entry), withheld);
  const isFoundElse = () => outbox && record && !sameJson(record.entries as Json, document.entries as Json);
  // Who has come back under the key that she had here is noted no more.
  const isBack = known.length === 0 && aliases.some(isServerAlias);
  return {
    put: !record || differs(record, document) || isFoundElse() ? [document] : [],
    remove: isBack ? [departedKey(key)] : [],
  };
}

/** A document without claims that others have; where no name is left to find the record by, it gets one of its own. */
export function addressed(document: Document, others: ReadonlySet<string>): Document {
  const claims = document.claims ?? [];
  const kept = claims.filter((claim) => !others.has(claim));
  if (kept.length === claims.length) return document;
  const nameless = !kept.some((claim) => claim.startsWith(`${document.collection}/`));
  const type = document.collection as ResourceType;
  return { ...document, claims: nameless ? [...kept, ownName(type, document.key)] : kept };
}

/** When a record that no feed has told of was last seen, for it is asked for now and then. */
function untoldParts(
  { type, key, record }: Work,
  aliases: readonly string[],
  { isWritten, at }: { readonly isWritten: boolean; readonly at: string },
): Pick<CommitParts, "put" | "remove"> {
  const note = { collection: collections.untold, key: entryId(type, key) };
  if (aliases.includes(hereAlias(key))) {
    return { put: isWritten ? [{ ...note, version: 1, body: at }] : [], remove: [] };
  }
  return { put: [], remove: record && isUntold(record) ? [note] : [] };
}

function differs(before: StoredDocument, after: Document): boolean {
  const claims = after.claims ?? [];
  const same =
    claims.length === before.claims.length && claims.every((claim) => before.claims.includes(claim));
  return !same || !sameJson(before.body, after.body);
}

/**
 * A record made here has another key than on the server. `here:` marks one that no feed has told of yet, `server:` holds that key
 * once an answer or a feed told it, so that the record is found even when all its identifiers were replaced.
 */
function aliasesOf(
  work: Work,
  settled: Settled,
  { serverKey, keyless, askedBy, isKeyLost = false }: SettleOptions,
): readonly string[] {
  if (isKeyLost) return [];
  const all = work.record ? (storedRecord(work.record).aliases ?? []) : [];
  const kept = all.filter((alias) => !alias.startsWith("was:"));
  const others = kept.filter((alias) => !alias.startsWith("here:") && !isServerAlias(alias));
  if (serverKey !== undefined) return serverKey === work.key ? others : [...others, serverAlias(serverKey)];
  if (askedBy !== undefined) return [...others, hereAlias(work.key), serverAlias(askedBy)];
  const entry = entryIn(work);
  const arrived =
    keyless !== undefined ||
    (entry?.base === null && (settled.entry === null || settled.entry.base !== null));
  // What was asked for by itself is in no feed, even if one told of it before.
  const named = kept.some(
    (alias) => (keyless === undefined && isServerAlias(alias)) || alias.startsWith("here:"),
  );
  const aliases = arrived && !named ? [...kept, hereAlias(work.key)] : kept;
  const { recordKey } = settled;
  const isKnown = entry?.base !== null && !aliases.includes(hereAlias(work.key));
  if (recordKey === undefined || isKnown) return aliases;
  return [...aliases.filter((alias) => !isServerAlias(alias)), serverAlias(recordKey)];
}

/** What a record was called goes on being known by it: others may still call it so, and whoever has the name by now is somebody else. */
function formerAliases(work: Work, { entry, local }: Settled): readonly string[] {
  const { type, key, record } = work;
  if (!record || !local) return [];
  const now = [local, entry?.base ?? {}].flatMap((copy) => namesOf(type, copy));
  const before = [localIn(work), serverCopy(work)].flatMap((copy) => (copy ? namesOf(type, copy) : []));
  const former = [...new Set([...formerNames(record), ...before])].filter((name) => !now.includes(name));
  return former.map((name) => formerAlias(key, name));
}

/** Raw references by which a record was known before. */
export function formerNames({ key, claims }: Pick<StoredDocument, "key" | "claims">): readonly string[] {
  const start = formerAlias(key, "");
  return claims.flatMap((claim) => (claim.startsWith(start) ? [claim.slice(start.length)] : []));
}

/** Others may have had the name as well, each at its time. */
function formerAlias(key: string, name: string): string {
  return `was:${key}:${name}`;
}

/** A record's key on the server: its own, unless it was made here. */
export function keyOnServer({ key, record }: Pick<Work, "key" | "record">): string {
  return keyIn(record) ?? key;
}

function keyIn(document: Pick<StoredDocument, "claims"> | undefined): string | undefined {
  return document?.claims.find(isServerAlias)?.slice(serverAlias("").length);
}

/** What is noted of a record that was made here and left: claims its key on the server, so that it comes back under the key that it had. */
function departedKey(key: string): DocumentKey {
  return { collection: collections.departed, key };
}

/** The keys on the server of records that left this device, by their keys here: where none is noted, it is the same. */
export async function keysOfDeparted(
  store: Store,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const noted = keys.length > 0 ? await store.get(keys.map(departedKey)) : [];
  return new Map(keys.map((key, i) => [key, keyIn(noted[i]) ?? key]));
}

/** A record's key on the server, where that is certain: of one that was made here, an answer or a feed has yet to tell it. */
export function toldKey(work: Work): string | undefined {
  const { key, record } = work;
  // One that was asked for by its own key is looked at before it is changed, until a feed or an answer tells of it.
  const isOther = (claim: string) => isServerAlias(claim) && claim !== serverAlias(key);
  const isTold = record && (!isUntold(record) || record.claims.some(isOther));
  return isTold ? keyOnServer(work) : undefined;
}

/** Whether nothing has told a record's key on the server: it was made here and is hidden, or was asked for by its name alone. */
export function isKeyUntold(record: StoredDocument): boolean {
  return isUntold(record) && keyIn(record) === undefined;
}

/** The claim of a record by its key on the server. */
export function serverAlias(key: string): string {
  return `server:${key}`;
}

function isServerAlias(claim: string): boolean {
  return claim.startsWith(serverAlias(""));
}

/** The claim of a record that was made here and arrived. */
export function hereAlias(key: string): string {
  return `here:${key}`;
}

/** Whether a record was made here, and arrived, but no feed has told of it: it may be where this device does not read. */
export function isUntold({ key, claims }: Pick<StoredDocument, "key" | "claims">): boolean {
  return claims.includes(hereAlias(key));
}

/** A stored reference that leads to this record on this device, whichever record has its identifiers by now. @param reference its own */
export function addressOf(
  { type, record }: Pick<Work, "type" | "record">,
  reference: StoredReference,
): StoredReference {
  const claims = (record?.claims.filter((claim) => claim.startsWith(`${type}/`)) ?? []) as StoredReference[];
  return claims.includes(reference) ? reference : (claims[0] ?? reference);
}

/**
 * Finds the keys of what records refer to, as far as it is on this device.
 *
 * @param own keys of records about to be written, by raw reference
 */
export async function linksOf(
  store: Store,
  records: readonly { readonly type: ResourceType; readonly record: JsonObject }[],
  own: ReadonlyMap<string, string> = new Map(),
): Promise<readonly Links[]> {
  const uses = records.map(({ type, record }) => referencesOf(type, record).map((use) => use.reference));
  const wanted = [...new Set(uses.flat())].filter((raw) => !own.has(raw));
  const found = wanted.length > 0 ? await store.resolve(wanted) : [];
  const keys = new Map<string, string | undefined>([
    ...own,
    ...wanted.map((raw, i) => [raw, found[i]?.key] as const),
  ]);
  return uses.map((own) =>
    Object.fromEntries(
      own.flatMap((raw) => {
        const key = keys.get(raw);
        return key === undefined ? [] : [[raw, key] as const];
      }),
    ),
  );
}
