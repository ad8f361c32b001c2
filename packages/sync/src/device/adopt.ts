import {
  type DocumentKey,
  type Expectation,
  identifiersOf,
  type JsonObject,
  type Problem,
  type ResourceType,
  type Store,
} from "@fieldroll/core";
import { type Adopted, type Adopting, adopt } from "../model/adopt.ts";
import { namesOf, versionOf } from "../model/content.ts";
import type { OutboxEntry } from "../model/entry.ts";
import { namesWithin, typeIn } from "../model/naming.ts";
import { askedOfTwice, renamed } from "../model/renamed.ts";
import { type Choices, type Refused, refused } from "../model/resolve.ts";
import { commitParts, keptLinks, noParts, releaseClaims } from "./commit.ts";
import { collections, everyDocument } from "./documents.ts";
import { entryOf } from "./outbox.ts";
import { recordsRelinked } from "./relink.ts";
import {
  type CommitParts,
  entryIn,
  linksOf,
  loadWhole,
  loadWork,
  localIn,
  meantIn,
  serverAlias,
  settledParts,
  type Work,
} from "./work.ts";

const rounds = 20;

/** Copies with one of a record's identifiers that are looked at. */
const mostTwins = 10;

/** The record to be adopted, and who decides so. */
export interface Adoption extends Adopting {
  readonly type: ResourceType;
  readonly choices: Choices;
  /** What stands against it, if anything. */
  readonly check: (entry: OutboxEntry, work: Work) => Problem | null;
}

/**
 * Makes a duplicate the record that is registered already, with all that refers to it, in one commit. Where a copy of that record is
 * on this device, it is the one that stays.
 */
export async function adoptRecord(store: Store, adoption: Adoption): Promise<Adopted | Refused> {
  let released = noParts;
  for (let round = 0; round < rounds; round++) {
    const [work] = await loadWhole(store, [adoption]);
    const drafted = work ? await draft(store, work, adoption) : refused(kept);
    if (drafted.kind === "refused") return drafted;
    // A copy that a pull just brought has become the one that stays.
    const written = new Set(drafted.parts.flatMap((part) => part.put.map((document) => document.key)));
    const others = released.put.some((document) => written.has(document.key)) ? noParts : released;
    const failures = await commitParts(store, [...drafted.parts, others]);
    if (!failures) return drafted.adopted;
    released = await releaseClaims(store, failures);
  }
  return refused(kept);
}

const kept = "The record changed while it was being decided on; look at it again.";

async function draft(
  store: Store,
  work: Work,
  adoption: Adoption,
): Promise<
  Refused | { readonly kind: "drafted"; readonly adopted: Adopted; readonly parts: readonly CommitParts[] }
> {
  const [entry, local] = [entryIn(work), localIn(work)];
  if (!entry || !local) return refused(kept);
  const problem = adoption.check(entry, work);
  if (problem) return { kind: "refused", problem };
  const { theirs = null, recordKey } = entry.parked ?? {};
  const twin = (await twinOf(store, work, theirs)) ?? (await twinUnder(store, work, recordKey));
  if (twin && entryIn(twin)) {
    return refused("The other record has changes here that are not sent yet. Sync, or decide on them first.");
  }
  const adopted = adopt(entry, local, adoption.choices, { ...adoption, key: twin?.key ?? work.key });
  if (adopted.kind === "refused") return adopted;
  const parts = await adoptedParts(store, { work, twin, adopted, at: adoption.at });
  return { kind: "drafted", adopted, parts };
}

/** That copy, by the key that the server told with the other record: it may have got other identifiers since. */
async function twinUnder(
  store: Store,
  { type, key }: Work,
  recordKey: string | undefined,
): Promise<Work | undefined> {
  if (recordKey === undefined) return undefined;
  const [holder] = await store.resolve([serverAlias(recordKey)]);
  const [twin] = await loadWork(store, [{ type, key: holder?.key ?? recordKey }]);
  return twin?.record && twin.key !== key && entryIn(twin)?.base !== null ? twin : undefined;
}

