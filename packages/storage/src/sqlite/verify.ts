import { counted, type StoreCensus, StoreError, type StoreFault } from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { trigramsTable, writePending } from "./pending-trigrams.ts";
import { refusal, withinMemory } from "./refusal.ts";
import { isBeyond, type Place, type Scan, type Scanned } from "./scan.ts";
import { isOfSchema } from "./schema.ts";
import { missingObjects, strayTables, tablesOfIndex } from "./schema-objects.ts";
import { hasTable, numbersRows, unnumbered } from "./schema-tables.ts";
import { faultsOfPages, forgetDamage, markDamage } from "./soundness.ts";
import { type SubstringIndex, substringIndexes } from "./substrings.ts";
import { findsAllTrigrams, isOfStatement } from "./trigram-damage.ts";
import { documentScan } from "./verify-documents.ts";
import { departureScan, feedScan, pendingFeedScan } from "./verify-feeds.ts";
import { claimScan, entryScan, substringScan } from "./verify-rows.ts";

/** Tells a fault. */
export type Tell = (fault: StoreFault) => void;

/** Runs a piece of work as one call on the store, when others have had their turn. */
export type InTurn = <T>(work: () => T) => Promise<T>;

/** Where verifying and rebuilding happen. */
export interface Upkeep {
  readonly connection: Connection;
  /** Names the file in messages. */
  readonly where: string;
  readonly inTurn: InTurn;
}

/**
 * Compares everything with everything, a slice at a time: each slice sees one state of the file, so what others commit
 * meanwhile is no fault. Only the checks of the medium read a whole table at once, and then the whole file.
 *
 * @throws StoreError `newer-schema` when later software has upgraded the file: its tables are others, and no fault.
 */
export async function verifyStore(given: Upkeep, tellFault: Tell): Promise<StoreCensus> {
  const upkeep = whileOfSchema(given);
  const { connection, inTurn, where } = upkeep;
  let faults = 0;
  const tell: Tell = (fault) => {
    faults += 1;
    tellFault(fault);
  };
  await checkMedium(upkeep, tell);
  const indexes = await checkObjects(upkeep, tell);
  await attempt(where, tell, () => inTurn(() => checkIdentity(connection, tell)));
  const documents = await scanned(upkeep, documentScan(indexes), tell);
  const claims = await scanned(upkeep, claimScan, tell);
  const entries = await scanned(upkeep, entryScan, tell);
  const feeds = (await scanned(upkeep, feedScan, tell)) + (await scanned(upkeep, pendingFeedScan, tell));
  await scanned(upkeep, departureScan, tell);
  for (const index of indexes) {
    await scanned(upkeep, substringScan(index), tell);
    await checkTrigrams(upkeep, index, tell);
  }
  if (faults === 0) await checkFile(upkeep, tell);
  await (faults === 0 ? inTurn(() => forgetDamage(connection, where)) : keepMarked(upkeep, faults));
  return { documents, claims, entries, feeds };
}

/** Has each piece of work look first whose schema the file has by then. */
function whileOfSchema({ connection, where, inTurn }: Upkeep): Upkeep {
  const looking: InTurn = (work) =>
    inTurn(() => {
      isOfSchema(connection, where);
      return work();
    });
  return { connection, where, inTurn: looking };
}

/** A server that starts on the file later knows of it then. Values, which faults may name, are not for its log. */
async function keepMarked({ connection, inTurn, where }: Upkeep, faults: number): Promise<void> {
  try {
    await inTurn(() => markDamage(connection, where, counted(faults, "fault")));
  } catch (error) {
    // A file in which nothing can be written is refused by itself; the faults have been told.
    if (refusal(error, where).code === "newer-schema") throw error;
  }
}

/** SQLite compares each table with its indexes, and each table of trigrams with itself. */
async function checkMedium({ connection, inTurn, where }: Upkeep, tell: Tell): Promise<void> {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
  const tables = await inTurn(() => connection.rows<{ name: string }>(sql));
  for (const { name } of tables) {
    await attempt(where, tell, async () => {
      const look = () =>
        withinMemory(() => faultsOfPages(connection, `integrity_check('${name}')`, name), where);
      for (const found of await inTurn(() => connection.snapshot(look))) {
        tell({ about: "medium", message: `table ${name}: ${found}` });
      }
    });
  }
}

/** The checks of tables know of no free pages, and of none that two tables have. */
async function checkFile({ connection, inTurn, where }: Upkeep, tell: Tell): Promise<void> {
  await attempt(where, tell, async () => {
    const look = () => faultsOfPages(connection, "quick_check");
    for (const found of await inTurn(() => connection.snapshot(look))) {
      tell({ about: "medium", message: `the whole file: ${found}` });
    }
  });
}

