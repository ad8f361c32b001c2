import { isJsonObject, type JsonObject, type Store } from "@fieldroll/core";
import { namesOf } from "../model/content.ts";
import { type Names, namesWithin, ownName, typeIn } from "../model/naming.ts";
import { entryIn, loadWork, localIn, meantIn, serverCopy, type Work } from "./work.ts";

/**
 * How a record calls those of this device who have other identifiers by now, or whose number another one has, with what they are called
 * now: by the server, or here where that has not got them.
 */
export async function newNames(store: Store, work: Work): Promise<Names> {
  const meant = Object.entries(meantIn(work)).map(([raw, key]) => ({ raw, type: typeIn(raw), key }));
  const people = (await loadWork(store, meant)).map((person) => ({ person, all: namesIn(person) }));
  const held = await toldHolders(store, [
    ...meant.map(({ raw }) => raw),
    ...people.flatMap(({ all }) => all),
  ]);
  const base = entryIn(work)?.base ?? null;
  const told = namesWithin(work.type, base ? [base] : []);
  const names = new Map<string, string>();
  meant.forEach(({ raw, type, key }, i) => {
    const { person, all = [] } = people[i] ?? {};
    const isAnothers = (name: string) => (held.get(name) ?? key) !== key;
    const local = person && localIn(person);
    // Nobody here knows what somebody is called who has left what this device keeps.
    if (!local && !told.has(raw) && isAnothers(raw)) names.set(raw, ownName(type, key));
    if (!local || (told.has(raw) && !isLater(serverCopy(person), base))) return;
    if (!isAnothers(raw) && [...all, ...namesOf(type, local)].includes(raw)) return;
    const name = all.find((each) => !isAnothers(each)) ?? ownName(type, key);
    if (name !== raw) names.set(raw, name);
  });
  return withoutKept(meant, names);
}

/** Nobody is given a name by which the record goes on calling somebody else: what is known here of one of the two is out of date. */
function withoutKept(meant: readonly { readonly raw: string; readonly key: string }[], names: Names): Names {
  const isKept = ({ raw }: { readonly raw: string }) => !names.has(raw);
  const kept = new Map(meant.filter(isKept).map(({ raw, key }) => [raw, key]));
  const given = meant.flatMap(({ raw, key }) => {
    const name = names.get(raw);
    if (name === undefined) return [];
    const free = (kept.get(name) ?? key) === key ? name : ownName(typeIn(raw), key);
    return free === raw ? [] : [[raw, free] as const];
  });
  return new Map(given);
}

/** Whether somebody was changed after the server's copy that refers to them: it has the names that they had then. */
function isLater(person: JsonObject | null, copy: JsonObject | null): boolean {
  const [one, other] = [person, copy].map((each) =>
    isJsonObject(each?.meta) ? each.meta.lastUpdated : undefined,
  );
  return !(Date.parse(String(one)) <= Date.parse(String(other)));
}

function namesIn(person: Work): readonly string[] {
  return namesOf(person.type, serverCopy(person) ?? localIn(person) ?? {});
}

/** Who has these names, by key, as far as the server told so: a number that was only typed in here proves nothing. */
export async function toldHolders(
  store: Store,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const holders = names.length > 0 ? await store.resolve(names) : [];
  const found = names.flatMap((name, i) => {
    const key = holders[i]?.key;
    return key === undefined ? [] : [{ name, type: typeIn(name), key }];
  });
  const works = await loadWork(store, found);
  return new Map(
    found.flatMap(({ name, type, key }, i) => {
      const copy = works[i] && serverCopy(works[i]);
      return copy && namesOf(type, copy).includes(name) ? [[name, key] as const] : [];
    }),
  );
}
