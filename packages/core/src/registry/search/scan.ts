import type { Position } from "../../store/port.ts";
import type { StoredRecord } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import { isBound } from "../sight.ts";
import type { Caller } from "../types.ts";
import { boundCandidates, type Candidate, openCandidates } from "./candidate.ts";
import { meets, needsMemberships } from "./meets.ts";
import { createPage, type FillingPage } from "./page.ts";
import type { PlannedSearch } from "./search.ts";
import { coveredSource, indexedConditions, openSource, queried, type Source } from "./sources.ts";
import { changedSince, formerPlaces, startWalk, type Walk } from "./walk.ts";

/** A page of a search before it is shown. */
export interface FoundPage {
  readonly found: readonly Candidate[];
  readonly next?: Position;
  /** To be written into the next page's cursor. */
  readonly walk?: Walk;
  readonly total?: number;
}

/**
 * Answers a search by looking at the records that may be found, one by one: for callers bound by consent those that they
 * are covered for, so that no condition touches a hidden field; for others a group's members, or what the indexes narrow
 * it to. Records that changed while the caller pages are placed where the first page saw them.
 */
export async function scan(settings: Settings, caller: Caller, search: PlannedSearch): Promise<FoundPage> {
  const bound = isBound(caller);
  const source = bound ? await coveredSource(settings, caller, search) : await openSource(settings, search);
  const look: Look = (records) => lookAt(settings, caller, { records, search });
  const page = createPage(search);
  if (!search.sort || !settings.policies.audit) {
    await fill(page, source, look);
    return page.finish();
  }
  const walk = search.walk ?? startWalk(settings.now());
  const met = await fill(page, source, look, walk);
  const moved = source.inOrder ? await changedRecords(settings, search, { walk, look }) : met;
  const places = await formerPlaces(settings, search, { moved, walk, bound });
  for (const place of places.moved) page.move(place);
  return { ...page.finish(), walk: places.walk };
}

type Look = (records: readonly StoredRecord[]) => Promise<readonly Candidate[]>;

/** Reads a source as far as the page needs. Records that changed during the walk are not added; they are answered. */
async function fill(
  page: FillingPage,
  { chunks, inOrder }: Source,
  look: Look,
  walk?: Walk,
): Promise<readonly Candidate[]> {
  const changed: Candidate[] = [];
  for await (const chunk of chunks) {
    for (const candidate of await look(chunk)) {
      if (walk && changedSince(candidate.stored, walk)) changed.push(candidate);
      else page.add(candidate);
    }
    if (inOrder && page.isFull()) {
      page.end();
      break;
    }
  }
  return changed;
}

/** All that changed during a walk and is found, wherever it stands now. */
async function changedRecords(
  settings: Settings,
  { type: collection, criteria }: PlannedSearch,
  { walk, look }: { readonly walk: Walk; readonly look: Look },
): Promise<readonly Candidate[]> {
  const where = [...indexedConditions(criteria), { index: "lastUpdated", from: walk.from }];
  const changed: Candidate[] = [];
  for await (const chunk of queried(settings, { collection, where })) changed.push(...(await look(chunk)));
  return changed;
}

/** Looks at records as the caller sees them, and keeps those that meet the criteria. */
async function lookAt(
  settings: Settings,
  caller: Caller,
  { records, search }: { readonly records: readonly StoredRecord[]; readonly search: PlannedSearch },
): Promise<readonly Candidate[]> {
  const circumstances = { today: settings.today(), namespace: settings.namespace };
  const candidates = isBound(caller)
    ? await boundCandidates(settings, caller, records)
    : await openCandidates(settings, records, { rendered: needsMemberships(search.criteria) });
  return candidates.filter((candidate) => meets(candidate, search.criteria, circumstances));
}
