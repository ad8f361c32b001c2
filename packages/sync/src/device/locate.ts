import {
  type DocumentKey,
  type JsonObject,
  type ResourceType,
  rawReference,
  recordKey,
  type Store,
} from "@fieldroll/core";
import { namesOf } from "../model/content.ts";
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
 * @returns a key on this device per item, all different
 */
export async function locate(
  store: Store,
  items: readonly PulledItem[],
  redirects: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const direct = items.length > 0 ? await store.get(items.map(({ type, key }) => recordKey(type, key))) : [];
  const strangers = items.filter((item, i) => !direct[i] && !redirects.has(item.key));
  const found = await locateStrangers(store, strangers);
  const taken = new Set<string>();
  return items.map((item, i) => {
    const other = redirects.get(item.key) ?? (direct[i] ? undefined : found.get(item.key));
    const key = other !== undefined && !taken.has(other) ? other : item.key;
    taken.add(key);
    return key;
  });
}

async function locateStrangers(
  store: Store,
  items: readonly PulledItem[],
): Promise<ReadonlyMap<string, string>> {
  const claims = items.map((item) => [serverAlias(item.key), ...itemNames(item)]);
  const flat = claims.flat();
  const holders = flat.length > 0 ? await store.resolve(flat) : [];
  const byClaim = new Map(flat.map((claim, i) => [claim, holders[i]]));
  const located = new Map<string, string>();
  const named: { item: PulledItem; holder: DocumentKey }[] = [];
  items.forEach((item, i) => {
    const alias = byClaim.get(serverAlias(item.key));
    if (alias) located.set(item.key, alias.key);
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
    const madeHere = work.record?.claims.includes(hereAlias(work.key)) || entryIn(work)?.base === null;
    if (madeHere) located.set(item.key, work.key);
  });
  return located;
}

function itemNames({ type, record, reference }: PulledItem): readonly string[] {
  return record ? namesOf(type, record) : [rawReference(reference)];
}