/** A copy of the other record that this device has besides the one made here, which may have all its names by now. */
export async function twinOf(
  store: Store,
  { type, key }: Pick<Work, "type" | "key">,
  theirs: JsonObject | null,
  isIt: (twin: Work) => boolean = () => true,
): Promise<Work | undefined> {
  const anyOf = identifiersOf(theirs ?? {}).map(({ system, value }) => `${system}|${value}`);
  if (anyOf.length === 0) return undefined;
  const where = [{ index: "identity", anyOf }];
  const { documents } = await store.query({ collection: type, where, limit: mostTwins });
  const works = await loadWork(
    store,
    documents.map((document) => ({ type, key: document.key })),
  );
  return works.find((each) => each.key !== key && entryIn(each)?.base !== null && isIt(each));
}

async function adoptedParts(
  store: Store,
  { work, twin, adopted, at }: { work: Work; twin: Work | undefined; adopted: Adopted; at: string },
): Promise<readonly CommitParts[]> {
  const { entry, record, ended, theirs } = adopted;
  const { type } = work;
  const target = twin ?? work;
  const own = new Map(namesOf(type, record).map((name) => [name, target.key]));
  const shown = twin && localIn(twin);
  const local = !entry && shown && versionOf(shown) > versionOf(theirs) ? shown : record;
  const [links = {}] = await linksOf(store, [{ type, record: local }], own);
  const gone = twin ? [settledParts(work, { entry: null, local: null, ended }, { at, links: {} })] : [];
  const { recordKey } = entryIn(work)?.parked ?? {};
  const settled = { entry, local, ended: twin ? [] : ended, ...(!twin && { recordKey }) };
  const stays = settledParts(target, settled, { at, links });
  const follow = await followers(store, work, { names: namesOf(type, theirs), own, at });
  return [...gone, stays, ...follow, await ledToIt(store, recordKey, { key: target.key, follow })];
}

/**
 * Records that a feed told of, and that refer to the other one by the key that it has on the server, while this device had nobody under
 * that. Those with unsent work follow as they are.
 */
async function ledToIt(
  store: Store,
  recordKey: string | undefined,
  { key, follow }: { readonly key: string; readonly follow: readonly CommitParts[] },
): Promise<CommitParts> {
  if (recordKey === undefined || recordKey === key) return noParts;
  const written = new Set(follow.flatMap(({ put }) => put.map((document) => document.key)));
  const { expect, put } = await recordsRelinked(store, recordKey, key);
  const isLeft = (document: DocumentKey) => !written.has(document.key);
  const isOfLeft = (each: Expectation) => each.kind === "free" || isLeft(each);
  return { expect: expect.filter(isOfLeft), put: put.filter(isLeft), remove: [] };
}

/** Unsent work that refers to the record made here refers to the other one. */
export async function followers(
  store: Store,
  { type, key }: Work,
  { names, own, at }: { names: readonly string[]; own: ReadonlyMap<string, string>; at: string },
): Promise<readonly CommitParts[]> {
  const concerned: OutboxEntry[] = [];
  for await (const document of everyDocument(store, { collection: collections.outbox })) {
    const entry = entryOf(document);
    const { needs, meant = {} } = entry;
    const mayRefer = needs.some((need) => typeIn(need) === type) || Object.values(meant).includes(key);
    if (mayRefer) concerned.push(entry);
  }
  const works = await loadWork(store, concerned);
  return Promise.all(
    works.map(async (work) => {
      const [known, shown] = [entryIn(work), localIn(work)];
      // By whichever name: one that it had to give up since still leads to it.
      const led = Object.entries(meantIn(work)).flatMap(([raw, to]) =>
        to === key && typeIn(raw) === type ? raw : [],
      );
      if (!known || !shown || led.length === 0) return noParts;
      // Whom the other side lists too is one with it, by the name that it has there.
      const held = namesWithin(work.type, [shown]);
      const listed = names.find((raw) => held.has(raw) && !led.includes(raw));
      const lost = listed ? led : led.filter((raw) => !own.has(raw));
      const name = listed ?? names[0] ?? "";
      const called = renamed(known, shown, new Map(lost.map((raw) => [raw, name])));
      const meant = { ...called.entry.meant, ...Object.fromEntries(own) };
      const { entry, local } = askedOfTwice({ ...called, entry: { ...called.entry, meant } }, at);
      const links = await keptLinks(store, work, { entry, local }, own);
      return settledParts(work, { entry, local, ended: [] }, { at, links });
    }),
  );
}
