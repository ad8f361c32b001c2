import { type Change, type ChangesPage, type ChangesRequest, fitting, StoreError } from "@fieldroll/core";
import { documentAt, findPlaces, sizeAt } from "./bundles.ts";
import { readIdentity } from "./identity.ts";
import { documentKey, feedPosition, feedSpan } from "./names.ts";
import { rangeOf, readCounter, readFeedRows, type Work } from "./requests.ts";

/** Reads one page of a feed inside one transaction. */
export async function runChanges(work: Work, request: ChangesRequest): Promise<ChangesPage> {
  const [newest, identity] = await Promise.all([
    readCounter(work, "position"),
    readIdentity(work.transaction),
  ]);
  const prefix = `i${identity ?? ""}.`;
  const after = readCursor(request.cursor, prefix);
  // A cursor beyond the newest change is of a later state of this store, from before it was restored.
  if (after > newest) throw badCursor();
  const span = rangeOf(work, feedSpan(request.feed, after), true);
  const rows = await readFeedRows(work, span, request.limit + 1);
  const first = rows.slice(0, request.limit);
  const present = first.filter((row) => !row.gone).map((row) => row.document);
  const places = await findPlaces(work, "ids", present);
  const sizes = first.map((row) => (row.gone ? 0 : sizeAt(places.get(row.document))));
  const page = first.slice(0, fitting(sizes, request.bytes));
  const changes = page.map((row): Change => {
    const document = row.gone ? undefined : documentAt(places.get(row.document));
    return document ? { kind: "put", document } : { kind: "gone", ...documentKey(row.document) };
  });
  const last = page.at(-1);
  return {
    changes,
    next: `${prefix}${last ? feedPosition(last.place) : after}`,
    more: rows.length > page.length,
  };
}

function readCursor(cursor: string | undefined, prefix: string): number {
  if (cursor === undefined) return 0;
  const digits = cursor.startsWith(prefix) ? cursor.slice(prefix.length) : "";
  if (!/^(?:0|[1-9]\d{0,14})$/.test(digits)) throw badCursor();
  return Number(digits);
}

function badCursor(): StoreError {
  return new StoreError(
    "bad-cursor",
    "The cursor is not one of this store's. Read the feed from the beginning.",
  );
}
