import type { Json, Store } from "@fieldroll/core";
import { readState, stateDocument, stateUnchanged, type Versioned } from "./documents.ts";

/** Who is signed in on this device. The secret is not part of it: it is never stored. */
export interface SessionRecord {
  readonly clientId: string;
  readonly token: string;
}

/** How often the session is replaced anew because it changed meanwhile. */
export const rounds = 5;

/** Reads who is signed in: another tab may have changed it. */
export async function readSession(store: Store): Promise<SessionRecord | null> {
  const document = await readState(store, "session");
  return document ? ((document.body as unknown as SessionRecord | null) ?? null) : null;
}

/**
 * Keeps who is signed in, and with it whose device this is from now on.
 *
 * @returns whether the session was still the one that it replaces
 */
export async function keepSession(
  store: Store,
  session: SessionRecord | null,
  replaces: Versioned | undefined,
): Promise<boolean> {
  const next = stateDocument("session", replaces, session as unknown as Json);
  const owner = session && stateDocument("owner", await readState(store, "owner"), session.clientId);
  const expect = [stateUnchanged("session", replaces)];
  return (await store.commit({ expect, put: owner ? [next, owner] : [next] })).ok;
}

/** Signs whoever it is out. @returns the document that says so */
export async function endSession(store: Store): Promise<Versioned> {
  for (let round = 0; round < rounds; round++) {
    const found = await readState(store, "session");
    if (await keepSession(store, null, found)) return { version: (found?.version ?? 0) + 1 };
  }
  throw new Error("Others keep signing in on this device; try again.");
}
