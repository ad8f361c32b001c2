import { changesOf } from "../../audit/trail.ts";
import { undone } from "../../audit/undo.ts";
import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { sortValue } from "../../store/match.ts";
import { entriesOf, type StoredRecord } from "../record/document.ts";
import { render } from "../record/render.ts";
import type { Settings } from "../settings.ts";
import { type Candidate, partOf } from "./candidate.ts";
import type { Placed } from "./page.ts";
import type { PlannedSearch } from "./search.ts";

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

/** Where records stood that changed since a walk began: by the audit trail, as the first page saw them. */
export async function formerPlaces(
  settings: Settings,
  { sort, after }: Pick<PlannedSearch, "sort" | "after">,
  {
    moved,
    walk,
    bound,
  }: { readonly moved: readonly Candidate[]; readonly walk: Walk; readonly bound: boolean },
): Promise<{ readonly walk: Walk; readonly moved: readonly Placed[] }> {
  // Which versions are new may be hidden from a bound caller, and a cursor is not secret.
  const first = after === undefined && !bound;
  const told: Walk = first ? { ...walk, ...seenVersions(moved) } : walk;
  const placed = moved.map(async (candidate): Promise<Placed> => {
    const former = await formerEntries(settings, candidate, { walk: told, bound });
    const position = { value: sortValue(former, sort?.index), key: candidate.stored.key };
    return { position, candidate };
  });
  return { walk: told, moved: await Promise.all(placed) };
}

function seenVersions(moved: readonly Candidate[]): Pick<Walk, "seen"> {
  const changed = moved.filter(({ stored }) => versionIdOf(stored.record) !== "1");
  if (changed.length === 0 || changed.length > mostSeen) return {};
  return {
    seen: Object.fromEntries(changed.map(({ stored }) => [tailOf(stored.key), versionIdOf(stored.record)])),
  };
}

async function formerEntries(
  settings: Settings,
  candidate: Candidate,
  { walk, bound }: { readonly walk: Walk; readonly bound: boolean },
) {
  const { stored, visibility, entries } = candidate;
  const record = await formerRecord(settings, stored, walk);
  if (record === stored.record) return entries;
  const former = { ...stored, record };
  if (!bound) return entriesOf(stored.type, record, stored.links);
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
  const changes = [...(await changesOf(settings, `${type}/${key}`))];
  changes.sort((a, b) => Number(b.versionId) - Number(a.versionId));
  let version = record;
  for (const { at, versionId = "", undo = null } of changes) {
    version = { ...version, meta: { ...objectOf(version.meta), versionId, lastUpdated: at } };
    const before = isSeen(versionId, at) ? null : undone(version, undo);
    if (!before) return version;
    version = before;
  }
  return version;
}

function lastUpdatedOf({ meta }: JsonObject): string {
  return isJsonObject(meta) && typeof meta.lastUpdated === "string" ? meta.lastUpdated : "";
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
  return { from: value.from, ...(seen.length > 0 && { seen: Object.fromEntries(seen) }) };
}
