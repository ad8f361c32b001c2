import { referencesOf, type Store } from "@fieldroll/core";
import { mayPassOn } from "../model/content.ts";
import { namesGivenUp, oldestEdit, photoIn } from "../model/edits.ts";
import { entryState, nameIn } from "../model/entry.ts";
import type { EntrySummary } from "../model/plan.ts";
import { collections, everyDocument } from "./documents.ts";
import { entryOf } from "./outbox.ts";
import { newNames } from "./renames.ts";
import { entryIn, loadWork } from "./work.ts";

/** What planning needs of every entry; the entries themselves are not kept in memory. */
export async function summaries(store: Store): Promise<readonly EntrySummary[]> {
  const found: EntrySummary[] = [];
  const givenUp = new Set<string>();
  const doubles = new Map<string, string>();
  for await (const document of everyDocument(store, { collection: collections.outbox })) {
    const entry = entryOf(document);
    const { type, request, attempts, nextAttemptAt, provides, releases = [] } = entry;
    // What was frozen for a file is sent as it was, whoever was taken out since.
    const frozen = request ? referencesOf(type, request.sent).map(({ reference }) => reference) : [];
    const needs = [...new Set([...entry.needs, ...frozen])];
    const since = oldestEdit(entry);
    const known = new Set<string>(
      entry.base && referencesOf(type, entry.base).map(({ reference }) => reference),
    );
    for (const name of namesGivenUp(entry)) givenUp.add(name);
    const isDouble = entry.base === null && entry.parked?.reason === "duplicate";
    for (const name of isDouble ? provides : []) doubles.set(name, entry.key);
    found.push({
      id: document.key,
      state: entryState(entry),
      attempts,
      nextAttemptAt,
      since,
      provides,
      releases,
      needs,
      introduces: needs.filter((name) => !known.has(name) && mayPassOn(name)),
      isUncompared: entry.epoch !== undefined,
      ...photoIn(entry),
    });
  }
  const known = doubles.size === 0 ? found : await meaningOthers(store, found, doubles);
  return givenUp.size === 0 ? known : followed(store, known, givenUp);
}

/** What means whoever is registered under a number does not need one made here that waits with the same. */
async function meaningOthers(
  store: Store,
  found: readonly EntrySummary[],
  doubles: ReadonlyMap<string, string>,
): Promise<readonly EntrySummary[]> {
  const concerned = found.filter(({ needs }) => needs.some((name) => doubles.has(name)));
  const works = await loadWork(
    store,
    concerned.map(({ id }) => nameIn(id)),
  );
  const meant = new Map(concerned.map(({ id }, i) => [id, works[i] && entryIn(works[i])?.meant]));
  return found.map((each) => {
    const led = meant.get(each.id);
    const isMade = (name: string) =>
      !doubles.has(name) || [undefined, doubles.get(name)].includes(led?.[name]);
    return led ? { ...each, needs: each.needs.filter(isMade) } : each;
  });
}

/** What refers to a record by a name that it had before it was ever sent needs it by the name that it has now. */
async function followed(
  store: Store,
  found: readonly EntrySummary[],
  givenUp: ReadonlySet<string>,
): Promise<readonly EntrySummary[]> {
  const concerned = found.filter(({ needs }) => needs.some((name) => givenUp.has(name)));
  const works = await loadWork(
    store,
    concerned.map(({ id }) => nameIn(id)),
  );
  const names = await Promise.all(works.map((work) => newNames(store, work)));
  const now = new Map(concerned.map(({ id }, i) => [id, names[i]]));
  return found.map((each) => {
    const called = now.get(each.id);
    if (!called) return each;
    const named = (names: readonly string[] = []) => names.map((name) => called.get(name) ?? name);
    return { ...each, needs: named(each.needs), introduces: named(each.introduces) };
  });
}
