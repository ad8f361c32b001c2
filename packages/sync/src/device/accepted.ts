import type {
  Document,
  DocumentKey,
  Expectation,
  Json,
  ResourceType,
  Store,
  StoredDocument,
} from "@fieldroll/core";
import { type Accepted, changesLostIn, lostIn, withAccepted } from "../model/accepted.ts";
import { entryId } from "../model/entry.ts";
import type { Settled } from "../model/settled.ts";
import { collections, everyDocument, unchanged } from "./documents.ts";
import { entryOf } from "./outbox.ts";
import type { CommitParts, Work } from "./work.ts";

/** How long it is kept what the server accepted, and how edits ended, in milliseconds. */
export const keptFor = 90 * 24 * 60 * 60_000;

/** Documents moved or removed in one commit. */
export const batch = 100;

/** Where it is kept what the server accepted of a record. */
export function acceptedKey(type: ResourceType, key: string): DocumentKey {
  return { collection: collections.accepted, key: entryId(type, key) };
}

/** What is kept of a record's accepted requests, oldest first. */
export function acceptedIn({ accepted }: Pick<Work, "accepted">): readonly Accepted[] {
  return accepted ? (accepted.body as unknown as readonly Accepted[]) : [];
}

/** Whether a request from here made a record, as far as is kept. */
export function isMadeHere(work: Pick<Work, "accepted">): boolean {
  return acceptedIn(work).some(({ before }) => before === null);
}

/** Reads, for records that were read, what is kept of their accepted requests too. */
export async function loadAccepted(store: Store, works: readonly Work[]): Promise<readonly Work[]> {
  const keys = works.map(({ type, key }) => acceptedKey(type, key));
  const found = keys.length > 0 ? await store.get(keys) : [];
  return works.map((work, i) => ({ ...work, accepted: found[i] }));
}

/** Whether anything is kept of accepted requests: on a new device nothing is. */
export async function hasAccepted(store: Store, account?: string): Promise<boolean> {
  const where = account === undefined ? [] : [{ index: "account", anyOf: [account] }];
  const collection = account === undefined ? collections.accepted : collections.acceptedSealed;
  return (await store.query({ collection, where, limit: 1 })).documents.length > 0;
}

/** Whether anything is kept that another state of the server's data accepted, or nobody knows which. */
export async function hasLost(store: Store, epoch: string): Promise<boolean> {
  for await (const accepted of everyDocument(store, { collection: collections.accepted })) {
    if (lostIn(acceptedIn({ accepted }), epoch).length > 0) return true;
  }
  return false;
}

/**
 * What a settled record changes in it. It goes with the record: of what left this device, nothing stays. What was kept beside a record that may have
 * been lost goes once that is there, and has all of it.
 */
export function acceptedParts(work: Work, { entry, local, accepted, kept }: Settled): CommitParts {
  const before = acceptedIn(work);
  const isBack = work.outbox !== undefined && entryOf(work.outbox).base === null && entry?.base !== null;
  const still = local ? (kept ?? (isBack ? [] : before)) : [];
  const after = local && accepted ? withAccepted(still, accepted) : still;
  if (after === before || (after.length === 0 && !work.accepted)) return { expect: [], put: [], remove: [] };
  const at = acceptedKey(work.type, work.key);
  const expect: Expectation[] = [unchanged(at, work.accepted)];
  if (after.length === 0) return { expect, put: [], remove: [at] };
  return { expect, put: [documentOf(at, work.accepted, after)], remove: [] };
}

/** What is kept of a record, as a document. @param account whose it is, where it is put away */
export function documentOf(
  at: DocumentKey,
  previous: StoredDocument | undefined,
  accepted: readonly Accepted[],
  account?: string,
): Document {
  const newest = accepted.at(-1)?.at ?? "";
  const epochs = new Set(changesLostIn(accepted, "").map(({ epoch }) => epoch ?? ""));
  return {
    ...at,
    version: (previous?.version ?? 0) + 1,
    body: accepted as unknown as Json,
    entries: { at: [newest], epoch: [...epochs], ...(account !== undefined && { account: [account] }) },
  };
}

/** Forgets what is too old: of accepted requests, and of how edits left the outbox. @param now by the clock that is behind, of the server's and this device's */
export async function forgetOld(store: Store, now: Date): Promise<void> {
  const below = new Date(now.getTime() - keptFor).toISOString();
  for (const collection of [collections.history, collections.accepted, collections.acceptedSealed]) {
    const { documents } = await store.query({ collection, where: [{ index: "at", below }], limit: batch });
    const remove = documents.map(({ key }) => ({ collection, key }));
    if (remove.length > 0) await store.commit({ remove, durability: "relaxed" });
  }
}

/** What was accepted from a person by a server at another address says nothing of this one. */
export async function forgetAccepted(store: Store): Promise<void> {
  for await (const { collection, key } of everyDocument(store, { collection: collections.accepted })) {
    await store.commit({ remove: [{ collection, key }] });
  }
}
