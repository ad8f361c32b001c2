import type { Row, Transaction } from "./client.ts";

/** Text that is compared byte by byte. */
const text = "text C";

/** The columns of the present schema, as the migrations leave them; none may hold nothing. */
const columns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  documents: {
    ...{ collection: text, key: text, version: "bigint" },
    ...{ claims: "jsonb", indexed: "jsonb", feeds: "jsonb", body: "text" },
    ...{ position: "bigint", nth: "integer" },
  },
  claims: { claim: text, collection: text, key: text },
  entries: { collection: text, idx: text, value: text, key: text, first: "boolean" },
  feeds: { feed: text, collection: text, key: text, position: "bigint", nth: "integer", gone: "boolean" },
  store: { sole: "boolean", id: "text", migrations: "integer", shift: "bigint", cluster: "text" },
  substring_indexes: { idx: text },
};

/** A column that is not as the schema has it. */
export interface WrongColumn {
  /** What is wrong with it, for an operator. */
  readonly message: string;
  /** Whether statements of this software can do nothing with it. */
  readonly hinders: boolean;
}

interface ColumnRow extends Row {
  readonly table: string;
  readonly column: string;
  readonly kind: string;
  readonly notNull: boolean;
}

/** Compares the columns of the tables there are with those of the schema. */
export async function wrongColumns(
  transaction: Transaction,
  schema: string,
): Promise<readonly WrongColumn[]> {
  const rows = await transaction.rows<ColumnRow>(
    `SELECT n.name AS table, a.attname AS column, a.attnotnull AS "notNull",
      replace(format_type(a.atttypid, a.atttypmod), '"', '') || CASE WHEN l.collname IN ('C', 'POSIX') THEN ' C' ELSE '' END AS kind
    FROM unnest($1::text[]) AS n(name) JOIN pg_attribute a ON a.attrelid = to_regclass('${schema}.' || n.name)
    LEFT JOIN pg_collation l ON l.oid = a.attcollation WHERE a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, a.attnum`,
    [Object.keys(columns)],
  );
  return Object.entries(columns).flatMap(([table, wanted]) => {
    const found = rows.filter((row) => row.table === table);
    if (found.length === 0) return [];
    return [
      ...Object.entries(wanted).flatMap(([column, kind]) =>
        faultsOf(
          `the table ${table}: its column ${column}`,
          kind,
          found.find((row) => row.column === column),
        ),
      ),
      ...found.flatMap(({ column }) => (Object.hasOwn(wanted, column) ? [] : [strange(table, column)])),
    ];
  });
}

function faultsOf(what: string, kind: string, found: ColumnRow | undefined): readonly WrongColumn[] {
  const advice = "alter it back, or restore a backup";
  if (!found) return [{ message: `${what} is missing; put it back, or restore a backup`, hinders: true }];
  if (found.kind !== kind) {
    // In another collation texts are only in another order.
    const hinders = found.kind.split(" ")[0] !== kind.split(" ")[0];
    return [
      { message: `${what} is of the type ${typeOf(found.kind)}, not ${typeOf(kind)}; ${advice}`, hinders },
    ];
  }
  if (found.notNull) return [];
  return [{ message: `${what} may hold nothing (it lacks NOT NULL); ${advice}`, hinders: false }];
}

function typeOf(kind: string): string {
  return kind.replace(/ C$/, ' COLLATE "C"');
}

function strange(table: string, column: string): WrongColumn {
  const advice = "give it back its name where it was renamed, otherwise take it away";
  const message = `the table ${table} has the column ${column}, which is not of this schema and may hinder what is written; ${advice}`;
  return { message, hinders: false };
}
