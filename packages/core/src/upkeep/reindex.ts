import { type Settings, settingsOf } from "../registry/settings.ts";
import { forgetEpoch } from "../registry/system-documents.ts";
import type { Failure, Store, StoreCensus, StoredDocument, StoreFault } from "../store/port.ts";
import { joinedKey } from "../store/rules.ts";
import { declaredFaults } from "./compare.ts";
import { readable } from "./examine.ts";
import { findingOf, storeFinding } from "./finding.ts";
import { declaredIn, type KeptKind } from "./kept-kind.ts";
import { keptKinds } from "./kept-kinds.ts";
import { documentPages } from "./pages.ts";
import { loadTargets } from "./targets.ts";
import { isDamage, refuseWrongUpkeep, type UpkeepConfig, type Watch } from "./verify.ts";

/** What was done. */
export interface Reindexed {
  readonly documents: number;
  /** Documents that declared something else than their bodies give. */
  readonly mended: number;
  /** Claims that another document has a right to as well: these are told, and left for a person to decide. */
  readonly conflicts: number;
  /** Faults that the store found in its own after it had built it anew, and documents it could not read then: these are told. */
  readonly left: number;
  /** What the store holds, where it had to build its own tables anew: then all readers of feeds start over. */
  readonly rebuilt?: StoreCensus;
}

/** What is told meanwhile, and what else is asked. */
interface ReindexWatch extends Watch {
  /** Whether the data were restored from a backup: then there is another epoch, and all readers of feeds start over. */
  readonly restored?: boolean;
  /** Whether the store is to build its own tables anew also where nothing is wrong: only then what was erased leaves no trace in them. */
  readonly rebuild?: boolean;
}

/**
 * Has every document declare what its body gives, by the rules of this version: indexes that are new, claims and feeds that were
 * damaged; then has the store compare what it keeps beside its documents with them, and build it anew where it does not agree, or
 * where that is asked for.
 *
 * No record gets another version by it. Others may write meanwhile, for each document is put on the condition that nobody
 * else wrote it. Broken off, it goes on when it is called again; where all is well it changes nothing it was not asked for.
 *
 * @throws StoreError when the store can't be read or written
 * @throws TypeError where an option is missing or of another kind
 */
export async function reindexRegistry(config: UpkeepConfig, watch: ReindexWatch): Promise<Reindexed> {
  refuseWrongUpkeep("reindexRegistry", config, watch);
  const left = faultsLeft(config.store, watch);
  try {
    return await reindexed(config, watch, left);
  } catch (error) {
    // Without its own tables a store finds and writes nothing; what documents declare so far is enough to make them anew.
    if (!isDamage(error) || !(await hasDamagedTables(config.store))) throw error;
    const rebuilt = await config.store.rebuild?.(left.whileBuilding);
    await forgetEpoch(config.store);
    const done = await reindexed(config, { ...watch, rebuild: false }, left);
    return rebuilt ? { rebuilt, ...done } : done;
  }
}

/** Tells what is left of faults, each once, and counts it. */
function faultsLeft({ verify }: Store, { tell }: Watch) {
  const told = new Set<string>();
  const atEnd = (fault: StoreFault) => {
    const { about, at, message } = fault;
    // Building and verifying say in other words that a document can't be read.
    const name = at && about === "document" ? joinedKey(at) : JSON.stringify([about, at, message]);
    if (told.has(name)) return;
    told.add(name);
    tell(storeFinding(fault));
  };
  return {
    count: () => told.size,
    /** What a verification finds afterwards as well may be mended until then. */
    whileBuilding: (fault: StoreFault) => {
      if (!verify || fault.about === "document") atEnd(fault);
    },
    atEnd,
  };
}

type FaultsLeft = ReturnType<typeof faultsLeft>;

/** A document that can't be read is none of the store's own tables: to build these anew is of no use to it. */
async function hasDamagedTables(store: Store): Promise<boolean> {
  let damaged = false;
  await store.verify?.(({ about }) => {
    damaged ||= about !== "document";
  });
  return damaged;
}

async function reindexed(config: UpkeepConfig, watch: ReindexWatch, left: FaultsLeft): Promise<Reindexed> {
  const settings = settingsOf(config);
  if (watch.restored) {
    await forgetEpoch(config.store);
    await config.store.renew?.();
  }
  const kinds = [...keptKinds(settings), ...(config.furtherKinds ?? [])];
  const first = await pass(settings, kinds, { ...watch, tell: () => undefined });
  const rebuilt = await rebuiltStore(settings, watch, left);
  // A claim that was held without right is free by now: of one that is still taken, both have a right to it.
  const second = first.conflicts > 0 ? await pass(settings, kinds, watch) : first;
  // A store that has marked itself as damaged finds out by this that it is no more, or that it still is.
  if (rebuilt) await config.store.verify?.(left.atEnd);
  const mended = first.mended + (second === first ? 0 : second.mended);
  return {
    documents: first.documents,
    mended,
    conflicts: second.conflicts,
    left: left.count(),
    ...(rebuilt && { rebuilt }),
  };
}

