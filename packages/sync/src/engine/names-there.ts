import {
  type JsonObject,
  printRaw,
  type ResourceType,
  type Store,
  type StoredReference,
  sameJson,
  type WrittenReference,
} from "@fieldroll/core";
import { askedItem } from "../device/locate.ts";
import { namingIn, strangersIn, type Told, whomThere } from "../device/naming.ts";
import { applyPage, fromNoFeed } from "../device/page.ts";
import { isUntold, loadWork, localIn, serverAlias, type Work } from "../device/work.ts";
import { isSamePerson, mayBeSame, mayPassOn, tellsVersion } from "../model/content.ts";
import { type Naming, namesWithin, strangersKey, type There, touchedIn, typeIn } from "../model/naming.ts";
import type { Api } from "../transport/api.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { Answered } from "./duplicate.ts";

/** What asking needs. */
interface Asking {
  readonly store: Store;
  readonly api: Api;
  /** UTC instant. */
  readonly at: string;
}

/** What kept something from being known. */
interface Failed {
  readonly kind: "failed";
  readonly detail: string;
}

/**
 * Whom the server's copy of a record means, where unsent work calls them otherwise, or somebody else so. A name that is in no feed yet, or
 * that an office can give to somebody else, is asked for: its key tells whose it is, and where the server tells none, what it says of who
 * that is. One that is nobody's here stays nobody's, and so does one that is nobody's there. The copy has to be the same after that.
 */
export async function namesThere(
  entry: Answered,
  theirs: JsonObject,
  context: Asking,
): Promise<{ readonly kind: "names"; readonly theirs: JsonObject; readonly there: There } | Failed> {
  const { store } = context;
  const [work] = await loadWork(store, [entry]);
  if (!work) return { kind: "names", theirs, there: { links: {}, people: [] } };
  const asked = await askedWho(context, work, { theirs, reference: entry.request.path.slice(1) });
  if (asked.kind === "failed") return asked;
  return { kind: "names", theirs, there: await whomThere(store, namingIn(work, theirs), asked.told) };
}

/** Those of the server's copy of a record of whom this device can't know who they are, as the server tells. */
export async function askedWho(
  context: Asking,
  work: Work,
  { theirs, reference }: { readonly theirs: JsonObject; readonly reference: WrittenReference },
): Promise<{ readonly kind: "told"; readonly told: readonly Told[] } | Failed> {
  const naming = namingIn(work, theirs);
  const strangers = await strangersIn(context.store, naming);
  const asked = await whoAre(context, naming, strangers);
  if (asked.kind === "failed" || strangers.length === 0) return asked;
  const again = await context.api.read(reference);
  const isSame = again.kind === "value" && sameJson(again.value, theirs);
  return isSame ? asked : { kind: "failed", detail: changing };
}

const changing = "The record was changed once more while it was looked at; it is looked at again later.";

/** Those of whom something was changed here come first: where they are who they were, the numbers of the others matter to nobody. */
async function whoAre(
  context: Asking,
  naming: Naming,
  strangers: readonly string[],
): Promise<{ readonly kind: "told"; readonly told: readonly Told[] } | Failed> {
  const { type, theirs, told, links } = naming;
  const touched = touchedIn(naming);
  const first = await askFor(
    context,
    naming,
    strangers.filter((name) => touched.has(name)),
  );
  if (first.kind === "failed") return first;
  const there = namesWithin(type, [theirs]);
  const isThere = (name: string) => there.has(name) && first.told.get(name)?.key === links[name];
  const areThere = [...touched].every((name) => !mayPassOn(name) || isThere(name));
  const known = namesWithin(type, told);
  const rest = strangers.filter((name) => !touched.has(name) && !(areThere && known.has(name)));
  const all = new Map(first.told);
  // Whose number another one there has by now may be anybody: also who has a number that is known.
  for (let next = rest; next.length > 0; ) {
    const more = await askFor(context, naming, next);
    if (more.kind === "failed") return more;
    for (const [name, one] of more.told) all.set(name, one);
    const asked = new Set([...touched, ...rest, ...all.keys(), ...next]);
    const met = new Set([...all].flatMap(([name, { key }]) => (links[name] === key ? [] : [key])));
    next = strangers.filter((name) => !asked.has(name) && met.has(links[name] ?? ""));
  }
  return { kind: "told", told: [...all.values()] };
}

async function askFor(
  { store, api, at }: Asking,
  naming: Naming,
  names: readonly string[],
): Promise<{ readonly kind: "told"; readonly told: ReadonlyMap<string, Told> } | Failed> {
  const told = new Map<string, Told>();
  for (const name of names) {
    const reply = await api.read(printRaw(name as StoredReference));
    if (reply.kind !== "value" && reply.kind !== "problem") return { kind: "failed", detail: reply.detail };
    if (reply.kind !== "value") continue;
    const type = typeIn(name);
    const key = await keyOf(store, name, { reply, naming });
    const { value: record, recordKey } = reply;
    told.set(name, { type, key, record });
    if (recordKey !== undefined) await bringUp(store, { type, key, record, name, recordKey }, at);
  }
  return { kind: "told", told };
}

/** What was asked for is news of those who are here: what they are called by now has to be known wherever they are named. */
async function bringUp(
  store: Store,
  { type, key, record, name, recordKey }: Told & { readonly name: string; readonly recordKey: string },
  at: string,
): Promise<void> {
  const [work] = await loadWork(store, [{ type, key }]);
  if (!work?.record || !tellsVersion(record)) return;
  const item = askedItem({ type, key }, printRaw(name as StoredReference), record);
  const known = isUntold(work.record) ? { askedBy: recordKey } : { key: recordKey, keyless: false };
  await applyPage(store, [{ ...item, ...known }], { ...fromNoFeed, restarting: false, at });
}

/** The key on this device of the one who has a name. */
async function keyOf(
  store: Store,
  name: string,
  {
    reply,
    naming: { links, whom },
  }: { readonly reply: Checked<JsonObject> & { readonly kind: "value" }; readonly naming: Naming },
): Promise<string> {
  const { recordKey, value } = reply;
  const type = typeIn(name);
  const [holder] = await store.resolve([recordKey === undefined ? name : serverAlias(recordKey)]);
  if (recordKey !== undefined) return holder?.key ?? recordKey;
  const keys = [...(holder ? [holder.key] : []), ...Object.values(links)];
  const people = await loadWork(
    store,
    keys.map((key) => ({ type, key })),
  );
  const same = people.find((work) => isSamePerson(localIn(work) ?? {}, value));
  if (same) return same.key;
  const forgotten = forgottenOne(type, { meant: links[name] ?? "", whom }, value);
  if (forgotten !== undefined) return forgotten;
  const known = holder && people[0] && localIn(people[0]);
  return known && mayBeSame(type, known, value) ? holder.key : strangersKey(name);
}

/** The key of one whom this device forgot while the work was put away, and has yet to read again. */
function forgottenOne(
  type: ResourceType,
  { meant, whom }: { readonly meant: string; readonly whom: Naming["whom"] },
  told: JsonObject,
): string | undefined {
  const same = Object.keys(whom).find((key) => isSamePerson(whom[key] ?? {}, told));
  if (same !== undefined) return same;
  const known = whom[meant];
  return known && mayBeSame(type, known, told) ? meant : undefined;
}
