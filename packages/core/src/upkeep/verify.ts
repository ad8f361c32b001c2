import { type Settings, settingsOf } from "../registry/settings.ts";
import type { RegistryConfig } from "../registry/types.ts";
import { type StoreCensus, type StoredDocument, StoreError, type StoreFault } from "../store/port.ts";
import { isFunction, type OptionRule, optionRules, refuseWrongOptions } from "../wrong-options.ts";
import { examine } from "./examine.ts";
import { type Finding, storeFinding } from "./finding.ts";
import type { KeptKind } from "./kept-kind.ts";
import { keptKinds } from "./kept-kinds.ts";
import { documentPages } from "./pages.ts";

/** A registry to look after. */
export interface UpkeepConfig extends RegistryConfig {
  /** Kinds of document that its host keeps in the same store. */
  readonly furtherKinds?: readonly KeptKind[];
}

/** What is told meanwhile. */
export interface Watch {
  readonly tell: (finding: Finding) => void;
  /** How many documents are done so far, and of which kind the last was. */
  readonly onProgress?: (done: number, collection: string) => void;
}

/** What was looked at. */
export interface Verified {
  readonly documents: number;
  readonly findings: number;
  /** How many of them are of the medium itself: of these a backup helps, where the store can't build its own tables anew. */
  readonly ofMedium: number;
  /** What the store said of its own; absent where it can't check itself. */
  readonly store?: StoreCensus;
}

/**
 * Checks everything that a registry keeps: that each document has the form of its kind, declares what its body gives, leads to
 * documents that are there, and that the audit trail leads to its version; and then has the store check itself. It only
 * reads, a page at a time, and others may write meanwhile: what changes while it is looked at is no fault.
 *
 * @throws StoreError when the store can't be read
 * @throws TypeError where an option is missing or of another kind
 */
export async function verifyRegistry(config: UpkeepConfig, watch: Watch): Promise<Verified> {
  refuseWrongUpkeep("verifyRegistry", config, watch);
  const { tell, onProgress } = watch;
  const settings = settingsOf(config);
  let [documents, findings] = [0, 0];
  const told = (finding: Finding) => {
    findings += 1;
    tell(finding);
  };
  try {
    for (const kind of [...keptKinds(settings), ...(config.furtherKinds ?? [])]) {
      for await (const page of documentPages(config.store, kind)) {
        (await faultsOf(settings, kind, page)).forEach(told);
        documents += page.length;
        onProgress?.(documents, kind.collection);
      }
    }
  } catch (error) {
    // What the store says of itself tells more than that something could not be read.
    if (!isDamage(error) || !config.store.verify) throw error;
    const message = `the documents were examined no further: ${error.message}`;
    told(storeFinding({ about: "medium", message }));
  }
  const medium = mediumFaults();
  const store = await config.store.verify?.((fault) => {
    if (medium.isNews(fault)) told(storeFinding(fault));
  });
  return { documents, findings, ofMedium: medium.count(), ...(store && { store }) };
}

/** A damaged medium is met again by each piece of work on it, which tells it in the same words. */
function mediumFaults() {
  const met = new Set<string>();
  return {
    isNews: ({ about, at, message }: StoreFault): boolean => {
      if (about !== "medium") return true;
      const before = met.size;
      return met.add(JSON.stringify([at, message])).size > before;
    },
    count: () => met.size,
  };
}

/** @throws TypeError */
export function refuseWrongUpkeep(call: string, config: UpkeepConfig, watch: Watch): void {
  const tell: OptionRule = [isFunction, "a function that takes a finding"];
  refuseWrongOptions(call, { ...config, ...watch }, { ...optionRules, tell });
}

/** Whether a store refused because something in it is damaged. */
export function isDamage(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === "corrupt";
}

async function faultsOf(
  settings: Settings,
  kind: KeptKind,
  page: readonly StoredDocument[],
): Promise<readonly Finding[]> {
  const found = await examine(settings, kind, page);
  const sure: Finding[] = [];
  for (const [i, document] of page.entries()) {
    if (found[i]?.length) sure.push(...(await lasting(settings, kind, document)));
  }
  return sure;
}

const attempts = 5;

/**
 * What is wrong with a document when nobody writes it meanwhile. What it leads to is read later than itself: a change of both in
 * one commit looks like a fault in between, and has another version a moment later.
 */
async function lasting(
  settings: Settings,
  kind: KeptKind,
  { collection, key }: StoredDocument,
): Promise<readonly Finding[]> {
  const read = async () => (await settings.store.get([{ collection, key }]))[0];
  let present = await read();
  for (let attempt = 0; attempt < attempts && present; attempt++) {
    const [found = []] = await examine(settings, kind, [present]);
    if (found.length === 0) return [];
    const after = await read();
    if (after?.version === present.version) return found;
    present = after;
  }
  return [];
}
