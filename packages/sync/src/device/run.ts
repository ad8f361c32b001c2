import type { Store } from "@fieldroll/core";
import { committingBy, isOf, stateDocument, stateUnchanged, type Versioned } from "./documents.ts";
import { readHolders, type SessionRecord } from "./session-state.ts";

/** A run is over: another one began, its person signed out or was signed out by another, or it was given up. */
export class RunOver extends Error {
  constructor() {
    super("The run is over.");
  }
}

/** What one run reads, writes and sends by. Once it is over, each of these fails with {@link RunOver}, and no commit lands. */
export interface Run {
  readonly store: Store;
  /** The session that it began under, with the token of now. */
  session(): Promise<SessionRecord>;
}

/**
 * Begins a run: every earlier one on this store is over, whoever still waits for its answers.
 *
 * @param over ends the run when it is aborted
 * @returns `null` when nobody is signed in
 */
export async function beginRun(store: Store, over: AbortSignal): Promise<Run | null> {
  for (;;) {
    const { session, run } = await readHolders(store);
    if (!session?.body) return null;
    const next = stateDocument("run", run, null);
    const expect = [stateUnchanged("session", session), stateUnchanged("run", run)];
    if (over.aborted) throw new RunOver();
    const { ok } = await store.commit({ expect, put: [next], durability: "relaxed" });
    if (ok) return runOf(store, next, over);
  }
}

function runOf(store: Store, begun: Versioned, over: AbortSignal): Run {
  const fence = stateUnchanged("run", begun);
  const held = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer;
    if (over.aborted) throw new RunOver();
    return value;
  };
  const commit: Store["commit"] = async (writes) => {
    if (over.aborted) throw new RunOver();
    const result = await held(store.commit({ ...writes, expect: [fence, ...(writes.expect ?? [])] }));
    if (!result.ok && result.failures.some(isOf(fence))) throw new RunOver();
    return result;
  };
  return {
    async session() {
      const { session, run } = await held(readHolders(store));
      if (!session?.body || run?.version !== begun.version) throw new RunOver();
      return session.body as unknown as SessionRecord;
    },
    store: committingBy(store, commit, held),
  };
}
