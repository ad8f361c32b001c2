import type { JsonObject, Store } from "@fieldroll/core";
import { type EngineState, phaseOf } from "../engine/state.ts";
import { oldestEdit, photoIn } from "../model/edits.ts";
import { entryState } from "../model/entry.ts";
import type { SyncStatus } from "../types.ts";
import { collections, everyDocument, readState } from "./documents.ts";
import { readFeed } from "./feed-state.ts";
import { entryOf } from "./outbox.ts";
import { withheldFigures } from "./withheld.ts";

/** Progress as the store has it; only what the engine is doing right now comes from the engine. */
export async function readStatus(
  store: Store,
  feeds: readonly string[],
  engine: EngineState,
): Promise<SyncStatus> {
  const [outbox, firstSync, session, awaitingConsent] = await Promise.all([
    outboxFigures(store),
    firstSyncOf(store, feeds),
    readState(store, "session"),
    withheldFigures(store, feeds),
  ]);
  const signedIn = session?.body as JsonObject | null | undefined;
  return {
    phase: phaseOf(engine),
    signedInAs: signedIn ? String(signedIn.clientId) : null,
    needsSignIn: engine.session === "expired",
    ...outbox,
    awaitingConsent,
    firstSync,
    lastSuccessAt: instant(engine.lastSuccessAt),
    nextAttemptAt: engine.paused ? null : instant(engine.nextAttemptAt),
    lastError: engine.lastError,
    clockSkew: engine.clockSkew ?? null,
  };
}

function instant(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

async function outboxFigures(store: Store) {
  const counts = { pending: 0, sending: 0, parked: 0, photos: 0 };
  let oldest: string | null = null;
  for await (const document of everyDocument(store, { collection: collections.outbox })) {
    const entry = entryOf(document);
    counts[entryState(entry)]++;
    if (photoIn(entry).photo === "only") counts.photos++;
    const since = oldestEdit(entry);
    if (oldest === null || since < oldest) oldest = since;
  }
  return { ...counts, oldestPendingAt: oldest };
}

async function firstSyncOf(store: Store, feeds: readonly string[]): Promise<SyncStatus["firstSync"]> {
  const states = (await Promise.all(feeds.map((feed) => readFeed(store, feed)))).map(({ state }) => state);
  return {
    complete: states.every((state) => state?.complete === true),
    records: states.reduce((sum, state) => sum + (state?.records ?? 0), 0),
  };
}
