import { changesBackwards } from "../../audit/trail.ts";
import { undone } from "../../audit/undo.ts";
import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { sortValue } from "../../store/match.ts";
import { entriesOf, type StoredRecord } from "../record/document.ts";
import { render } from "../record/render.ts";
import { lastUpdatedOf } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import type { Approach } from "./approach.ts";
import { type Candidate, partOf } from "./candidate.ts";
import type { Place } from "./page.ts";

/**
 * What the first page of a sorted search saw, so that every later page puts each record where that one would have put it,
 * whatever changed meanwhile: then each record that stays in the result is met exactly once.
 *
 * The first page saw, of each record, the newest version that is older than `from`, or one that `seen` names; of a record
 * made since, its first version.
 */
export interface Walk {
  /** An instant shortly before the first page: every write stamped before it was committed by then. */
  readonly from: string;
  /** Versions since `from` that the first page saw: the end of the record's key, and the versionId. */
  readonly seen?: Readonly<Record<string, string>>;
  /** Whether more records changed than are followed. */
  readonly isLost?: boolean;
}

/** From a write's stamp to its commit it never takes longer than this, and no two processes' clocks differ by more. */
const longestCommit = 5_000;

/** More versions than this make a cursor too long. Then the first page sees nothing of the last seconds' changes. */
const mostSeen = 100;

/** Begins a walk at the instant of its first page. */
export function startWalk(now: string): Walk {
  return { from: new Date(Date.parse(now) - longestCommit).toISOString() };
}

/** Whether a record's present version may be one that the first page did not see. */
export function changedSince({ record }: StoredRecord, { from }: Walk): boolean {
  return lastUpdatedOf(record) >= from;
}

/** More records that changed during one walk are not followed: from then on each is met where it stands. */
export const mostMoved = 1_000;

/** A record that changed during a walk, at its present version. */
export interface Changed {
  readonly key: string;
  readonly versionId: string;
}

export function changedOf({ key, record }: StoredRecord): Changed {
  return { key, versionId: versionIdOf(record) };
}

/** The instant of a walk's first page. */
export function walkBegan({ from }: Walk): string {
  return new Date(Date.parse(from) + longestCommit).toISOString();
}

/** The walk of a first page that saw the present versions of these. */
export function withSeen(walk: Walk, moved: readonly Changed[]): Walk {
  const changed = moved.filter(({ versionId }) => versionId !== "1");
  if (changed.length === 0 || changed.length > mostSeen) return walk;
  const seen = Object.fromEntries(changed.map(({ key, versionId }) => [tailOf(key), versionId]));
  return { ...walk, seen };
}

/** Where records stood that changed since a walk began: by the audit trail, as the first page saw them. */
export function formerPlaces(
  settings: Settings,
  found: readonly Candidate[],
  { walk, approach: { search, byParts } }: { readonly walk: Walk; readonly approach: Approach },
): Promise<readonly Place[]> {
  return Promise.all(
    found.map(async (candidate): Promise<Place> => {
      const former = await formerEntries(settings, candidate, { walk, byParts });
      const { key } = candidate.stored;
      return { position: { value: sortValue(former, search.sort?.index), key }, key };
    }),
  );
}

async function formerEntries(
  settings: Settings,
  candidate: Candidate,
  { walk, byParts }: { readonly walk: Walk; readonly byParts: boolean },
) {
  const { stored, visibility, entries } = candidate;
  const record = await formerRecord(settings, stored, walk);
  if (record === stored.record) return entries;
  const former = { ...stored, record };
  if (!byParts) return entriesOf(stored.type, record, stored.links);
  const [rendered = {}] = await render([former], { store: settings.store, today: settings.today() });
  return partOf(former, rendered, visibility).entries;
}

/** Goes back, change by change, to the version that the first page saw. */
async function formerRecord(
  settings: Settings,
  { type, key, record }: StoredRecord,
  walk: Walk,
): Promise<JsonObject> {
  const present = versionIdOf(record);
  const isSeen = (versionId: string, at: string) => at < walk.from || walk.seen?.[tailOf(key)] === versionId;
  if (present === "1" || isSeen(present, lastUpdatedOf(record))) return record;
  const changes = changesBackwards(settings, `${type}/${key}`, Number(present));
  let version = record;
  for await (const { at, versionId = "", undo = null } of changes) {
    version = { ...version, meta: { ...objectOf(version.meta), versionId, lastUpdated: at } };
    const before = isSeen(versionId, at) ? null : undone(version, undo);
    if (!before) return version;
    version = before;
  }
  return version;
}

function versionIdOf({ meta }: JsonObject): string {
  return isJsonObject(meta) ? String(meta.versionId) : "";
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The random end of a UUIDv7: enough to tell apart the few records of a walk. */
function tailOf(key: string): string {
  return key.slice(-12);
}

/** Reads a walk from a cursor; `undefined` when there is none in it. */
export function walkIn(value: Json): Walk | undefined {
  if (!isJsonObject(value) || typeof value.from !== "string") return undefined;
  const seen = Object.entries(objectOf(value.seen)).flatMap(([key, version]): [string, string][] =>
    typeof version === "string" ? [[key, version]] : [],
  );
  return {
    from: value.from,
    ...(seen.length > 0 && { seen: Object.fromEntries(seen) }),
    ...(value.isLost === true && { isLost: true }),
  };
}
