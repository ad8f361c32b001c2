import { type JsonObject, type Links, type ResourceType, type Store, storedRecord } from "@fieldroll/core";
import type { Accepted } from "../model/accepted.ts";
import { isSamePerson, mayPassOn, namesOf } from "../model/content.ts";
import { acceptedNamed } from "../model/in-names.ts";
import {
  type Called,
  type Naming,
  namesAs,
  namesWithin,
  namingOf,
  type There,
  touchedIn,
  typeIn,
} from "../model/naming.ts";
import { acceptedIn } from "./accepted.ts";
import { isFedHere } from "./feed-state.ts";
import { entryIn, formerNames, loadWork, localIn, meantIn, serverCopy, toldKey, type Work } from "./work.ts";

/** What the server has just told of a record that is not written yet. */
export interface Told {
  readonly type: ResourceType;
  /** On this device. */
  readonly key: string;
  readonly record: JsonObject;
}

/** A record's copies that news of it, or an answer, is merged with. */
export function namingIn(work: Work, theirs: JsonObject): Naming {
  return namingOf(work.type, theirs, {
    entry: entryIn(work),
    local: localIn(work),
    accepted: acceptedIn(work),
    links: meantIn(work),
  });
}

/** What was accepted of a record in the names of a copy of it. @param how.links whom all that means */
export async function acceptedAs(
  store: Store,
  { type, accepted, links }: Pick<Naming, "type" | "links"> & { readonly accepted: readonly Accepted[] },
  theirs: JsonObject,
): Promise<readonly Accepted[]> {
  const naming = namingOf(type, theirs, { entry: null, local: null, accepted, links });
  return acceptedNamed(type, accepted, namesAs(naming, await whomThere(store, naming)));
}

/** Whom the server's copy means, as far as this device knows, or was told just now. */
export async function whomThere(store: Store, naming: Naming, fresh: readonly Told[] = []): Promise<There> {
  const { type, theirs, told, entered, links, whom } = naming;
  const there = [...namesWithin(type, [theirs])];
  const all = [...new Set([...there, ...namesWithin(type, [...told, ...entered])])];
  const { people, holders } = await peopleCalled(store, all, { fresh, links, whom });
  const found = there.flatMap((name) => {
    const key = holders.get(name);
    return key === undefined ? [] : [[name, key] as const];
  });
  const again = metAgain(found, { people, links });
  const others = again.length > 0 ? await othersByKey(store, again, fresh) : [];
  const same = again.filter((each) => !others.includes(each)).map(({ name, same }) => [name, same] as const);
  return { people, links: Object.fromEntries([...found, ...same]) };
}

/** A name by which somebody goes there whom nobody here was called before, and who here says the same of who that is. */
interface Again {
  readonly name: string;
  /** On this device. */
  readonly key: string;
  readonly same: string;
}

/**
 * Names of those whom nobody here was called before, while one who was goes by none there, and the two say the same of who they are: a
 * server that tells no keys calls one person so after the other.
 */
function metAgain(
  there: readonly (readonly [name: string, key: string])[],
  { people, links }: There,
): readonly Again[] {
  const present = new Set(there.map(([, key]) => key));
  const missing = people.filter(({ key }) => Object.values(links).includes(key) && !present.has(key));
  const newcomers = there.filter(([, key]) => !Object.values(links).includes(key));
  return newcomers.flatMap(([name, key]) => {
    const newcomer = people.find((each) => each.key === key);
    const same = missing.find(({ who }) => isSamePerson(who, newcomer?.who));
    return same ? [{ name, key, same: same.key }] : [];
  });
}

/** Those of whom the server has told two keys: they are two, whatever it says of them. */
async function othersByKey(
  store: Store,
  again: readonly Again[],
  fresh: readonly Told[],
): Promise<readonly Again[]> {
  if (!(await isFedHere(store))) return [];
  const pairs = again.flatMap(({ name, ...keys }) =>
    [keys.key, keys.same].map((key) => ({ type: typeIn(name), key })),
  );
  const works = new Map((await loadWork(store, pairs)).map((work) => [work.key, work]));
  const keyOf = (key: string) => {
    const work = works.get(key);
    return (work && toldKey(work)) ?? fresh.find((each) => each.key === key)?.key;
  };
  return again.filter(({ key, same }) => {
    const [one, other] = [keyOf(key), keyOf(same)];
    return one !== undefined && other !== undefined && one !== other;
  });
}

