import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import { sortValue } from "../../store/match.ts";
import type { Settings } from "../settings.ts";
import { isBound } from "../sight.ts";
import type { Caller } from "../types.ts";
import type { Approach } from "./approach.ts";
import type { Candidate } from "./candidate.ts";
import { createPage, type FillingPage, type Place, pageOf } from "./page.ts";
import { createReader, type Reader, slicesOf } from "./reader.ts";
import type { PlannedSearch } from "./search.ts";
import { type FoundPage, showPage } from "./show-page.ts";
import { type Chunk, queried, sourceOf } from "./sources.ts";
import {
  type Changed,
  changedOf,
  changedSince,
  formerPlaces,
  mostMoved,
  startWalk,
  type Walk,
  walkBegan,
  withSeen,
} from "./walk.ts";

interface Scan {
  readonly settings: Settings;
  readonly caller: Caller;
  readonly approach: Approach;
  readonly reader: Reader;
  readonly walk: Walk;
}

/**
 * Answers a search by looking at the records that may be found, chunk by chunk, until the page is full or the budget is spent. Records
 * that changed while the caller pages are placed where the first page saw them.
 */
export async function scan(
  settings: Settings,
  caller: Caller,
  approach: Approach,
): Promise<Outcome<FoundPage>> {
  const { search, isWhole } = approach;
  const walk = search.walk ?? startWalk(settings.now());
  const context = { settings, caller, approach, walk, reader: createReader(settings, caller, approach) };
  if (isWhole) return scanWhole(context);
  if (!settings.budget.isSpent()) return success(await scanInOrder(context, isWalked(context)));
  // The next page begins where this one was to.
  return success({ shown: [], more: true, ...(search.after && { next: search.after, walk }) });
}

/** Whether records are placed where the walk's first page saw them. A walk that lost its count goes on without. */
function isWalked({ settings, approach: { search } }: Scan): boolean {
  return search.sort !== undefined && settings.policies.audit && search.walk?.isLost !== true;
}

async function scanInOrder(scanned: Scan, walked: boolean): Promise<FoundPage> {
  const { settings, caller, approach, walk, reader } = scanned;
  const { search } = approach;
  const page = createPage(search, settings.budget.bytesLeft());
  const source = await sourceOf(settings, caller, { approach, since: walkBegan(walk) });
  for await (const chunk of source) {
    settings.budget.spendRecords(chunk.records.length);
    const found = await reader.look(chunk.records, chunk.sight);
    const still = walked ? found.filter(({ stored }) => !changedSince(stored, walk)) : found;
    const isRead = await fill(page, scanned, { chunk, found: still });
    if (!isRead || !chunk.next) break;
    if (settings.budget.isSpent()) {
      page.end(chunk.next);
      break;
    }
    await settings.budget.pause();
  }
  if (!walked) return showPage(page.places(), scanned, walk);
  const moved = await movedRecords(scanned);
  if (!moved) return scanInOrder({ ...scanned, walk: { ...walk, isLost: true } }, false);
  const told = firstOf(scanned) ? withSeen(walk, moved) : walk;
  for (const place of await placesOf(scanned, moved, told)) page.move(place);
  return showPage(page.places(), scanned, told);
}

/** Adds what was found in a chunk, a few at a time. Answers whether the page takes more. */
async function fill(
  page: FillingPage,
  { settings, approach, reader }: Scan,
  { chunk, found }: { readonly chunk: Chunk; readonly found: readonly Candidate[] },
): Promise<boolean> {
  let rest = found.length;
  for (const slice of slicesOf(found)) {
    const shown = await reader.show(slice.slice(0, page.room()));
    for (const [i, candidate] of slice.entries()) {
      const place = placeOf(candidate, approach.search, chunk);
      page.add({ ...place, ...(shown[i] && { shown: shown[i] }) });
      if (page.isFull()) {
        page.end(place.position);
        return false;
      }
    }
    rest -= slice.length;
    const last = slice.at(-1);
    if (rest > 0 && last && settings.budget.isSpent()) {
      page.end(placeOf(last, approach.search, chunk).position);
      return false;
    }
    await settings.budget.pause();
  }
  return true;
}

