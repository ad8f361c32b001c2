import type { Store } from "@fieldroll/core";
import { collections } from "../device/documents.ts";
import { longestDelay } from "../model/backoff.ts";
import { entryId, type OutboxEntry } from "../model/entry.ts";
import type { Verdict } from "../model/verdict.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { Past } from "./state.ts";

/** Attempts at one request without a verdict after which it may be its own fault, and the time that takes at least, in milliseconds. */
const most = 8;
const [hour, day] = [60 * 60_000, 24 * 60 * 60_000];

/** Work for which the server has no verdict. `since`: when it was first to be sent, a UTC instant. */
export type Untold = Pick<OutboxEntry, "type" | "key" | "attempts"> & { readonly since: string };

/** What it takes to know how others fare. */
export interface Others {
  readonly store: Store;
  readonly now: Date;
  readonly past: Past;
}

/**
 * What becomes of a request that never has a verdict. While others get through, waiting does not help it: a firewall dislikes its content,
 * the server fails on it, or it is too large for a network. It waits for a person then, and is tried again by itself a day later; should it have
 * had its effect after all, the next one meets that as a conflict or a duplicate. Where nothing gets through, it is no request's fault.
 *
 * @param verdict what one more attempt without a verdict comes to
 */
export async function inTheEnd(
  entry: Untold,
  { reply, verdict }: { readonly reply: Checked<unknown>; readonly verdict: Verdict },
  others: Others,
): Promise<Verdict> {
  if (verdict.kind !== "unknown" || reply.kind === "unauthorized") return verdict;
  const now = others.now.getTime();
  // A clock that was put back since tells nothing of what was first.
  const since = Math.min(Date.parse(entry.since), now);
  const age = since < now ? now - since : Number.POSITIVE_INFINITY;
  if (entry.attempts + 1 < most || age < hour) return verdict;
  const { detail } = verdict;
  const soon = await isItsOwn(entry, { reply, age, since }, others);
  if (soon === null) return { ...verdict, isOld: true };
  const again = { at: new Date(now + day).toISOString(), soon };
  return { kind: "rejected", detail: `${detail} ${triedLong}`, errors: [], again };
}

const triedLong =
  "It was tried many times and had no answer that counts, while others had. Correct the record, send it again or discard the " +
  "change; else it is tried again in a day.";

/**
 * Whether nothing but a request itself can be in its way. What no other write got through beside either is its own fault only where it is the one that
 * fails, or where that goes on for a day.
 *
 * @returns whether it is worth trying as soon as another one gets through; `null` where it is not its own
 */
async function isItsOwn(
  entry: Untold,
  { reply, age, since }: { readonly reply: Checked<unknown>; readonly age: number; readonly since: number },
  { store, now, past }: Others,
): Promise<boolean | null> {
  // A network may be bad for hours.
  if (age < day && reply.kind === "no-answer" && reply.why !== "not-the-api") return null;
  const isPutBack = !Number.isFinite(age);
  const heard = (at: number | null = null) =>
    at !== null && (isPutBack ? Math.abs(now.getTime() - at) <= 2 * longestDelay : at > since);
  if (heard(past.lastWriteAt)) return false;
  return heard(past.lastReadAt) && (age >= day || (await isAlone(store, entry))) ? true : null;
}

async function isAlone(store: Store, { type, key }: Untold): Promise<boolean> {
  const where = [{ index: "state", anyOf: ["sending"] }];
  const { documents } = await store.query({ collection: collections.outbox, where, limit: 20 });
  return documents.every(
    (document) =>
      document.key === entryId(type, key) || (document.body as { attempts: number }).attempts === 0,
  );
}
