import {
  type DocumentKey,
  type JsonObject,
  type ResourceType,
  rawReference,
  recordKey,
  type Store,
} from "@fieldroll/core";
import { namesOf, sameRecord } from "../model/content.ts";
import type { OutboxEntry } from "../model/entry.ts";
import { entryIn, hereAlias, loadWork, serverAlias } from "./work.ts";

/** An item of a feed, its record in stored form. */
export interface PulledItem {
  readonly type: ResourceType;
  /** The record's key on the server. */
  readonly key: string;
  readonly reference: string;
  readonly versionId: string;
  readonly change: "upsert" | "removed";
  readonly record: JsonObject | null;
  readonly reason: string;
}

/**
 * Finds the records that items of a feed speak of: by the server's key, which is also the device's for whatever came from
 * a feed; by the alias of one made here; by an identifier, where the record was made here and its key is not known yet.
 *
 * @param redirects keys on this device that are already known, by the server's
 * @returns a key on this device per item, all different; `null` where the item can only wait, because it shares an
 *   identifier with a record made here that met another item already
 */
export async function locate(
  store: Store,
  items: readonly PulledItem[],
  redirects: ReadonlyMap<string, string>,
): Promise<readonly (string | null)[]> {
  const direct = items.length > 0 ? await store.get(items.map(({ type, key }) => recordKey(type, key))) : [];
  const strangers = items.filter((item, i) => !direct[i] && !redirects.has(item.key));
  const found = await locateStrangers(store, strangers);
  const taken = new Set<string>();
  return items.map((item, i) => {
    const twin = redirects.get(item.key);
    const other =
      twin === undefined ? (direct[i] ? undefined : found.get(item.key)) : { key: twin, unsent: true };
    if (other?.unsent && taken.has(other.key)) return null;
    const key = other && !taken.has(other.key) ? other.key : item.key;
    taken.add(key);
    return key;
  });
}

interface Located {
  /** On this device. */
  readonly key: string;
  /** Whether the server has not got that record. */
  readonly unsent: boolean;
}

async function locateStrangers(
  store: Store,
  items: readonly PulledItem[],
): Promise<ReadonlyMap<string, Located>> {
  const claims = items.map((item) => [serverAlias(item.key), ...itemNames(item)]);
  const flat = claims.flat();
  const holders = flat.length > 0 ? await store.resolve(flat) : [];
  const byClaim = new Map(flat.map((claim, i) => [claim, holders[i]]));
  const located = new Map<string, Located>();
  const named: { item: PulledItem; holder: DocumentKey }[] = [];
  items.forEach((item, i) => {
    const alias = byClaim.get(serverAlias(item.key));
    if (alias) located.set(item.key, { key: alias.key, unsent: false });
    const holder = claims[i]
      ?.map((claim) => byClaim.get(claim))
      .find((held) => held?.collection === item.type);
    if (!alias && holder) named.push({ item, holder });
  });
  const works = await loadWork(
    store,
    named.map(({ item, holder }) => ({ type: item.type, key: holder.key })),
  );
  named.forEach(({ item }, i) => {
    const work = works[i];
    if (!work) return;
    const entry = entryIn(work);
    const unsent = entry?.base === null;
    const arrived = work.record?.claims.includes(hereAlias(work.key)) && mayBe(item, entry);
    if (unsent || arrived) located.set(item.key, { key: work.key, unsent });
  });
  return located;
}

/** What a person took over from one of several records is that one, whatever it shares with the others. */
function mayBe({ record }: PulledItem, entry: OutboxEntry | null): boolean {
  return !record || !entry?.base || sameRecord(record, entry.base);
}

function itemNames({ type, record, reference }: PulledItem): readonly string[] {
  return record ? namesOf(type, record) : [rawReference(reference)];
}
