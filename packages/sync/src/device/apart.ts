import type { JsonObject, Store } from "@fieldroll/core";
import { tellsVersion } from "../model/content.ts";
import type { OutboxEntry } from "../model/entry.ts";
import { isBack } from "../model/hidden.ts";
import type { Settled } from "../model/settled.ts";
import { joining } from "./join.ts";
import type { PulledItem } from "./locate.ts";
import { ledTo } from "./relink.ts";
import type { Met } from "./waiting.ts";
import { type CommitParts, entryIn, loadWhole, localIn, serverAlias, type Work } from "./work.ts";

/** Where news goes that meets records made here, by the key that its item has on the server. */
export interface Apart {
  /** To which of those: where its record is not here, or turns out to be that one. */
  readonly redirects: ReadonlyMap<string, string>;
  /** All of those. */
  readonly made: ReadonlyMap<string, readonly Work[]>;
  /** Others, which were compared with its record, of which that is not to be shown any more. */
  readonly hidden: ReadonlyMap<string, readonly Work[]>;
  /** The item of which the copy here, read as somebody else's, turns out to be one of those. */
  readonly one: string | undefined;
}

/**
 * News of a record that is here goes to that, whoever made here has its name: else it would stay for ever as it is. Only where the two
 * turn out to be one, the one made here has it, and the copy goes. What refers to several is led to one at a time: the others wait for that.
 */
export async function apartOf(
  store: Store,
  items: readonly PulledItem[],
  { met, hidden }: { readonly met: Met; readonly hidden: Met },
): Promise<Apart> {
  const redirects = new Map<string, string>();
  const made = new Map<string, readonly Work[]>();
  let one: string | undefined;
  const others = new Map<string, readonly Work[]>();
  for (const item of items) {
    const { type, key } = item;
    const compared = hidden.get(key);
    if (compared) others.set(key, unsentOf(await worksOf(store, type, [...compared])));
    const twins = met.get(key);
    if (!twins) continue;
    const [holder] = await store.resolve([serverAlias(key)]);
    const [own, ...twin] = await worksOf(store, type, [holder?.key ?? key, ...twins]);
    const unsent = unsentOf(twin);
    const back = unsent.find((each) => isOne(item, each));
    const isHere = own?.record !== undefined && !twins.has(own.key) && entryIn(own)?.base !== null;
    const isJoined = isHere && back !== undefined && own.key === key && !own.outbox && one === undefined;
    const to = back ?? unsent.at(-1);
    if (to && (isJoined || !isHere)) redirects.set(key, to.key);
    if (isJoined) one = key;
    made.set(key, unsent);
  }
  return { redirects, made, hidden: others, one };
}

function worksOf(store: Store, type: PulledItem["type"], keys: readonly string[]): Promise<readonly Work[]> {
  return loadWhole(
    store,
    keys.map((key) => ({ type, key })),
  );
}

function unsentOf(works: readonly Work[]): readonly Work[] {
  return works.filter((each) => entryIn(each)?.base === null);
}

/** Records made here that are compared with those of items which have the news themselves. */
export function comparedWith(
  items: readonly PulledItem[],
  located: readonly (Work | null)[],
  { made, hidden }: Apart,
): readonly { readonly item: PulledItem; readonly work: Work }[] {
  const taken = new Set(located.map((work) => work?.key));
  return items.flatMap((item) => {
    const met = (made.get(item.key) ?? []).filter((work) => !isOne(item, work));
    const free = [...met, ...(hidden.get(item.key) ?? [])].filter(
      ({ key }) => !taken.has(key) && taken.add(key),
    );
    return free.map((work) => ({ item, work }));
  });
}

/** One that was compared with a record which has left, while its request is under way: nothing of the record stays, nor says where this one is. */
export function comparedNoMore({ change }: PulledItem, work: Work): Settled | null {
  const [entry, local] = [entryIn(work), localIn(work)];
  if (change !== "removed" || !entry?.request) return null;
  return { entry: { ...entry, incoming: null }, local, ended: [] };
}

/** What an item's record leaves to those made here that have its names, and whether it waits for that. */
export function besideMade(item: PulledItem, { key }: Work, { made }: Apart) {
  const others = (made.get(item.key) ?? []).filter((each) => each.key !== key);
  const withheld = new Set(others.flatMap(({ record }) => record?.claims ?? []));
  // Whether one that tells no version is still the newest, nobody could say by then.
  const isTold = tellsVersion(item.record) || others.some((each) => isOne(item, each));
  return { withheld, waits: others.length > 0 && isTold };
}

/** Whether news shows that a restored server has got back whom it had lost. */
function isOne({ record }: PulledItem, made: Work): boolean {
  const [entry, local] = [entryIn(made), localIn(made)];
  return Boolean(entry?.lost && !entry.request && local && record && isBack(local, entry, record));
}

/** Items that mean whom a copy here turns out to be. */
export function ledToOne(items: readonly PulledItem[], { one, redirects }: Apart): readonly PulledItem[] {
  const to = redirects.get(one ?? "");
  if (one === undefined || to === undefined) return items;
  return items.map((item) => (item.keys ? { ...item, keys: ledTo(item.keys, one, to) } : item));
}

/** Makes a record that was lost one with a copy of it that was read as somebody else's, as soon as it has the news. */
export async function joiningPulled(
  store: Store,
  items: readonly PulledItem[],
  page: {
    readonly works: readonly (Work | null)[];
    readonly decided: readonly (Settled | null)[];
    readonly apart: Apart;
    readonly at: string;
  },
): Promise<{ readonly settled: readonly (Settled | null)[]; readonly others: readonly CommitParts[] }> {
  const { works, decided, apart, at } = page;
  const nth = items.findIndex(
    ({ key }, i) => key === apart.one && works[i]?.key === apart.redirects.get(key),
  );
  const [work, outcome] = [works[nth], decided[nth]];
  const known = work && knownHere(work);
  if (!work || !outcome || !known || outcome.entry?.base === null) return { settled: decided, others: [] };
  const told = { ...outcome, recordKey: apart.one };
  const { settled, others } = await joining(store, work, known, { settled: told, at });
  const outcomes = decided.map((each, i) => (i === nth ? { ...settled, recordKey: undefined } : each));
  return { settled: outcomes, others };
}

function knownHere(work: Work): { readonly entry: OutboxEntry; readonly local: JsonObject } | null {
  const [entry, local] = [entryIn(work), localIn(work)];
  return entry && local && { entry: { ...entry, left: false }, local };
}

/** Parts of a commit without what others of it write: that is of the same news. */
export function unlessWritten(parts: CommitParts, others: readonly CommitParts[]): CommitParts {
  const name = ({ collection, key }: { readonly collection: string; readonly key: string }) =>
    `${collection}/${key}`;
  const written = new Set(others.flatMap(({ put, remove }) => [...put, ...remove].map(name)));
  return {
    expect: parts.expect.filter((each) => each.kind === "free" || !written.has(name(each))),
    put: parts.put.filter((each) => !written.has(name(each))),
    remove: parts.remove.filter((each) => !written.has(name(each))),
  };
}