/** Tells what of the schema is missing. Answers the indexes of trigrams that have their tables. */
async function checkObjects(
  { connection, inTurn, where }: Upkeep,
  tell: Tell,
): Promise<readonly SubstringIndex[]> {
  let indexes: readonly SubstringIndex[] = [];
  await attempt(where, tell, () =>
    inTurn(() => {
      if (hasTable(connection, "documents") && !numbersRows(connection, "documents")) {
        tell({ about: "medium", message: unnumbered });
      }
      indexes = substringIndexes(connection);
      if (!connection.row("SELECT 1 FROM substring_indexes WHERE typeof(idx) <> 'text'")) return;
      tell({ about: "substrings", message: "the name of an index of trigrams is no text" });
    }),
  );
  const missing = new Set(await inTurn(() => missingObjects(connection, indexes)));
  for (const one of missing) {
    const about = /substrings_|codes_|pending_\d/.test(one) ? "substrings" : "medium";
    tell({ about, message: `the ${one} is missing` });
  }
  for (const table of await inTurn(() => strayTables(connection, indexes))) {
    const message = `the table ${table} belongs to no index, so it may keep what was erased`;
    tell({ about: "substrings", message });
  }
  const isThere = (table: string) => !missing.has(`table ${table}`);
  return indexes.filter((index) => tablesOfIndex(index).every(isThere));
}

/** A cursor without the store's name, or beyond a position that is none, would be anybody's. */
function checkIdentity(connection: Connection, tell: Tell): void {
  const rows = connection.rows<{ id: unknown; position: unknown }>("SELECT id, position FROM store");
  const [store] = rows;
  const told = (fault: string) => tell({ about: "feed", message: `the store's own row: ${fault}` });
  if (!store || rows.length > 1) {
    told(`there are ${rows.length}, not 1`);
    return;
  }
  if (typeof store.id !== "string" || store.id === "")
    told("its name is empty, so that cursors are anybody's");
  if (!Number.isSafeInteger(store.position) || Number(store.position) < 0) told("its position is no integer");
}

/** FTS5 compares all trigrams with all texts, with those that wait as if they were written. Nobody else writes meanwhile. */
async function checkTrigrams(
  { connection, inTurn, where }: Upkeep,
  { number, name }: SubstringIndex,
  tell: Tell,
): Promise<void> {
  const table = trigramsTable(number);
  const isWrong = () =>
    tell({ about: "substrings", message: `the index ${name}: its trigrams are not those of its texts` });
  const look = () => {
    writePending(connection, number);
    connection.run(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`);
    if (!findsAllTrigrams(connection, table)) isWrong();
  };
  await attempt(where, isWrong, async () => {
    await inTurn(() => connection.undone(() => withinMemory(look, where)));
  });
}

/** Goes through a table to its end; answers how many of its rows count. */
async function scanned<Row extends Scanned>(upkeep: Upkeep, scan: Scan<Row>, tell: Tell): Promise<number> {
  const { connection, inTurn, where } = upkeep;
  let count = 0;
  let after: Place | undefined = scan.start;
  while (after !== undefined) {
    const from: Place = after;
    after = undefined;
    await attempt(where, tell, async () => {
      const rows = await inTurn(() =>
        connection.snapshot(() => checkedSlice(connection, scan, { from, tell })),
      );
      count += scan.counts ? rows.filter(scan.counts).length : rows.length;
      const last = rows.at(-1);
      if (!last) return;
      const place = scan.placeOf(last);
      if (isBeyond(connection, scan.start, [place, from])) after = place;
      else tell({ about: "medium", message: `table ${scan.table}: ${disorder}` });
    });
  }
  return count;
}

const disorder = "its rows do not stand in their order, so that what comes after them was not looked at";

function checkedSlice<Row extends Scanned>(
  connection: Connection,
  scan: Scan<Row>,
  { from, tell }: { readonly from: Place; readonly tell: Tell },
): readonly Row[] {
  const rows = scan.read(connection, from);
  for (const row of rows) {
    if (row.wrong === undefined || row.wrong === null) scan.check(row, connection, tell);
    else {
      const message = `table ${scan.table}: a value in the column ${row.wrong} is not of the column's type`;
      tell({ about: "medium", message });
    }
  }
  return rows;
}

/** What can't be read is a fault of the medium, and not the end of the examination. */
async function attempt(where: string, tell: Tell, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    // Of the table itself it has been told.
    if (isMissingTable(cause)) return;
    const error = refusal(cause, where);
    const reason = error.cause;
    if (error.code === "corrupt") tell({ about: "medium", message: error.message });
    // The statements are right for this schema: one that SQLite does not understand meets a damaged declaration.
    else if (isOfStatement(reason))
      tell({ about: "medium", message: `the declaration of a table is damaged (${reason.message})` });
    else throw error;
  }
}

function isMissingTable(cause: unknown): boolean {
  const reason = cause instanceof StoreError ? cause.cause : cause;
  return reason instanceof Error && /^no such table: /.test(reason.message);
}