/** Those who go by these names, or did, or are linked by them; and who of them the server calls so. */
async function peopleCalled(
  store: Store,
  names: readonly string[],
  {
    fresh = [],
    links,
    whom = {},
  }: { readonly fresh?: readonly Told[]; readonly links: Links; readonly whom?: Naming["whom"] },
) {
  const found = names.length > 0 ? await store.resolve(names) : [];
  const linked = Object.entries(links).map(([name, key]) => ({ type: typeIn(name), key }));
  const targets = new Map([...fresh, ...linked].map(({ type, key }) => [key, { type, key }]));
  names.forEach((name, i) => {
    const key = found[i]?.key;
    if (key !== undefined) targets.set(key, { type: typeIn(name), key });
  });
  const works = await loadWork(store, [...targets.values()]);
  const toldOf = (work: Work) => fresh.find(({ key }) => key === work.key)?.record;
  const people = works.map((work): Called => {
    const { type, key, record } = work;
    const held = record ? namesOf(type, storedRecord(record).record) : [];
    const told = toldOf(work);
    const now = told ? namesOf(type, told) : held;
    const meant = Object.keys(links).filter((name) => links[name] === key);
    const former = [...(record ? formerNames(record) : []), ...held, ...meant];
    const who = told ?? localIn(work) ?? whom[key] ?? {};
    return { key, now, former: former.filter((name) => !now.includes(name)), who };
  });
  const holders = new Map<string, string>();
  for (const [i, name] of names.entries()) {
    const isCalled = (work: Work, copy: JsonObject | null | undefined) =>
      copy != null && namesOf(work.type, copy).includes(name);
    // A number that was only typed in here proves nothing.
    const holder =
      works.find((work) => isCalled(work, toldOf(work))) ??
      works.find((work) => work.key === found[i]?.key && !toldOf(work) && isCalled(work, serverCopy(work)));
    if (holder) holders.set(name, holder.key);
  }
  return { people, holders };
}

/**
 * Those of the server's copy of whom this device can't know who they are: nobody here goes by that name while somebody whom the device
 * knows there, or put there, is missing; or an office can give their number away, and what was changed here is said of such ones. None
 * where our work leaves the place as it was.
 */
export async function strangersIn(
  store: Store,
  naming: Naming,
  fresh: readonly Told[] = [],
): Promise<readonly string[]> {
  const { type, theirs, told, entered } = naming;
  const touched = touchedIn(naming);
  if (touched.size === 0) return [];
  const [there, here] = [namesWithin(type, [theirs]), namesWithin(type, told)];
  const isMoved = [...touched].some(mayPassOn);
  const all = namesWithin(type, [...told, ...entered]);
  const isMissing = [...all].some((name) => !there.has(name));
  const news = [...there].filter(
    (name) => !here.has(name) && !fresh.some((each) => namesOf(each.type, each.record).includes(name)),
  );
  const holders = isMissing && news.length > 0 ? await store.resolve(news) : [];
  const unknown = isMissing ? news.filter((_, i) => !holders[i]) : [];
  return [...there].filter((name) => unknown.includes(name) || (isMoved && mayPassOn(name)));
}

/** Those whom a record refers to, and whom a copy of it that was shown before does. */
export async function peopleSince(
  store: Store,
  name: Pick<Told, "type" | "key">,
  seen: JsonObject,
): Promise<readonly Called[]> {
  const { type } = name;
  if (namesWithin(type, [seen]).size === 0) return [];
  const [work] = await loadWork(store, [name]);
  if (!work?.record) return [];
  const { record, links } = storedRecord(work.record);
  return (await peopleCalled(store, [...namesWithin(type, [seen, record])], { links })).people;
}
