import {
  type Commit,
  type Document,
  type Failure,
  type JsonObject,
  type Links,
  type ResourceType,
  referencesOf,
  type Store,
  type StoredDocument,
  storedRecord,
} from "@fieldroll/core";
import type { Accepted } from "../model/accepted.ts";
import { mayPassOn, namesOf } from "../model/content.ts";
import { entryState, type OutboxEntry } from "../model/entry.ts";
import { entryAs } from "../model/in-names.ts";
import { lawful } from "../model/machine.ts";
import { namesWithin, typeIn } from "../model/naming.ts";
import { renamed } from "../model/renamed.ts";
import type { Settled } from "../model/settled.ts";
import { acceptedIn } from "./accepted.ts";
import { joining } from "./join.ts";
import { leaving } from "./leaving.ts";
import { namingIn, whomThere } from "./naming.ts";
import { newNames, toldHolders } from "./renames.ts";
import {
  addressed,
  type CommitParts,
  entryIn,
  keysOfDeparted,
  linksOf,
  loadWhole,
  loadWork,
  localIn,
  settledParts,
  toldKey,
  type Work,
} from "./work.ts";

/** How often a decision is made again because something it stood on changed. */
const rounds = 50;

/**
 * Reads a record with its work, decides, and commits the decision if nothing changed meanwhile; else again.
 *
 * @param decide pure; `null` leaves everything as it is
 * @param along what else happens in the same commit
 * @returns what was decided last, or `null`
 */
export async function settleWork(
  store: Store,
  name: { readonly type: ResourceType; readonly key: string; readonly at: string },
  decide: (known: Known, work: Work) => Settled | null,
  along: (work: Work) => Promise<readonly CommitParts[]> = async () => [],
): Promise<Settled | null> {
  const { type, key, at } = name;
  let released: CommitParts = noParts;
  const withheld = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const [work] = await loadWhole(store, [name]);
    const known = work && (await knownIn(store, work));
    const decided = known && decide(known, work);
    if (!decided) return null;
    const { settled: joined, others, ...told } = await joining(store, work, known, { settled: decided, at });
    const settled = lawful(
      known.entry,
      await leaving(store, work, { entry: known.entry, settled: joined }),
      at,
    );
    const links = await keptLinks(store, work, settled);
    const parts = withholding(settledParts(work, settled, { at, links, ...told }), withheld);
    const failures = await commitParts(store, [parts, ...others, ...(await along(work)), released]);
    if (!failures) return settled;
    const ours = await claimsToWithhold(store, failures, work);
    for (const claim of ours) withheld.add(claim);
    released = await releaseClaims(store, failures, ours);
  }
  throw new Error(`${type} ${key} kept changing while its work was being settled; it is tried again later.`);
}

/** A record with its unsent work. */
export interface Known {
  readonly entry: OutboxEntry;
  readonly local: JsonObject;
  /** Its key on the server, where that is certain. */
  readonly recordKey?: string | undefined;
  /** What was accepted of it before. */
  readonly accepted?: readonly Accepted[];
  /** The server's keys of those whom it names anew, by raw reference, where an office can give that to others. */
  readonly keys?: Links;
}

/** A record with its unsent work as a decision about them sees them; `null` where there is nothing to decide. */
export async function knownIn(store: Store, work: Work): Promise<Known | null> {
  const [entry, local] = [entryIn(work), localIn(work)];
  if (!entry || !local) return null;
  const accepted = acceptedIn(work);
  if (entryState(entry) === "sending") {
    const { incoming } = entry;
    if (incoming?.kind !== "upsert") return { entry, local, accepted };
    const { people, links } = await whomThere(store, namingIn(work, incoming.record));
    const there = { people, links: { ...links, ...entry.meant } };
    return { ...entryAs({ entry, local, accepted }, incoming.record, there), accepted };
  }
  const known = renamed(entry, local, await newNames(store, work));
  return { ...known, recordKey: toldKey(work), accepted, keys: await newKeys(store, known) };
}

async function newKeys(store: Store, { entry, local }: Pick<Known, "entry" | "local">): Promise<Links> {
  const { type, base, meant = {} } = entry;
  const [told, held] = [namesWithin(type, base ? [base] : []), namesWithin(type, [local])];
  const isNew = ([name]: readonly [string, string]) => held.has(name) && !told.has(name) && mayPassOn(name);
  const anew = Object.entries(meant).filter(isNew);
  const works = await loadWork(
    store,
    anew.map(([name, key]) => ({ type: typeIn(name), key })),
  );
  // Of those who have left what this device keeps, the keys that the server told are left.
  const departed = await keysOfDeparted(
    store,
    anew.map(([, key]) => key),
  );
  return Object.fromEntries(
    anew.flatMap(([name, meantKey], i) => {
      const work = works[i];
      const key = work?.record || work?.outbox ? toldKey(work) : departed.get(meantKey);
      return key === undefined ? [] : [[name, key] as const];
    }),
  );
}

