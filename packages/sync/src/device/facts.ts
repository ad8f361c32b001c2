import { resourceTypes, type Store } from "@fieldroll/core";
import type { Diagnostics, EngineFacts, EntryFacts, FeedFacts } from "../diagnostics.ts";
import { softwareVersion } from "../diagnostics.ts";
import { type EngineState, phaseOf } from "../engine/state.ts";
import { oldestEdit } from "../model/edits.ts";
import { entryState, type OutboxEntry } from "../model/entry.ts";
import { plan } from "../model/plan.ts";
import type { SyncStatus } from "../status-types.ts";
import { collections, everyDocument } from "./documents.ts";
import { readFeed } from "./feed-state.ts";
import { entryOf } from "./outbox.ts";
import { summaries } from "./summaries.ts";

/** Entries that are told of: with all they tell, a quarter of a megabyte. */
const mostEntries = 500;

/**
 * Gathers what may leave the device. Every value is picked by name: what is added to an entry later is not told by itself.
 *
 * @param madeAt UTC instant
 */
export async function deviceFacts(
  { store, feeds }: { readonly store: Store; readonly feeds: readonly string[] },
  {
    status,
    engine,
    madeAt,
  }: { readonly status: SyncStatus; readonly engine: EngineState; readonly madeAt: string },
): Promise<Diagnostics> {
  const { signedInAs, lastError, networkProblem, ...figures } = status;
  const entries = await entryFacts(store, madeAt);
  return {
    format: 1,
    software: softwareVersion,
    madeAt,
    status: {
      ...figures,
      signedIn: signedInAs !== null,
      failing: lastError !== null,
      networkProblem: networkProblem?.reason ?? null,
    },
    engine: engineFacts(engine),
    feeds: await Promise.all(feeds.map((feed) => feedFacts(store, feed))),
    documents: await documentCounts(store),
    entries: entries.slice(0, mostEntries),
    entriesLeftOut: Math.max(0, entries.length - mostEntries),
  };
}

function engineFacts(engine: EngineState): EngineFacts {
  const { leading, online, session, durable, wanted, failures, asked } = engine;
  return { phase: phaseOf(engine), leading, online, session, durable, wanted, failures, asked };
}

async function feedFacts(store: Store, feed: string): Promise<FeedFacts> {
  const { state } = await readFeed(store, feed);
  const { complete = false, restarting = false, records = 0, pages = 0 } = state ?? {};
  return { kind: feed.replace(/:.*$/s, ""), complete, restarting, records, pages };
}

async function documentCounts(store: Store): Promise<Readonly<Record<string, number>>> {
  const names = [...resourceTypes, ...Object.values(collections)];
  const counts = await Promise.all(names.map((collection) => countOf(store, collection)));
  return Object.fromEntries(names.map((name, i) => [name, counts[i] ?? 0]));
}

async function countOf(store: Store, collection: string): Promise<number> {
  if (store.count) return (await store.count({ collection })) ?? 0;
  let count = 0;
  for await (const _ of everyDocument(store, { collection })) count++;
  return count;
}

async function entryFacts(store: Store, now: string): Promise<readonly EntryFacts[]> {
  const blocked = new Set(plan(await summaries(store), now).blocked.map(({ id }) => id));
  const found: EntryFacts[] = [];
  for await (const document of everyDocument(store, { collection: collections.outbox })) {
    found.push(factsOf(entryOf(document), blocked.has(document.key)));
  }
  const urgency = ({ state, attempts }: EntryFacts) => (state === "parked" ? 1_000_000 : 0) + attempts;
  return found.sort((a, b) => urgency(b) - urgency(a));
}

function factsOf(entry: OutboxEntry, blocked: boolean): EntryFacts {
  const { type, parked, base, edits, attempts, rebases, nextAttemptAt, request, answers = [] } = entry;
  return {
    type,
    state: entryState(entry),
    reason: parked?.reason ?? null,
    since: oldestEdit(entry),
    isNew: base === null,
    edits: edits.length,
    attempts,
    rebases,
    nextAttemptAt,
    blocked,
    request: request && {
      method: request.method,
      size: request.body.length,
      frozenAt: request.frozenAt,
    },
    answers: answers.map(({ at, status }) => ({ at, status })),
  };
}
