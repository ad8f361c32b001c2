import type { DocumentKey, Entries } from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { isSame, valuesIn } from "./declared.ts";
import { writePendingIfDue } from "./pending-trigrams.ts";
import { placed, placedColumns, type SubstringIndex, textOf } from "./substrings.ts";

/** A document's change, as the trigrams see it. */
export interface SubstringChange {
  /** The number of the document's row. */
  readonly id: number;
  /** Written for columns. */
  readonly at: DocumentKey;
  /** Whether the document was not there before. */
  readonly added: boolean;
  readonly before: Entries;
  readonly after: Entries;
}

/** Of all changes of one row. */
interface RowChange extends SubstringChange {
  /** Whether a document was removed, and its row's number given to another one. */
  readonly passedOn: boolean;
}

/**
 * What a transaction changes of documents' texts. It is written at the end, once for each document.
 */
export class SubstringWrites {
  readonly #changes = new Map<number, RowChange>();

  note(change: SubstringChange): void {
    const known = this.#changes.get(change.id);
    const passedOn = known !== undefined && (known.passedOn || change.added);
    this.#changes.set(change.id, { ...change, before: known?.before ?? change.before, passedOn });
  }

  /** Makes the indexes tell what the documents declare now. Unchanged values cost nothing. */
  write(connection: Connection, indexes: readonly SubstringIndex[]): void {
    for (const index of indexes) {
      const changes: RowChange[] = [];
      for (const change of this.#changes.values()) {
        const [before, after] = [valuesIn(change.before, index.name), valuesIn(change.after, index.name)];
        if (change.passedOn || !isSame(before, after)) changes.push(change);
      }
      if (changes.length > 0) writeIndex(connection, index, changes);
    }
  }
}

function writeIndex(
  connection: Connection,
  { number, name }: SubstringIndex,
  changes: readonly RowChange[],
): void {
  const table = `substrings_${number}`;
  const written = changes.map(({ id, at, after, passedOn }) => {
    const text = textOf(valuesIn(after, name));
    return { id, at, text, erased: passedOn || text === "" };
  });
  for (const { id, text } of written) {
    if (text === "") connection.run(`DELETE FROM ${table} WHERE id = ?`, id);
  }
  connection.insert(
    `INSERT INTO ${table} ${placedColumns}`,
    written.flatMap(({ id, at, text }) => (text === "" ? [] : placed(id, at, text))),
    `ON CONFLICT (id) DO UPDATE SET place = excluded.place, collection = excluded.collection, key = excluded.key,
      text = excluded.text, codes = excluded.codes`,
  );
  writePendingIfDue(connection, number, written);
}
