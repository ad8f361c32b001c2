import type { Document, DocumentKey, Failure, JsonObject, ResourceType, Store } from "@fieldroll/core";
import { namesOf } from "../model/content.ts";
import type { OutboxEntry } from "../model/entry.ts";
import { itemNames, type PulledItem } from "./locate.ts";
import { entryOf } from "./outbox.ts";
import { addressed, type CommitParts, entryIn, loadWork, outboxKey, serverCopy, type Work } from "./work.ts";

/**
 * What the items of a page write, with no claim in two of its documents: a number that was only typed in here, or that unsent work still
 * has, is left to whom the page calls by it.
 */
export function eachOnce(
  writers: readonly { readonly item: PulledItem; readonly parts: CommitParts }[],
): readonly CommitParts[] {
  const claimed = writers.flatMap(({ item, parts }) =>
    parts.put.flatMap((document) => {
      const told = document.collection === item.type ? itemNames(item) : [];
      return (document.claims ?? []).map((claim) => ({ claim, document, isTold: told.includes(claim) }));
    }),
  );
  const holders = new Map<string, (typeof claimed)[number]>();
  for (const each of claimed) {
    const { claim, isTold } = each;
    if (!holders.has(claim) || (isTold && !holders.get(claim)?.isTold)) holders.set(claim, each);
  }
  const others = claimed.filter(({ claim, document }) => holders.get(claim)?.document !== document);
  if (others.length === 0) return writers.map(({ parts }) => parts);
  const left = (document: Document) =>
    new Set(others.flatMap((each) => (each.document === document ? each.claim : [])));
  return writers.map(({ parts }) => ({
    ...parts,
    put: parts.put.map((document) => addressed(document, left(document))),
  }));
}

/**
 * Claims that a record does without because its number was only typed in here, while the server calls another record by it: whichever
 * of the two is told of last, who looks for that number finds the other one.
 *
 * @param decided what the records become, as it was tried to be committed
 */
export async function claimsToLeave(
  store: Store,
  failures: readonly Failure[],
  decided: readonly CommitParts[],
): Promise<ReadonlySet<string>> {
  const put = decided.flatMap((parts) => parts.put);
  const remove = decided.flatMap((parts) => parts.remove);
  const taken = failures.flatMap((failure) => {
    if (failure.kind !== "claim-taken") return [];
    const { claim, holder } = failure;
    const taker = put.find(({ claims }) => claims?.includes(claim));
    return taker ? [{ claim, holder, taker }] : [];
  });
  const name = ({ collection, key }: DocumentKey) => ({ type: collection as ResourceType, key });
  const [takers, holders] = await Promise.all([
    loadWork(
      store,
      taken.map(({ taker }) => name(taker)),
    ),
    loadWork(
      store,
      taken.map(({ holder }) => name(holder)),
    ),
  ]);
  const isCalled = (claim: string, work: Work | undefined, told: JsonObject | null | undefined) =>
    work !== undefined && namesOf(work.type, told ?? {}).includes(claim);
  const left = taken.filter(({ claim }, i) => {
    const [work, holder] = [takers[i], holders[i]];
    const entry = work && entryAfter(work, { put, remove });
    const isTypedIn = entry?.base != null && !isCalled(claim, work, entry.base);
    return isTypedIn && holder && isCalled(claim, holder, serverCopy(holder));
  });
  return new Set(left.map(({ claim }) => claim));
}

/** The unsent work of a record as a commit would leave it. */
function entryAfter(work: Work, { put, remove }: Pick<CommitParts, "put" | "remove">): OutboxEntry | null {
  const { collection, key } = outboxKey(work.type, work.key);
  const isIt = (each: DocumentKey) => each.collection === collection && each.key === key;
  const written = put.find(isIt);
  if (written) return entryOf(written);
  return remove.some(isIt) ? null : entryIn(work);
}
