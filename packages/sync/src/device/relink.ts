import {
  type Document,
  type Expectation,
  type Links,
  type ResourceType,
  recordDocument,
  type Store,
  storedRecord,
} from "@fieldroll/core";
import { collections, everyDocument, unchanged } from "./documents.ts";
import { entryDocument, entryOf } from "./outbox.ts";
import type { CommitParts } from "./work.ts";

/** Where records refer to others, as indexes. */
const uses: readonly { readonly collection: ResourceType; readonly index: string }[] = [
  { collection: "Group", index: "member" },
  { collection: "Group", index: "formerMember" },
  { collection: "ProgramMembership", index: "beneficiary" },
  { collection: "ProgramMembership", index: "program" },
];

/** Records and unsent work that lead to one key, leading to another. */
export async function relinked(store: Store, from: string, to: string): Promise<CommitParts> {
  const { expect, put } = await recordsRelinked(store, from, to);
  const entries = await entriesRelinked(store, from, to);
  return { expect: [...expect, ...entries.expect], put: [...put, ...entries.put], remove: [] };
}

/** Records that lead to one key, leading to another. A claim that follows from that, and that another record has, they do without. */
export async function recordsRelinked(store: Store, from: string, to: string): Promise<CommitParts> {
  const expect: Expectation[] = [];
  const put: Document[] = [];
  for (const { collection, index } of uses) {
    for await (const document of everyDocument(store, { collection, where: [{ index, anyOf: [from] }] })) {
      const { links, ...stored } = storedRecord(document);
      if (put.some((each) => each.collection === collection && each.key === document.key)) continue;
      const version = document.version + 1;
      const next = recordDocument({ ...stored, version, links: ledTo(links, from, to) });
      const claims = next.claims ?? [];
      const holders = await store.resolve(claims);
      const free = claims.filter((_, i) => (holders[i]?.key ?? document.key) === document.key);
      expect.push(unchanged(document, document));
      put.push({ ...next, claims: free });
    }
  }
  return { expect, put, remove: [] };
}

async function entriesRelinked(store: Store, from: string, to: string): Promise<CommitParts> {
  const expect: Expectation[] = [];
  const put: Document[] = [];
  for await (const document of everyDocument(store, { collection: collections.outbox })) {
    const { meant, ...entry } = entryOf(document);
    if (!meant || !Object.values(meant).includes(from)) continue;
    expect.push(unchanged(document, document));
    put.push(entryDocument({ ...entry, meant: ledTo(meant, from, to) }, document));
  }
  return { expect, put, remove: [] };
}

/** Links with another one's key in the place of a record's. */
export function ledTo(links: Links, from: string, to: string): Links {
  return Object.fromEntries(Object.entries(links).map(([raw, key]) => [raw, key === from ? to : key]));
}
