import type { Json, Store } from "@fieldroll/core";
import { collections, readState, stateDocument, stateUnchanged, type Versioned } from "./documents.ts";

/** Who is signed in on this device. The secret is not part of it: it is never stored. */
export interface SessionRecord {
  readonly clientId: string;
  readonly token: string;
  /** What the token is good for, where the server said so; former versions wrote none down. */
  readonly scopes?: readonly string[];
}

/** How often the session is replaced anew because it changed meanwhile. */
export const rounds = 5;

/** Reads who is signed in: another tab may have changed it. */
export async function readSession(store: Store): Promise<SessionRecord | null> {
  const document = await readState(store, "session");
  return document ? ((document.body as unknown as SessionRecord | null) ?? null) : null;
}

/** Reads, as of one moment, the session's document and the one that is written when a run begins, and when it may not go on. */
export async function readHolders(store: Store) {
  const [session, run] = await store.get(
    ["session", "run"].map((key) => ({ collection: collections.sync, key })),
  );
  return { session, run };
}

/**
 * Keeps who is signed in, and with it whose device this is from now on.
 *
 * @returns whether the session was still the one that it replaces
 */
export async function keepSession(
  store: Store,
  session: SessionRecord,
  replaces: Versioned | undefined,
): Promise<boolean> {
  const next = stateDocument("session", replaces, session as unknown as Json);
  const owner = stateDocument("owner", await readState(store, "owner"), session.clientId);
  return (await store.commit({ expect: [stateUnchanged("session", replaces)], put: [next, owner] })).ok;
}

/** Signs whoever it is out, and ends the run that acts for them. @returns the session's document that says so */
export async function endSession(store: Store): Promise<Versioned> {
  for (let round = 0; round < rounds; round++) {
    const { session, run } = await readHolders(store);
    const ended = stateDocument("session", session, null);
    const expect = [stateUnchanged("session", session), stateUnchanged("run", run)];
    if ((await store.commit({ expect, put: [ended, stateDocument("run", run, null)] })).ok) return ended;
  }
  throw new Error("Others keep signing in on this device; try again.");
}
