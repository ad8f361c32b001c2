import type { Json, Store } from "@fieldroll/core";
import { readState, stateDocument } from "../device/documents.ts";
import type { Heard } from "../model/clock.ts";
import type { Session } from "../transport/session.ts";
import type { EngineState, Remembered } from "./state.ts";

/** What an engine that starts knows of itself. */
export async function startingState({
  store,
  session,
  online,
}: {
  readonly store: Store;
  readonly session: Pick<Session, "current" | "recall">;
  readonly online: () => boolean;
}) {
  const [signedIn, { heard = null, ...remembered }] = await Promise.all([session.current(), recall(store)]);
  session.recall(heard);
  return { ...remembered, session: signedIn ? ("valid" as const) : ("none" as const), online: online() };
}

const engineKey = "engine";

/** Former versions wrote nothing down of the clock. */
type Kept = Remembered & { readonly heard?: Heard | null };

async function recall(store: Store): Promise<Kept> {
  const found = await readState(store, engineKey);
  const clean = { nextAttemptAt: null, asked: false, lastSuccessAt: null, lastError: null, failures: 0 };
  const fresh = { ...clean, paused: false };
  return found ? { ...fresh, ...(found.body as unknown as Kept) } : fresh;
}

/** Writes down what survives a restart, one after the other. A store that can't take it now is told anew by the next. */
export function createMemory(store: Store, session: Pick<Session, "heard">) {
  let remembering: Promise<void> = Promise.resolve();
  return {
    remember(state: () => EngineState): void {
      remembering = remembering.then(() => write(store, state(), session.heard())).catch(() => undefined);
    },
    /** Resolves when everything is written down. */
    settled: () => remembering,
  };
}

async function write(store: Store, state: EngineState, heard: Heard | null): Promise<void> {
  const { nextAttemptAt, asked, askedFor, lastSuccessAt, lastError, failures, paused } = state;
  const { lastReadAt = null, lastWriteAt = null } = state;
  const found = await readState(store, engineKey);
  const waiting = { nextAttemptAt, asked, ...(askedFor !== undefined && { askedFor }) };
  const body: Json = {
    ...waiting,
    lastSuccessAt,
    lastReadAt,
    lastWriteAt,
    lastError,
    failures,
    paused,
    heard: heard && { ...heard },
  };
  await store.commit({ put: [stateDocument(engineKey, found, body)], durability: "relaxed" });
}