async function rebuiltStore(
  { store }: Settings,
  { rebuild = false }: ReindexWatch,
  left: FaultsLeft,
): Promise<StoreCensus | undefined> {
  if (!store.rebuild || !(rebuild || (await mayBeDamaged(store)))) return undefined;
  const census = await store.rebuild(left.whileBuilding);
  await forgetEpoch(store);
  return census;
}

/** A store that can't tell whether anything is wrong may be. */
async function mayBeDamaged(store: Store): Promise<boolean> {
  let faults = 0;
  await store.verify?.(() => {
    faults += 1;
  });
  return !store.verify || faults > 0;
}

interface Passed {
  readonly documents: number;
  readonly mended: number;
  readonly conflicts: number;
}

async function pass(settings: Settings, kinds: readonly KeptKind[], watch: Watch): Promise<Passed> {
  let [documents, mended, conflicts] = [0, 0, 0];
  for (const kind of kinds) {
    for await (const page of documentPages(settings.store, kind)) {
      const stale = await staleAmong(settings, kind, page);
      const done = await Promise.all(stale.map((document) => mend(settings, kind, { document, watch })));
      mended += done.filter((one) => one.mended).length;
      conflicts += done.reduce((sum, one) => sum + one.conflicts, 0);
      documents += page.length;
      watch.onProgress?.(documents, kind.collection);
    }
  }
  return { documents, mended, conflicts };
}

/** The documents that do not declare what they are to. */
async function staleAmong(
  settings: Settings,
  kind: KeptKind,
  documents: readonly StoredDocument[],
): Promise<readonly StoredDocument[]> {
  const references = documents.flatMap((document) => readable(() => kind.references?.(document)) ?? []);
  const targets = await loadTargets(settings, references);
  return documents.filter((document) => {
    const expected = readable(() => kind.declared(document, targets));
    return expected && declaredFaults(declaredIn(document), expected).length > 0;
  });
}

const attempts = 20;

interface Mending {
  readonly document: StoredDocument;
  readonly watch: Watch;
}

/** Puts a document again with what its body gives, but for claims that others hold. */
async function mend(
  settings: Settings,
  kind: KeptKind,
  { document, watch }: Mending,
): Promise<{ readonly mended: boolean; readonly conflicts: number }> {
  const { collection, key } = document;
  let taken: ReadonlySet<string> = new Set();
  for (let attempt = 0; attempt < attempts; attempt++) {
    const [present] = await settings.store.get([{ collection, key }]);
    if (!present) break;
    const put = await renewed(settings, kind, { present, taken });
    if (!put) return { mended: false, conflicts: taken.size };
    const result = await settings.store.commit(put);
    if (result.ok) return { mended: true, conflicts: taken.size };
    const held = result.failures.flatMap(claimOf);
    for (const { holder } of held) {
      const message = `a claim that its body gives is held by ${holder.collection} ${holder.key}; decide which of the two is wrong`;
      watch.tell(findingOf(present, { kind: "claims", message }));
    }
    taken = new Set([...taken, ...held.map(({ claim }) => claim)]);
  }
  return { mended: false, conflicts: taken.size };
}

function claimOf(failure: Failure) {
  return failure.kind === "claim-taken" ? [failure] : [];
}

/** The commit that has a document declare what it is to; `undefined` where it does. */
async function renewed(
  settings: Settings,
  kind: KeptKind,
  { present, taken }: { readonly present: StoredDocument; readonly taken: ReadonlySet<string> },
) {
  const references = kind.references?.(present) ?? [];
  const targets = await loadTargets(settings, references);
  const { claims, ...rest } = kind.declared(present, targets);
  const declared = { ...rest, claims: claims.filter((claim) => !taken.has(claim)) };
  if (declaredFaults(declaredIn(present), declared).length === 0) return undefined;
  const { collection, key, version, body } = present;
  const standing = references.flatMap(({ to, decides }) =>
    to.flatMap((at) => {
      const target = targets.get(joinedKey(at));
      return decides && target ? [{ kind: "version" as const, ...at, version: target.version }] : [];
    }),
  );
  const own = { kind: "version" as const, collection, key, version };
  const next = kind.showsVersion ? version : version + 1;
  return { expect: [own, ...standing], put: [{ collection, key, version: next, body, ...declared }] };
}