/** A record with its unsent work once a decision is committed; `null` where nothing is left of either. */
export function knownAfter({ entry, local }: Settled): Known | null {
  return entry && local ? { entry, local } : null;
}

/**
 * Where a record's references lead. Unsent work goes on meaning whom it meant; all else means whoever has the name. One that leads
 * nowhere any more still means whom it meant.
 */
export async function keptLinks(
  store: Store,
  work: Work,
  settled: Pick<Settled, "entry" | "local">,
  own?: ReadonlyMap<string, string>,
): Promise<Links> {
  const { type } = work;
  const { entry, local } = settled;
  const [found = {}] = local ? await linksOf(store, [{ type, record: local }], own) : [];
  const told = namesWithin(type, entry?.base ? [entry.base] : []);
  const unsure = Object.keys(found).filter((name) => told.has(name) && entry?.meant?.[name] === undefined);
  const certain = await toldHolders(store, unsure);
  const links = Object.entries(found).filter(
    ([name, key]) => !unsure.includes(name) || certain.get(name) === key,
  );
  return { ...meantLinks(work, settled, Object.fromEntries(links)), ...ownLinks(found, own) };
}

function ownLinks(found: Links, own: ReadonlyMap<string, string> = new Map()): Links {
  return Object.fromEntries(Object.entries(found).filter(([reference]) => own.has(reference)));
}

/** @param found where the record's references lead by the names of today */
export function meantLinks(
  { type, record }: Work,
  { entry, local }: Pick<Settled, "entry" | "local">,
  found: Links,
): Links {
  if (!local) return {};
  const before = record ? storedRecord(record).links : {};
  const meant: Links = { ...before, ...entry?.meant };
  const raw = referencesOf(type, local).map(({ reference }) => reference);
  return Object.fromEntries(
    raw.flatMap((each) => {
      const key = entry ? (meant[each] ?? found[each]) : (found[each] ?? meant[each]);
      return key === undefined ? [] : [[each, key] as const];
    }),
  );
}

/**
 * Claims that a record does without although its content names them: those of a record made here that the server has not
 * got, which would be found under no name at all, and those that it had to give up before.
 */
async function claimsToWithhold(
  store: Store,
  failures: readonly Failure[],
  { type, record }: Work,
): Promise<ReadonlySet<string>> {
  const taken = failures.flatMap((failure) => (failure.kind === "claim-taken" ? [failure] : []));
  const holders = await loadWork(
    store,
    taken.map(({ holder }) => ({ type, key: holder.key })),
  );
  const named = record ? namesOf(type, storedRecord(record).record) : [];
  const given = new Set(named.filter((name) => !record?.claims.includes(name)));
  const ours = taken.filter(({ claim }, i) => {
    const holder = holders[i];
    return given.has(claim) || (holder && entryIn(holder)?.base === null);
  });
  return new Set(ours.map(({ claim }) => claim));
}

/** Parts of a commit without claims that their records leave to others. */
export function withholding(parts: CommitParts, withheld: ReadonlySet<string>): CommitParts {
  if (withheld.size === 0) return parts;
  return { ...parts, put: parts.put.map((document) => addressed(document, withheld)) };
}

/** A commit's part that does nothing. */
export const noParts: CommitParts = { expect: [], put: [], remove: [] };

/** Commits parts together. @returns what stood in the way, or `undefined` */
export async function commitParts(
  store: Store,
  parts: readonly CommitParts[],
  options: Pick<Commit, "durability"> = {},
): Promise<readonly Failure[] | undefined> {
  const put = parts.flatMap((part) => part.put);
  const remove = parts.flatMap((part) => part.remove);
  if (put.length === 0 && remove.length === 0) return undefined;
  const result = await store.commit({
    expect: parts.flatMap((part) => part.expect),
    put,
    remove,
    ...options,
  });
  return result.ok ? undefined : result.failures;
}

/**
 * The server decides who has an identifier. Where another record here still claims one, that copy is out of date: it lets go
 * of the claim, and keeps its content until its own news arrives.
 */
export async function releaseClaims(
  store: Store,
  failures: readonly Failure[],
  except: ReadonlySet<string> = new Set(),
): Promise<CommitParts> {
  const taken = failures.flatMap((failure) =>
    failure.kind === "claim-taken" && !except.has(failure.claim) ? [failure] : [],
  );
  const keys = new Map(taken.map(({ holder }) => [`${holder.collection}/${holder.key}`, holder]));
  const holders = keys.size > 0 ? await store.get([...keys.values()]) : [];
  const found = holders.flatMap((holder) => (holder ? [holder] : []));
  const claims = new Set(taken.map(({ claim }) => claim));
  return {
    expect: found.map(({ collection, key, version }) => ({ kind: "version", collection, key, version })),
    put: found.map((holder) => without(holder, claims)),
    remove: [],
  };
}

function without(holder: StoredDocument, claims: ReadonlySet<string>): Document {
  return addressed({ ...holder, version: holder.version + 1 }, claims);
}
