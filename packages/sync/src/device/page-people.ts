import { type Links, type Store, storedRecord } from "@fieldroll/core";
import { mayPassOn, namesOf } from "../model/content.ts";
import { type Naming, namesWithin, type There, typeIn } from "../model/naming.ts";
import type { Settled } from "../model/settled.ts";
import { meantLinks } from "./commit.ts";
import type { PulledItem } from "./locate.ts";
import { namingIn, strangersIn, type Told, whomThere } from "./naming.ts";
import { hasUnsent } from "./outbox.ts";
import type { PageOptions } from "./page.ts";
import { toldHolders } from "./renames.ts";
import { entryIn, formerNames, isUntold, linksOf, loadWork, serverAlias, type Work } from "./work.ts";

/** Items with the keys by which this device knows those whom their records refer to: one that was made here has another than on the server. */
export async function ledHere(store: Store, items: readonly PulledItem[]): Promise<readonly PulledItem[]> {
  const told = [...new Set(items.flatMap(({ keys = {} }) => Object.values(keys)))];
  const holders = told.length > 0 ? await store.resolve(told.map(serverAlias)) : [];
  const here = new Map(told.map((key, i) => [key, holders[i]?.key ?? key]));
  const led = (keys: Links) =>
    Object.fromEntries(Object.entries(keys).map(([raw, key]) => [raw, here.get(key) ?? key]));
  return items.map((item) => (item.keys ? { ...item, keys: led(item.keys) } : item));
}

/**
 * Whom each item's record means, where unsent work, or what was accepted of it, may call them otherwise; `null` where that may be told later
 * in the same pull, or only an answer to that work can tell it, and the item waits till then.
 */
export async function pageNames(
  store: Store,
  items: readonly PulledItem[],
  { works, options }: { readonly works: readonly (Work | null)[]; readonly options: PageOptions },
): Promise<readonly (There | null)[]> {
  const hasWork = (work: Work | null | undefined) => work?.outbox || work?.accepted;
  if (!works.some(hasWork)) return items.map(() => nobodyThere);
  const fresh = items.flatMap(({ type, record }, i): readonly Told[] => {
    const work = works[i];
    return work && record && !isUnsent(work) ? [{ type, key: work.key, record }] : [];
  });
  const { told } = options;
  const concerning = told ? () => told : byAnyName(fresh, works);
  return Promise.all(
    items.map(async ({ record, keys = {} }, i) => {
      const work = works[i];
      if (!record || !work || !hasWork(work)) return nobodyThere;
      const naming = namingIn(work, record);
      const concerned = concerning(naming);
      const mayWait = told === undefined && !options.restarting && !isUnsent(work);
      const unknown = mayWait ? await strangersIn(store, naming, concerned) : [];
      const strangers = unknown.filter((name) => keys[name] === undefined);
      const waits = options.feed === "" ? await areUntold(store, strangers) : strangers.length > 0;
      if (waits) return null;
      const there = await whomThere(store, naming, concerned);
      return { ...there, links: { ...there.links, ...keys } };
    }),
  );
}

/** Finds those of the told whom copies of a record mean, or may mean, by each name that one of them has, had or is found by. */
function byAnyName(
  fresh: readonly Told[],
  works: readonly (Work | null)[],
): (naming: Naming) => readonly Told[] {
  const known = new Map(works.flatMap((work) => (work?.record ? [[work.key, work.record] as const] : [])));
  const named = new Map<string, Told[]>();
  for (const told of fresh) {
    const record = known.get(told.key);
    const here = record ? [...namesOf(told.type, storedRecord(record).record), ...formerNames(record)] : [];
    const names = [told.key, ...namesOf(told.type, told.record), ...here, ...(record?.claims ?? [])];
    for (const name of new Set(names)) named.set(name, [...(named.get(name) ?? []), told]);
  }
  return (naming) => {
    const { type, theirs, told, entered, links } = naming;
    const names = namesWithin(type, [theirs, ...told, ...entered]);
    const all = [...names, ...Object.entries(links).flat()];
    return [...new Set(all.flatMap((name) => named.get(name) ?? []))];
  };
}

const nobodyThere: There = { links: {}, people: [] };

/** Whether no feed tells of one whose number an office can give to somebody else. */
async function areUntold(store: Store, names: readonly string[]): Promise<boolean> {
  const numbers = names.filter(mayPassOn);
  const holders = numbers.length > 0 ? await store.resolve(numbers) : [];
  const found = await loadWork(
    store,
    holders.flatMap((holder, i) => (holder ? [{ type: typeIn(numbers[i] ?? ""), key: holder.key }] : [])),
  );
  return found.length < numbers.length || found.some(({ record }) => record && isUntold(record));
}

function isUnsent(work: Work): boolean {
  return entryIn(work)?.base === null;
}

/** Where the references of the items' records lead. */
export async function pageLinks(
  store: Store,
  items: readonly PulledItem[],
  {
    works,
    settled,
  }: { readonly works: readonly (Work | null)[]; readonly settled: readonly (Settled | null)[] },
): Promise<readonly Links[]> {
  const records = items.map(({ type }, i) => ({ type, record: settled[i]?.local ?? {} }));
  const own = new Map(
    items.flatMap(({ type, record }, i) => {
      const { key } = works[i] ?? {};
      return record && key !== undefined ? namesOf(type, record).map((name) => [name, key] as const) : [];
    }),
  );
  const told = new Set(own.values());
  const all = await linksOf(store, records, own);
  const unsure = new Set(
    all.flatMap((links, i) =>
      Object.keys(links).filter((name) => !own.has(name) && !items[i]?.keys?.[name] && mayPassOn(name)),
    ),
  );
  // Without unsent work nothing is only typed in.
  const mayBeTypedIn = unsure.size > 0 && (await hasUnsent(store));
  const holders = mayBeTypedIn ? await toldHolders(store, [...unsure]) : null;
  // Nor has whoever is told of here by other names this one any more.
  const isHolder = ([name, key]: readonly [string, string]) =>
    (!told.has(key) || own.get(name) === key) &&
    (holders === null || !unsure.has(name) || holders.get(name) === key);
  return all.map((links, i) => {
    const [work, outcome, { type = "Group", keys = {} } = {}] = [works[i], settled[i], items[i]];
    const names = namesWithin(type, [outcome?.local ?? {}]);
    const given = Object.entries(keys).filter(([name]) => names.has(name));
    const found = Object.fromEntries([...Object.entries(links).filter(isHolder), ...given]);
    return work && outcome?.entry ? meantLinks(work, outcome, found) : found;
  });
}
