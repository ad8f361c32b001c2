import {
  type JsonObject,
  type Links,
  type ResourceType,
  type Store,
  sameJson,
  storedRecord,
} from "@fieldroll/core";
import { namesOf } from "../model/content.ts";
import { type Called, type Names, type Naming, namesAs, namesWithin } from "../model/naming.ts";
import { acceptedIn } from "./accepted.ts";
import { typeIn } from "./renames.ts";
import { entryIn, formerNames, loadWork, localIn, type Work } from "./work.ts";

/** What the server has just told of a record that is not written yet. */
export interface Told {
  readonly type: ResourceType;
  /** On this device. */
  readonly key: string;
  /** The raw references by which it goes. */
  readonly names: readonly string[];
}

/** A record's copies that news of it, or an answer, is merged with. */
export function namingIn(
  work: Work,
  theirs: JsonObject,
  entry = entryIn(work),
  local = localIn(work) ?? {},
): Naming {
  const { type, record } = work;
  const accepted = acceptedIn(work).flatMap(({ before, after }) => [before ?? {}, after]);
  const { base = null, request, earlier } = entry ?? {};
  const sent = [request, earlier].flatMap((each) => (each ? [each.sent] : [])).concat(earlier?.later ?? []);
  const links = { ...entry?.meant, ...(record && storedRecord(record).links) };
  return {
    ...{ type, theirs, links },
    told: [...accepted, ...(entry ? [base ?? {}] : [local])],
    entered: entry ? [local, ...sent] : [],
  };
}

/** How copies call those whom the server's copy calls otherwise: see {@link namesAs}. */
export async function namesFor(store: Store, naming: Naming, fresh: readonly Told[] = []): Promise<Names> {
  const { type, theirs, told, entered, links } = naming;
  const there = namesWithin(type, [theirs]);
  const copies = [...told, ...entered].map((copy) => namesWithin(type, [copy]));
  const here = new Set(copies.flatMap((copy) => [...copy]));
  if ([...here].every((name) => there.has(name))) return new Map();
  // Who is in every copy by one name goes by it.
  const isOdd = (name: string) => ![there, ...copies].every((copy) => copy.has(name));
  const odd = Object.fromEntries(Object.entries(links).filter(([name]) => isOdd(name)));
  return namesAs(
    naming,
    await peopleCalled(store, [...new Set([...there, ...here])].filter(isOdd), { fresh, links: odd }),
  );
}

async function peopleCalled(
  store: Store,
  names: readonly string[],
  { fresh = [], links }: { readonly fresh?: readonly Told[]; readonly links: Links },
): Promise<readonly Called[]> {
  const holders = await store.resolve(names);
  const linked = Object.entries(links).map(([name, key]) => ({ type: typeIn(name), key }));
  const targets = new Map([...fresh, ...linked].map(({ type, key }) => [key, { type, key }]));
  names.forEach((name, i) => {
    const key = holders[i]?.key;
    if (key !== undefined) targets.set(key, { type: typeIn(name), key });
  });
  const works = await loadWork(store, [...targets.values()]);
  return works.map(({ type, key, record }) => {
    const held = record ? namesOf(type, storedRecord(record).record) : [];
    const now = fresh.find((each) => each.key === key)?.names ?? held;
    const meant = Object.keys(links).filter((name) => links[name] === key);
    const former = [...(record ? formerNames(record) : []), ...held, ...meant];
    return { key, now, former: former.filter((name) => !now.includes(name)) };
  });
}

/**
 * Those whom the server's copy names, and nobody here goes by that name, while somebody whom the device knows there, or put there, is
 * missing: they may be the same. None where our work leaves the place as it was.
 */
export async function strangersIn(
  store: Store,
  naming: Naming,
  fresh: readonly Told[] = [],
): Promise<readonly string[]> {
  const { type, theirs, told, entered } = naming;
  const [there, here] = [namesWithin(type, [theirs]), namesWithin(type, told)];
  const all = namesWithin(type, [...told, ...entered]);
  if ([...all].every((name) => there.has(name))) return [];
  const isTouched = entered.some((copy) =>
    told.some((each) => !sameJson(each.member ?? [], copy.member ?? [])),
  );
  const news = [...there].filter(
    (name) => !here.has(name) && !fresh.some(({ names }) => names.includes(name)),
  );
  if (!isTouched || news.length === 0) return [];
  const holders = await store.resolve(news);
  return news.filter((_, i) => !holders[i]);
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
  return peopleCalled(store, [...namesWithin(type, [seen, record])], { links });
}
