import type { StoreCensus, StoreFault } from "@fieldroll/core";
import { fromColumn } from "../text.ts";
import type { Database, Row, Value } from "./client.ts";
import { farthest } from "./cluster.ts";
import { wrongColumns } from "./columns.ts";
import { damage, declaredEntries, isDamaged, textsOf } from "./declared.ts";
import { keyFrom } from "./rows.ts";
import { migrationsOf, refuseNewer } from "./schema.ts";
import { type Missing, missingMessage, missingObjects, strangeObjects } from "./schema-objects.ts";

/** Told each fault as it is found. */
export type Tell = (fault: StoreFault) => void;

/** A fault as a statement finds it. `what` is a claim, a feed, or the name of an index; never a value. */
interface FaultRow extends Row {
  readonly about: "claim" | "entry" | "feed" | "document";
  readonly collection: string;
  readonly key: string;
  readonly what: string;
  readonly message: string;
}

/** A table that is walked through along its key, and what is looked for in each part of it. */
interface Scan {
  readonly table: "documents" | "claims" | "entries" | "feeds";
  /** The columns of the primary key: texts, but for those of {@link numbers}. */
  readonly by: readonly string[];
  /** Which rows are counted. */
  readonly counted?: string;
  /** Selects {@link FaultRow}s; `rows` names the part. */
  readonly faults: (schema: string, rows: string) => string;
}

const numbers: Readonly<Record<string, string>> = { position: "bigint", nth: "integer" };

/** Rows that are looked at by one statement: it sees one state of the database, so what others write meanwhile is no fault. */
const atOnce = 2000;

const scans: readonly Scan[] = [
  {
    table: "documents",
    by: ["collection", "key"],
    faults: (schema, rows) => `
      SELECT 'document' AS about, d.collection, d.key, '' AS what,
        coalesce('the document has version ' || d.version, 'the document has no version') AS message
      FROM ${rows} d WHERE (d.version BETWEEN 1 AND 9007199254740991) IS NOT TRUE
      UNION ALL
      SELECT 'document', d.collection, d.key, '', '${damage}' FROM ${rows} d WHERE ${isDamaged}
      UNION ALL
      SELECT 'claim', d.collection, d.key, c.claim,
        CASE WHEN h.claim IS NULL THEN 'is declared, but kept for no document' ELSE 'is declared, but kept for another document' END
      FROM ${rows} d CROSS JOIN LATERAL (SELECT DISTINCT ${textsOf("d.claims")} AS claim) c
      LEFT JOIN ${schema}.claims h ON h.claim = ${schema}.short(c.claim)
      WHERE h.claim IS NULL OR h.collection <> d.collection OR h.key <> d.key
      UNION ALL
      SELECT 'entry', x.collection, x.key, x.idx,
        CASE WHEN e.key IS NULL THEN 'lacks a value that the document declares' ELSE 'has another value first than the document declares' END
      FROM (${declaredEntries(schema, rows)}) x
      LEFT JOIN ${schema}.entries e ON e.collection = x.collection AND e.idx = x.idx AND e.value = x.value AND e.key = x.key
      WHERE e.key IS NULL OR e.first <> x.first
      UNION ALL
      SELECT 'feed', d.collection, d.key, n.feed, 'does not tell the document, which declares it'
      FROM ${rows} d CROSS JOIN LATERAL (SELECT DISTINCT ${textsOf("d.feeds")} AS feed) n
      LEFT JOIN ${schema}.feeds f ON f.feed = ${schema}.short(n.feed) AND (f.position, f.nth) = (d.position, d.nth)
        AND f.collection = d.collection AND f.key = d.key AND NOT f.gone
      WHERE f.key IS NULL`,
  },
  {
    table: "claims",
    by: ["claim"],
    faults: (schema, rows) => `
      SELECT 'claim' AS about, c.collection, c.key, c.claim AS what,
        CASE WHEN d.key IS NULL THEN 'is kept for a document that is not there' ELSE 'is kept for a document that does not declare it' END AS message
      FROM ${rows} c LEFT JOIN ${schema}.documents d ON d.collection = c.collection AND d.key = c.key
      WHERE d.key IS NULL OR NOT EXISTS (
        SELECT 1 FROM ${textsOf("d.claims")} AS x(claim) WHERE ${schema}.short(x.claim) = c.claim)`,
  },
  {
    table: "entries",
    by: ["collection", "idx", "value", "key"],
    faults: (schema, rows) => `
      SELECT 'entry' AS about, e.collection, e.key, e.idx AS what,
        CASE WHEN d.key IS NULL THEN 'names a document that is not there' ELSE 'has a value that the document does not declare' END AS message
      FROM ${rows} e LEFT JOIN ${schema}.documents d ON d.collection = e.collection AND d.key = e.key
      WHERE d.key IS NULL OR NOT EXISTS (
        SELECT 1 FROM ${textsOf("d.indexed -> e.idx")} AS x(value) WHERE ${schema}.bounded(x.value) = e.value)`,
  },
  {
    table: "feeds",
    by: ["feed", "position", "nth"],
    counted: "NOT r.gone",
    faults: (schema, rows) => `
      SELECT 'feed' AS about, f.collection, f.key, f.feed AS what,
        CASE WHEN f.gone THEN 'tells that the document is gone, which declares it'
          ELSE 'tells a document that is not there, or does not declare it' END AS message
      FROM ${rows} f LEFT JOIN ${schema}.documents d ON d.collection = f.collection AND d.key = f.key
      WHERE f.gone = (d.key IS NOT NULL AND EXISTS (
        SELECT 1 FROM ${textsOf("d.feeds")} AS x(feed) WHERE ${schema}.short(x.feed) = f.feed))
      UNION ALL
      SELECT 'feed', f.collection, f.key, f.feed, 'has a place that no change was given'
      FROM ${rows} f CROSS JOIN ${schema}.store s
      WHERE f.position < 1 OR f.nth < 1 OR f.position >= s.shift::numeric + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
      UNION ALL
      SELECT 'feed', f.collection, f.key, f.feed, 'has another place than the document'
      FROM ${rows} f JOIN ${schema}.documents d ON d.collection = f.collection AND d.key = f.key
      WHERE NOT f.gone AND (f.position, f.nth) <> (d.position, d.nth)`,
  },
];

