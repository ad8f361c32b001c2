import type { Store } from "@fieldroll/core";
import { type EngineState, phaseOf } from "../engine/state.ts";
import { oldestEdit, photoIn } from "../model/edits.ts";
import { entryState, type OutboxEntry } from "../model/entry.ts";
import type { SyncStatus } from "../status-types.ts";
import { portalLink } from "../transport/portal.ts";
import { collections, everyDocument, readState } from "./documents.ts";
import { readFeed } from "./feed-state.ts";
import { entryOf } from "./outbox.ts";
import type { SessionRecord } from "./session-state.ts";
import { withheldFigures } from "./withheld.ts";

/** Progress as the store has it; only what the engine is doing right now comes from the engine. */
export async function readStatus(
  store: Store,
  { feeds, server }: { readonly feeds: readonly string[]; readonly server: string },
  engine: EngineState,
): Promise<SyncStatus> {
  const [outbox, firstSync, session, awaitingConsent] = await Promise.all([
    outboxFigures(store),
    firstSyncOf(store, feeds, engine.activity === "pulling"),
    readState(store, "session"),
    withheldFigures(store, feeds),
  ]);
  const { putOff, ...figures } = outbox;
  const signedIn = session?.body as unknown as SessionRecord | null | undefined;
  const phase = phaseOf(engine);
  return {
    phase,
    safeMode: phase === "safe-mode" ? (engine.storeFault ?? "unreadable") : null,
    signedInAs: signedIn?.clientId ?? null,
    scopes: signedIn?.scopes ?? null,
    needsSignIn: engine.session === "expired",
    ...figures,
    awaitingConsent,
    firstSync,
    lastSuccessAt: instant(engine.lastSuccessAt),
    nextAttemptAt: engine.paused ? null : instant(engine.nextAttemptAt),
    lastError: engine.lastError ?? putOff,
    networkProblem: networkProblemOf(engine, server),
    clockSkew: engine.heard?.skew ?? null,
    clockHeardAt: instant(engine.heard?.at ?? null),
  };
}

/** A device that knows that it is offline has no other problem to tell of. */
function networkProblemOf({ network, online }: EngineState, server: string): SyncStatus["networkProblem"] {
  return network && online ? { reason: network, link: portalLink(server) } : null;
}

function instant(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** Unsent records that are read at once: an edit that comes meanwhile waits for no more of them. */
const atOnce = 64;

async function outboxFigures(store: Store) {
  const counts = { pending: 0, sending: 0, parked: 0, photos: 0 };
  let oldest: string | null = null;
  let putOff: string | null = null;
  for await (const document of everyDocument(store, { collection: collections.outbox, limit: atOnce })) {
    const entry = entryOf(document);
    counts[entryState(entry)]++;
    if (photoIn(entry).photo === "only") counts.photos++;
    const since = oldestEdit(entry);
    if (oldest === null || since < oldest) oldest = since;
    putOff ??= answerThatPutOff(entry);
  }
  return { ...counts, oldestPendingAt: oldest, putOff };
}

/** What was said to a request that is to be tried again. A run that got past it is no failure, but it would go on unseen. */
function answerThatPutOff({ parked, attempts, nextAttemptAt, lastAnswer }: OutboxEntry): string | null {
  return !parked && attempts > 0 && nextAttemptAt !== null ? lastAnswer : null;
}

async function firstSyncOf(
  store: Store,
  feeds: readonly string[],
  isPulling: boolean,
): Promise<SyncStatus["firstSync"]> {
  const states = (await Promise.all(feeds.map((feed) => readFeed(store, feed)))).map(({ state }) => state);
  const complete = states.every((state) => state?.complete === true);
  const present = states.find((state) => state && !state.complete);
  return {
    complete,
    records: states.reduce((sum, state) => sum + (state?.records ?? 0), 0),
    rate: isPulling ? (present?.rate ?? null) : null,
  };
}
