import {
  type Json,
  type JsonObject,
  printRaw,
  type ResourceType,
  rawReference,
  referenceTo,
  type Store,
  sameJson,
  storedForm,
  type Written,
  wireForm,
} from "@fieldroll/core";
import { entryOf } from "../device/outbox.ts";
import { addressOf, loadWork, outboxKey } from "../device/work.ts";
import { shownMeanwhile } from "../model/absorb.ts";
import { entryState, type OutboxEntry } from "../model/entry.ts";
import { withoutNote } from "../model/hidden.ts";
import type { HeldRecord } from "../service-types.ts";
import type { RecordState } from "../types.ts";

/** A record as it was just written, and where it stands. */
export async function heldOf(
  store: Store,
  type: ResourceType,
  { record, reference, key }: Pick<Written<JsonObject>, "record" | "reference" | "key">,
): Promise<HeldRecord> {
  const [held] = await withStates(store, type, { records: [record], keys: [key] });
  return held ?? { record, reference, state: "pending", key: key ?? "" };
}

/** Says of each record where it stands, and by which name it is found: its own may be another record's by now. */
export async function withStates(
  store: Store,
  type: ResourceType,
  {
    records,
    keys,
  }: { readonly records: readonly JsonObject[]; readonly keys: readonly (string | undefined)[] },
): Promise<readonly HeldRecord[]> {
  const references = records.map((record) => referenceTo(type, storedForm(type, record)));
  const raw = references.map(rawReference);
  const resolving = raw.length > 0 ? store.resolve(raw) : Promise.resolve([]);
  const keyOf = async (i: number) => keys[i] ?? (await resolving)[i]?.key ?? "none";
  const names = await Promise.all(records.map(async (_, i) => ({ type, key: await keyOf(i) })));
  const [holders, documents] = await Promise.all([
    resolving,
    store.get(names.map(({ key }) => outboxKey(type, key))),
  ]);
  const nameless = names.filter(({ key }, i) => holders[i]?.key !== key);
  const works = new Map((await loadWork(store, nameless)).map((work) => [work.key, work]));
  return records.map((record, i) => {
    const document = documents[i];
    const entry = document ? entryOf(document) : null;
    const state: RecordState = entry ? entryState(entry) : "synced";
    const work = works.get(names[i]?.key ?? "");
    const own = raw[i];
    const reference = work && own ? printRaw(addressOf(work, own)) : (references[i] ?? "");
    const shown = entry ? narrowed(type, entry, record) : record;
    return { record: withoutNote(shown), reference, state, key: names[i]?.key ?? "" };
  });
}

/** What of a record, as it is handed out, its unsent work lets be shown now. What is left of a member is said without what is made of it. */
function narrowed(type: ResourceType, entry: OutboxEntry, record: JsonObject): JsonObject {
  const local = storedForm(type, record);
  const shown = shownMeanwhile(entry, local);
  if (shown === local) return record;
  const kept = Object.entries(record).flatMap(([member, value]): [string, Json][] => {
    const [left, before] = [shown[member], local[member]];
    // How many are in a household is made of who is.
    if (member === "quantity" && !sameJson(shown.member, local.member)) return [];
    if (member === "meta" || before === undefined) return [[member, value]];
    if (left === undefined) return [];
    return [[member, sameJson(left, before) ? value : (wireForm(type, { [member]: left })[member] ?? left)]];
  });
  return Object.fromEntries(kept);
}
