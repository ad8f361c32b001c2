import type { Entries, Json } from "@fieldroll/core";
import { grouped, writeBundles } from "./bundles.ts";
import { documentKey } from "./names.ts";
import { writeBlocks, writeCounter, writeShelf } from "./pack.ts";
import { answered, type Work } from "./requests.ts";
import { type BlockNote, type FirstDocumentRow, toRow } from "./rows.ts";

/** Documents in memory at a time. */
const chunk = 500;

/**
 * Leads from the first layout to this one, inside the transaction of the upgrade: documents move into bundles, and what
 * queries look at is packed. Cut off, nothing of it has happened.
 *
 * @param told called as it goes on
 */
export async function upgrade(work: Work, told: () => void): Promise<void> {
  const before = work.transaction.objectStore("documents");
  let newest = 0;
  let last = "";
  let shelf: { readonly collection: string; readonly blocks: readonly BlockNote[] } | undefined;
  for (let more = true; more; ) {
    told();
    const range = work.ranges.lowerBound(last, true);
    const rows = await answered<FirstDocumentRow[]>(before.getAll(range, chunk));
    for (const [collection, part] of grouped(rows, ({ id }) => documentKey(id).collection)) {
      const documents = part.map(fromFirst);
      writeBundles(work, documents.map(toRow));
      const blocks = writeBlocks(work, { collection, documents, newest });
      newest += blocks.length;
      const known = shelf?.collection === collection ? shelf.blocks : [];
      shelf = { collection, blocks: [...known, ...blocks] };
      writeShelf(work, collection, shelf.blocks);
    }
    last = rows.at(-1)?.id ?? last;
    more = rows.length === chunk;
  }
  writeCounter(work, newest);
}

function fromFirst({ id, version, claims, feeds, text }: FirstDocumentRow) {
  const [body, entries] = JSON.parse(text) as [Json, Entries];
  return { ...documentKey(id), version, body, claims, entries, feeds };
}