/**
 * Compares the tables with what the documents declare, part by part.
 *
 * @throws StoreError `newer-schema` when later software has upgraded the schema: what it made is others, and no fault.
 */
export async function verifyStore(database: Database, schema: string, tell: Tell): Promise<StoreCensus> {
  const refuseUpgraded = async () => refuseNewer(await migrationsOf(database, schema), database.where);
  await refuseUpgraded();
  const census = await compareAll(database, schema, tell);
  // Faults that were told of what changed meanwhile are none.
  await refuseUpgraded();
  return census;
}

async function compareAll(database: Database, schema: string, tell: Tell): Promise<StoreCensus> {
  const missing = await missingObjects(database, schema);
  for (const one of missing) tell({ about: "medium", message: missingMessage(one) });
  for (const message of await strangeObjects(database, schema)) tell({ about: "medium", message });
  const wrong = await wrongColumns(database, schema);
  for (const { message } of wrong) tell({ about: "medium", message });
  // What is looked for rests on all of these.
  const isThere = ({ kind }: Missing) => kind !== "table" && kind !== "function";
  if (!missing.every(isThere) || wrong.some(({ hinders }) => hinders)) return countTables(database, schema);
  await checkIdentity(database, schema, tell);
  await checkBodies(database, schema, tell);
  const counts: number[] = [];
  for (const scan of scans) counts.push(await walkThrough(database, { scan, schema }, tell));
  const [documents = 0, claims = 0, entries = 0, feeds = 0] = counts;
  return { documents, claims, entries, feeds };
}

/** Of those there are. */
async function countTables(database: Database, schema: string): Promise<StoreCensus> {
  const census = { documents: 0, claims: 0, entries: 0, feeds: 0 };
  for (const table of ["documents", "claims", "entries", "feeds"] as const) {
    const sql = "SELECT to_regclass($1) IS NOT NULL AS there";
    const [found] = await database.rows<{ there: boolean }>(sql, [`${schema}.${table}`]);
    if (!found?.there) continue;
    const [row] = await database.rows<{ count: string }>(`SELECT count(*) AS count FROM ${schema}.${table}`);
    census[table] = Number(row?.count ?? 0);
  }
  return census;
}

