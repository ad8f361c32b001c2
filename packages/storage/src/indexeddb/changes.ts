import { type Change, type ChangesPage, type ChangesRequest, StoreError } from "@fieldroll/core";
import { documentKey, feedPlace, feedPosition, startingWith } from "./names.ts";
import { readFeedRows, readPosition, readRows, type Work } from "./requests.ts";
import { toDocument } from "./rows.ts";

/** Reads one page of a feed inside one transaction. */
export async function runChanges(work: Work, request: ChangesRequest): Promise<ChangesPage> {
  const after = readCursor(request.cursor);
  // The counter is read too: a cursor beyond it comes from another store, or from before this one was wiped.
  const newest = await readPosition(work);
  if (after > newest) throw badCursor();
  const span = { from: feedPlace(request.feed, after), below: startingWith(`${request.feed}\u0000`).below };
  const rows = await readFeedRows(work, work.range(span, { openFrom: true }), request.limit + 1);
  const page = rows.slice(0, request.limit);
  const present = page.filter((row) => !row.gone).map((row) => row.document);
  const documents = new Map((await readRows(work, present)).map((row) => [row?.id, row]));
  const changes = page.map((row): Change => {
    const document = row.gone ? undefined : documents.get(row.document);
    return document
      ? { kind: "put", document: toDocument(document) }
      : { kind: "gone", ...documentKey(row.document) };
  });
  const last = page.at(-1);
  return { changes, next: `i${last ? feedPosition(last.place) : after}`, more: rows.length > page.length };
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^i(?:0|[1-9]\d{0,14})$/.test(cursor)) throw badCursor();
  return Number(cursor.slice(1));
}

function badCursor(): StoreError {
  return new StoreError(
    "bad-cursor",
    "The cursor is not one of this store's. Read the feed from the beginning.",
  );
}
