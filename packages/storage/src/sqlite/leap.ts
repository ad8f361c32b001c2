import { checkSchema } from "./schema.ts";
import { hasTable } from "./schema-tables.ts";
import type { OpenDatabase } from "./store.ts";

/** More changes than the log can have had that a loss of power took. */
const mostLost = 2 ** 20;

/**
 * A file with this table was open at `NORMAL` at some time. It is no part of the schema: whoever does not know it leaves it where it is.
 * Nobody takes it away either, as nobody can tell how far those have read who were told of what is lost.
 */
const note = "was_normal";

/**
 * At `NORMAL` readers of feeds may have been told of commits that a loss of power takes: their positions are given to no others, by
 * whoever commits next. So each handle on such a file leaves positions out before its first commit.
 */
export class Leap {
  readonly #database: Pick<OpenDatabase, "connection" | "where" | "synchronous">;
  #isMade = false;

  constructor(database: Pick<OpenDatabase, "connection" | "where" | "synchronous">) {
    this.#database = database;
  }

  /** Makes the leap, once, where the file needs one. What fails, such as for a lock, is tried again at the next call. */
  make(): void {
    if (this.#isMade) return;
    const { connection, where, synchronous } = this.#database;
    const isNormal = synchronous === "NORMAL";
    // One that is noted meanwhile has leapt for all who have the file open: nothing was lost before.
    if (isNormal || hasTable(connection, note)) {
      atFull(this.#database, () => {
        checkSchema(connection, where);
        if (isNormal) connection.script(`CREATE TABLE IF NOT EXISTS ${note} (note TEXT)`);
        connection.run("UPDATE store SET position = position + ?", mostLost);
      });
    }
    this.#isMade = true;
  }
}

/** The leap itself must not be lost with the commits, or the next one would lead to the same place. */
function atFull(
  { connection, synchronous }: Pick<OpenDatabase, "connection" | "synchronous">,
  work: () => void,
) {
  if (synchronous === "FULL") return connection.immediate(work);
  connection.script("PRAGMA synchronous = FULL");
  try {
    connection.immediate(work);
  } finally {
    connection.script("PRAGMA synchronous = NORMAL");
  }
}