async function checkIdentity(database: Database, schema: string, tell: Tell): Promise<void> {
  const rows = await database.rows<{ id: string; near: boolean }>(
    `SELECT id, shift BETWEEN -${farthest} AND ${farthest} AS near FROM ${schema}.store`,
  );
  if (rows[0]?.near === false) {
    const message =
      "positions in feeds would begin beyond all that are possible; fieldroll reindex has them begin above those there are";
    tell({ about: "medium", message });
  }
  if (rows.length === 1 && /^[0-9a-f]{32}$/.test(rows[0]?.id ?? "")) return;
  const message =
    "the table store does not say which store this is; fieldroll reindex gives it another identity";
  tell({ about: "medium", message });
}

interface BodyRow extends Row {
  readonly collection: string;
  readonly key: string;
  /** No column refuses it any more where a statement from elsewhere took that away. */
  readonly body: string | null;
}

/** No statement of all versions can tell whether a text is JSON. */
async function checkBodies(database: Database, schema: string, tell: Tell): Promise<void> {
  for (let after: readonly Value[] = ["", ""]; ; ) {
    const rows = await database.rows<BodyRow>(
      `SELECT collection, key, body FROM ${schema}.documents WHERE (collection, key) > ($1::text, $2::text)
      ORDER BY collection, key LIMIT 500`,
      after,
    );
    for (const { body, ...at } of rows) {
      if (isJson(body)) continue;
      tell({
        about: "document",
        at: keyFrom(at),
        message: "the document can not be read: its body is no JSON",
      });
    }
    const last = rows.at(-1);
    if (!last) return;
    after = [last.collection, last.key];
  }
}

function isJson(text: string | null): boolean {
  if (text === null) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface Walking {
  readonly scan: Scan;
  readonly schema: string;
}

/** @returns How many rows there are. */
async function walkThrough(database: Database, walking: Walking, tell: Tell): Promise<number> {
  let count = 0;
  let after: readonly Value[] | undefined;
  for (;;) {
    const { rows, last, faults } = await lookAt(database, walking, after);
    count += rows;
    for (const fault of faults) tell(faultOf(fault));
    if (!last) return count;
    after = last;
  }
}

interface Part extends Row {
  readonly rows: string;
  readonly last: readonly string[] | null;
  readonly faults: readonly FaultRow[] | null;
}

async function lookAt(
  database: Database,
  { scan, schema }: Walking,
  after: readonly Value[] | undefined,
): Promise<{ rows: number; last: readonly Value[] | undefined; faults: readonly FaultRow[] }> {
  const { table, by, counted = "true", faults } = scan;
  const key = by.join(", ");
  const beyond = after
    ? ` WHERE (${key}) > (${by.map((column, nth) => `$${nth + 1}::${numbers[column] ?? "text"}`).join(", ")})`
    : "";
  const [part] = await database.rows<Part>(
    `WITH part AS MATERIALIZED (SELECT * FROM ${schema}.${table}${beyond} ORDER BY ${key} LIMIT ${atOnce})
    SELECT (SELECT count(*) FROM part r WHERE ${counted}) AS rows,
      (SELECT ARRAY[${by.map((column) => `${column}::text`).join(", ")}] FROM part ORDER BY ${by.map((column) => `${column} DESC`).join(", ")} LIMIT 1) AS last,
      (SELECT json_agg(f) FROM (${faults(schema, "part")}) f) AS faults`,
    after ?? [],
  );
  return { rows: Number(part?.rows ?? 0), last: part?.last ?? undefined, faults: part?.faults ?? [] };
}

const subjects = { claim: "the claim", entry: "the index", feed: "the feed", document: "" } as const;

function faultOf({ about, collection, key, what, message }: FaultRow): StoreFault {
  const subject = about === "document" ? "" : `${subjects[about]} ${fromColumn(what)} `;
  return { about, at: keyFrom({ collection, key }), message: `${subject}${message}` };
}
