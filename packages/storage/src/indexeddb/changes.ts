import { type Change, type ChangesPage, type ChangesRequest, StoreError } from "@fieldroll/core";
import { documentAt, findPlaces } from "./bundles.ts";
import { documentKey, feedPosition, feedSpan } from "./names.ts";
import { rangeOf, readCounter, readFeedRows, type Work } from "./requests.ts";

/** Reads one page of a feed inside one transaction. */
export async function runChanges(work: Work, request: ChangesRequest): Promise<ChangesPage> {
  const after = readCursor(request.cursor);
  // The counter is read too: a cursor beyond it comes from another store, or from before this one was wiped.
  if (after > (await readCounter(work, "position"))) throw badCursor();
  const span = rangeOf(work, feedSpan(request.feed, after), true);
  const rows = await readFeedRows(work, span, request.limit + 1);
  const page = rows.slice(0, request.limit);
  const present = page.filter((row) => !row.gone).map((row) => row.document);
  const places = await findPlaces(work, "ids", present);
  const changes = page.map((row): Change => {
    const document = row.gone ? undefined : documentAt(places.get(row.document));
    return document ? { kind: "put", document } : { kind: "gone", ...documentKey(row.document) };
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
