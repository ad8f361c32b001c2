import type { Json, Store } from "@fieldroll/core";
import { readState, stateDocument } from "../device/documents.ts";
import type { Session } from "../transport/session.ts";
import type { EngineState, Remembered } from "./state.ts";

/** What an engine that starts knows of itself. */
export async function startingState({
  store,
  session,
  online,
}: {
  readonly store: Store;
  readonly session: Pick<Session, "current">;
  readonly online: () => boolean;
}) {
  const [signedIn, remembered] = await Promise.all([session.current(), recall(store)]);
  return { ...remembered, session: signedIn ? ("valid" as const) : ("none" as const), online: online() };
}

const engineKey = "engine";

async function recall(store: Store): Promise<Remembered> {
  const found = await readState(store, engineKey);
  const clean = { nextAttemptAt: null, asked: false, lastSuccessAt: null, lastError: null, failures: 0 };
  const fresh = { ...clean, paused: false };
  return found ? { ...fresh, ...(found.body as unknown as Remembered) } : fresh;
}

/** Writes down what survives a restart, one after the other. A store that can't take it now is told anew by the next. */
export function createMemory(store: Store) {
  let remembering: Promise<void> = Promise.resolve();
  return {
    remember(state: () => EngineState): void {
      remembering = remembering.then(() => write(store, state())).catch(() => undefined);
    },
    /** Resolves when everything is written down. */
    settled: () => remembering,
  };
}

async function write(store: Store, state: EngineState): Promise<void> {
  const { nextAttemptAt, asked, askedFor, lastSuccessAt, lastError, failures, paused } = state;
  const { lastReadAt = null, lastWriteAt = null } = state;
  const found = await readState(store, engineKey);
  const waiting = { nextAttemptAt, asked, ...(askedFor !== undefined && { askedFor }) };
  const body: Json = { ...waiting, lastSuccessAt, lastReadAt, lastWriteAt, lastError, failures, paused };
  await store.commit({ put: [stateDocument(engineKey, found, body)], durability: "relaxed" });
}
