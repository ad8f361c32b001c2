import { toColumn } from "../text.ts";
import { keyAsText, textFrom } from "./damaged.ts";
import { type Scan, type Scanned, wrongType } from "./scan.ts";
import type { SubstringIndex } from "./substrings.ts";

export interface Told extends Scanned {
  readonly collection: string;
  readonly key: string;
}

interface ClaimRow extends Told {
  readonly claim: string;
  readonly claims: string | null;
}

/** Every claim that is kept is one that its document declares. */
export const claimScan: Scan<ClaimRow> = {
  table: "claims",
  start: [""],
  read: (connection, after) =>
    connection.rows<ClaimRow>(
      `SELECT c.claim, c.collection, c.key, d.claims, ${wrongType("c", { claim: "text", collection: "text", key: "text" })} FROM claims c
       LEFT JOIN documents d ON d.collection = c.collection AND d.key = c.key WHERE c.claim > ? ORDER BY c.claim LIMIT 1000`,
      ...after,
    ),
  placeOf: ({ claim }) => [claim],
  check(row, _, tell) {
    const claim = textFrom(row.claim);
    if (row.claims !== null && listIn(row.claims).includes(claim)) return;
    const found = row.claims === null ? "is not there" : "does not declare it";
    tell({
      about: "claim",
      at: keyAsText(row),
      message: `the claim ${claim} is kept for a document that ${found}`,
    });
  },
};

interface EntryRow extends Scanned {
  readonly idx: string;
  readonly value: string;
  readonly key: string;
  readonly collection: string | null;
  readonly name: string | null;
  readonly found: Told["collection"] | null;
  readonly foundKey: string | null;
  readonly indexed: string | null;
}

/** Every entry that is kept is one that its document declares. */
export const entryScan: Scan<EntryRow> = {
  table: "entries",
  start: [Number.NEGATIVE_INFINITY, "", ""],
  read: (connection, after) =>
    connection.rows<EntryRow>(
      `SELECT CAST(e.idx AS TEXT) AS idx, e.value, e.key, i.collection, i.idx AS name, d.collection AS found, d.key AS foundKey, d.indexed,
         ${wrongType("e", { idx: "integer", value: "text", key: "text", first: "integer", document: "integer" })}
       FROM entries e LEFT JOIN indexes i ON i.id = e.idx LEFT JOIN documents d ON d.id = e.document
       WHERE (e.idx, e.value, e.key) > (?, ?, ?) ORDER BY e.idx, e.value, e.key LIMIT 1000`,
      ...after,
    ),
  placeOf: ({ idx, value, key }) => [idx, value, key],
  check(row, _, tell) {
    const { collection, name, key, value, indexed } = row;
    if (collection === null || name === null) {
      return tell({
        about: "entry",
        message: `an entry is of the index numbered ${row.idx}, which is not there`,
      });
    }
    const at = keyAsText({ collection, key });
    const own = row.found === collection && row.foundKey === key && indexed !== null;
    if (!own)
      tell({ about: "entry", at, message: `the index ${name}: an entry names a document that is not there` });
    else if (!valuesIn(indexed, name).includes(value)) {
      tell({
        about: "entry",
        at,
        message: `the index ${name}: an entry has a value that its document does not declare`,
      });
    }
  },
};

interface SubstringRow extends Told {
  readonly id: string;
  readonly found: string | null;
  readonly foundKey: string | null;
  readonly indexed: string | null;
}

/** Every text that is kept for finding substrings is of a document that has values in the index. */
export function substringScan({ number, name }: SubstringIndex): Scan<SubstringRow> {
  const column = toColumn(name);
  return {
    table: `substrings_${number}`,
    start: [Number.NEGATIVE_INFINITY],
    read: (connection, after) =>
      connection.rows<SubstringRow>(
        `SELECT CAST(w.id AS TEXT) AS id, w.collection, w.key, d.collection AS found, d.key AS foundKey, d.indexed,
           ${wrongType("w", { place: "integer", collection: "text", key: "text", text: "text", codes: "text" })} FROM substrings_${number} w
         LEFT JOIN documents d ON d.id = w.id WHERE w.id > ? ORDER BY w.id LIMIT 1000`,
        ...after,
      ),
    placeOf: ({ id }) => [id],
    check(row, _, tell) {
      const own = row.found === row.collection && row.foundKey === row.key && row.indexed !== null;
      if (own && valuesIn(row.indexed, column).length > 0) return;
      const message = `the index ${name}: values are kept for finding substrings ${
        own ? "that the document does not have" : "of a document that is not there"
      }`;
      tell({ about: "substrings", at: keyAsText(row), message });
    },
  };
}

/** Empty where the text is no list: that is another fault, told of the document. */
export function listIn(json: string): readonly unknown[] {
  const list = parsed(json);
  return Array.isArray(list) ? list : [];
}

/** As columns have them, as the index's name has to be too. */
function valuesIn(json: string, index: string): readonly unknown[] {
  const lists = parsed(json);
  if (typeof lists !== "object" || lists === null || !Object.hasOwn(lists, index)) return [];
  const values: unknown = Reflect.get(lists, index);
  return Array.isArray(values) ? values : [];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
