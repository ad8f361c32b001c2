import {
  type Document,
  type DocumentKey,
  type Json,
  type JsonObject,
  type Links,
  recordKey,
  type Store,
  type StoredDocument,
  storedRecord,
} from "@fieldroll/core";
import { isGivenBack, mayBeSame, namesOf, sameRecord, whoIn } from "../model/content.ts";
import type { OutboxEntry } from "../model/entry.ts";
import { typeIn } from "../model/naming.ts";
import { saidOf } from "../model/said.ts";
import { acceptedIn, loadAccepted } from "./accepted.ts";
import { entryOf } from "./outbox.ts";

interface Read {
  readonly record: StoredDocument | undefined;
  readonly outbox: StoredDocument | undefined;
}

/** What is known of those whom work means, and who may have another key when they come back: see `whom` of an entry. */
export async function whomMeant(
  store: Store,
  meant: Links,
  mayGetAnother: (document: StoredDocument) => boolean,
): Promise<Readonly<Record<string, JsonObject>> | undefined> {
  const keys = [
    ...new Map(Object.entries(meant).map(([name, key]) => [key, recordKey(typeIn(name), key)])).values(),
  ];
  const found = keys.length > 0 ? await store.get(keys) : [];
  const hidden = found.flatMap((record) => (record && mayGetAnother(record) ? [record] : []));
  const works = hidden.map((record) => ({
    type: storedRecord(record).type,
    key: record.key,
    record,
    outbox: undefined,
  }));
  const known = (await loadAccepted(store, works)).flatMap(({ type, key, record, accepted }) => {
    const who = record && whoIn(saidOf(type, storedRecord(record).record, acceptedIn({ accepted })));
    return who ? [[key, who] as const] : [];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/**
 * Work that was put away where a server tells no keys, or none of somebody hidden, with those whom it means under the keys that they have
 * here by now: they were forgotten meanwhile and listed again. Whoever has the name and may be the same is the one.
 */
export async function knownAgain<Work extends Read>(
  store: Store,
  works: readonly Work[],
): Promise<readonly Work[]> {
  if (!works.some(({ outbox }) => outbox && entryOf(outbox).whom)) return works;
  return Promise.all(works.map((work) => knownAgainIn(store, work)));
}

async function knownAgainIn<Work extends Read>(store: Store, work: Work): Promise<Work> {
  const { outbox, record } = work;
  if (!outbox) return work;
  const { whom = {}, ...entry } = entryOf(outbox);
  const meant = { ...(record && storedRecord(record).links), ...entry.meant };
  const lost = await keysLost(store, meant, whom);
  const names = Object.keys(meant).filter((name) => lost.has(meant[name] ?? ""));
  // By the number that she had last, too.
  const called = names.flatMap((name) => {
    const [type, who] = [typeIn(name), whom[meant[name] ?? ""] ?? {}];
    return [...namesOf(type, who), name].map((each) => ({ name, type, who, each }));
  });
  const holders = called.length > 0 ? await store.resolve(called.map(({ each }) => each)) : [];
  const documents = await store.get(holders.flatMap((holder) => holder ?? []));
  const byKey = new Map(documents.map((document) => [document?.key, document]));
  const isAgain = entry.edits.some((edit) => edit.again);
  const again = called.flatMap(({ name, type, who }, i) => {
    const document = byKey.get(holders[i]?.key);
    if (!document || document.collection !== type) return [];
    const { record } = storedRecord(document);
    // One of whom a server told the key, and lost her, is known as any that it lost.
    const isIt = isAgain ? sameRecord(who, record) && isGivenBack(who, record) : mayBeSame(type, who, record);
    return isIt ? [[name, document.key] as const] : [];
  });
  const next: OutboxEntry = {
    ...entry,
    ...(Object.keys(meant).length > 0 && { meant: { ...meant, ...Object.fromEntries(again) } }),
    // An edit leaves the record's links as they are, so that these are looked for until they are written anew.
    ...(lost.size > 0 && { whom: Object.fromEntries([...lost].map((key) => [key, whom[key] ?? {}])) }),
  };
  return { ...work, outbox: { ...outbox, body: next as unknown as Json } };
}

/** The keys among these that lead to nobody on this device. */
async function keysLost(
  store: Store,
  meant: Links,
  whom: Readonly<Record<string, JsonObject>>,
): Promise<ReadonlySet<string>> {
  const all: readonly (readonly [string, DocumentKey])[] = Object.entries(meant)
    .filter(([, key]) => whom[key] !== undefined)
    .map(([name, key]) => [key, recordKey(typeIn(name), key)]);
  const found: readonly (Document | undefined)[] =
    all.length > 0 ? await store.get(all.map(([, at]) => at)) : [];
  return new Set(all.flatMap(([key], i) => (found[i] ? [] : [key])));
}
