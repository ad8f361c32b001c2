import type { Shown } from "../../audit/tell-read.ts";
import { documentsOf } from "../every-page.ts";
import { present } from "../present.ts";
import { recordKey, type StoredRecord, storedRecord } from "../record/document.ts";
import { render } from "../record/render.ts";
import type { Settings } from "../settings.ts";
import { isSharedSight, type Sight, sightOf } from "../sight.ts";
import type { Caller } from "../types.ts";
import { ownVisibility } from "../write/permission.ts";
import type { Approach } from "./approach.ts";
import { type Candidate, openCandidates, partCandidates } from "./candidate.ts";
import { meets, needsMemberships } from "./meets.ts";

/** Looks at records for the caller of a search, and shows those that are found. */
export interface Reader {
  /** Those that meet the criteria, as the caller sees them. */
  look(records: readonly StoredRecord[], sight?: Sight): Promise<readonly Candidate[]>;
  /** As the answer shows them. */
  show(found: readonly Candidate[]): Promise<readonly Shown[]>;
  /** Reads records again by key, a few at a time. */
  again(
    keys: readonly string[],
  ): AsyncGenerator<{ readonly keys: readonly string[]; readonly records: readonly StoredRecord[] }>;
}

export function createReader(settings: Settings, caller: Caller, approach: Approach): Reader {
  const { store, today, namespace } = settings;
  const { criteria, options, type } = approach.search;
  const own = ownVisibility(caller);
  const look = async (records: readonly StoredRecord[], sight?: Sight) => {
    const candidates = approach.byParts
      ? await partCandidates(settings, records, sight ?? (await sightFor(records)))
      : await openCandidates(settings, records, { rendered: needsMemberships(criteria), visibility: own });
    return candidates.filter((candidate) => meets(candidate, criteria, { today: today(), namespace }));
  };
  const sightFor = async (records: readonly StoredRecord[]): Promise<Sight> =>
    isSharedSight(caller, type)
      ? new Map(records.map(({ key }) => [key, own]))
      : sightOf(settings, caller, records);
  return {
    look,
    async show(found) {
      const missing = found.filter(({ rendered }) => !rendered).map(({ stored }) => stored);
      const rendered = await render(missing, { store, today: today() });
      const byKey = new Map(missing.map(({ key }, i) => [key, rendered[i]]));
      return found.map(({ stored: { key }, visibility, rendered: known }) => {
        const whole = known ?? byKey.get(key) ?? {};
        const record = present({ type, record: whole, visibility }, { ...options, photo: false }, settings);
        return { type, key, record, visibility };
      });
    },
    async *again(keys) {
      let at = 0;
      for await (const documents of documentsOf(
        store,
        keys.map((key) => recordKey(type, key)),
      )) {
        const records = documents.flatMap((document) => (document ? [storedRecord(document)] : []));
        yield { keys: keys.slice(at, at + documents.length), records };
        at += documents.length;
      }
    },
  };
}

/** So many links are followed at once to show records: a household has one for each member. */
const mostLinks = 500;
const mostShown = 50;

/** Parts that are shown one after the other. */
export function slicesOf(found: readonly Candidate[]): readonly (readonly Candidate[])[] {
  const slices: Candidate[][] = [];
  let links = 0;
  for (const candidate of found) {
    const own = Object.keys(candidate.stored.links).length;
    links += own;
    const last = slices.at(-1);
    if (last && last.length < mostShown && links <= mostLinks) {
      last.push(candidate);
    } else {
      slices.push([candidate]);
      links = own;
    }
  }
  return slices;
}