function placeOf({ entries, stored: { key } }: Candidate, { sort }: PlannedSearch, chunk?: Chunk): Place {
  const position = (!sort && chunk?.placeOf?.(key)) || { value: sortValue(entries, sort?.index), key };
  return { position, key };
}

/** Looks at everything, and then shows the page: what no index has in order, or what is to be counted. */
async function scanWhole(scanned: Scan): Promise<Outcome<FoundPage>> {
  const { search } = scanned.approach;
  const all = await lookAtAll(scanned);
  if (!all) return failure(tooMuch(search));
  const { places, changed } = all;
  const isLost = changed.length > mostMoved;
  const seen = firstOf(scanned) ? withSeen(scanned.walk, changed) : scanned.walk;
  const walk = isLost ? { ...scanned.walk, isLost } : seen;
  const moved = isLost ? [] : await placesOf(scanned, changed, walk);
  for (const place of moved) places.set(place.key, place);
  const page = await showPage(pageOf([...places.values()], search), scanned, walk);
  return success({ ...page, ...(search.total && { total: places.size }) });
}

/** Where all records stand that are found, and which changed during the walk; `undefined` where they are more than may be looked at. */
async function lookAtAll(scanned: Scan) {
  const { settings, caller, approach, walk, reader } = scanned;
  const walked = isWalked(scanned);
  const places = new Map<string, Place>();
  const changed = new Map<string, Changed>();
  for await (const chunk of await sourceOf(settings, caller, { approach, since: settings.now() })) {
    settings.budget.spendRecords(chunk.records.length);
    for (const candidate of await reader.look(chunk.records, chunk.sight)) {
      const { stored } = candidate;
      if (walked && changedSince(stored, walk)) changed.set(stored.key, changedOf(stored));
      if (!places.has(stored.key)) places.set(stored.key, placeOf(candidate, approach.search, chunk));
    }
    if (chunk.next && settings.budget.isSpent()) return undefined;
    await settings.budget.pause();
  }
  return { places, changed: [...changed.values()] };
}

/** Which versions are new may be hidden from a bound caller, and a cursor is not secret. */
function firstOf({ caller, approach }: Scan): boolean {
  return approach.search.walk === undefined && !isBound(caller);
}

/** All that changed during the walk and is found, wherever it stands now; `undefined` where that is too much. */
async function movedRecords({
  settings,
  approach: { search, where },
  walk,
  reader,
}: Scan): Promise<readonly Changed[] | undefined> {
  const within = [...where, { index: "lastUpdated", from: walk.from }];
  const changed: Changed[] = [];
  let count = 0;
  for await (const { records } of queried(settings, { collection: search.type, where: within })) {
    settings.budget.spendRecords(records.length);
    count += records.length;
    if (count > mostMoved) return undefined;
    for (const { stored } of await reader.look(records)) changed.push(changedOf(stored));
    await settings.budget.pause();
  }
  return changed;
}

/** Where records that changed stood when the walk began. */
async function placesOf(
  { settings, approach, reader }: Scan,
  changed: readonly Changed[],
  walk: Walk,
): Promise<readonly Place[]> {
  const places: Place[] = [];
  for await (const { records } of reader.again(changed.map(({ key }) => key))) {
    const found = await reader.look(records);
    places.push(...(await formerPlaces(settings, found, { walk, approach })));
    await settings.budget.pause();
  }
  return places;
}

/** Why a search is refused that would have to look at more than one request may. */
function tooMuch({ total, sort }: PlannedSearch): Problem {
  const names = [...(total ? ["_total"] : []), ...(sort ? ["_sort"] : [])];
  const message = "would have to look at more records than one request may";
  return {
    kind: "bad-request",
    detail: `${names.join(" and ")} ${message}. Leave ${total && sort ? "them" : "it"} out and page through the answer, or add conditions that leave fewer records.`,
    errors: names.map((field) => ({ field, code: "too_many_records", message })),
  };
}
