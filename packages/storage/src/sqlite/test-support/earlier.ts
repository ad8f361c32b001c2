import type { Database } from "better-sqlite3";
import { fromColumn } from "../../text.ts";
import { Connection } from "../client.ts";
import { movePending } from "../pending-feeds.ts";
import { trigramsTable, writePending } from "../pending-trigrams.ts";

/** Turns a file of the present schema back into one that software of schema 7 wrote, whose trigrams were of characters. */
export function toSchema7(file: Database): void {
  for (const number of numbersOf(file)) {
    writePending(new Connection(file), number);
    const [substrings, trigrams, pending] = [
      `substrings_${number}`,
      `trigrams_${number}`,
      `pending_${number}`,
    ];
    file.exec(`
      CREATE TABLE texts AS SELECT id, place, collection, key, text FROM ${substrings};
      DROP TABLE ${trigramsTable(number)}; DROP TABLE ${substrings}; DROP TABLE ${pending};
      CREATE TABLE ${substrings} (
        id INTEGER PRIMARY KEY, place INTEGER NOT NULL, collection TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL
      );
      CREATE VIRTUAL TABLE ${trigrams} USING fts5 (
        text, content = '${substrings}', content_rowid = 'place', detail = none, columnsize = 0,
        tokenize = 'trigram case_sensitive 1'
      );
      CREATE TABLE ${pending} (id INTEGER PRIMARY KEY, place INTEGER, text TEXT);
      INSERT INTO ${substrings} (id, place, collection, key, text) SELECT id, place, collection, key, text FROM texts ORDER BY id;
      INSERT INTO ${trigrams} (${trigrams}) VALUES ('rebuild');
      DROP TABLE texts`);
    const had = { inserted: "new.id, NULL, NULL", deleted: "old.id, old.place, old.text" };
    const triggers = [
      ["inserted", "INSERT", had.inserted],
      ["deleted", "DELETE", had.deleted],
      ["updated", "UPDATE OF place, text", had.deleted],
    ];
    for (const [name, when, values] of triggers) {
      file.exec(`CREATE TRIGGER ${substrings}_${name} AFTER ${when} ON ${substrings}
        BEGIN INSERT INTO ${pending} (id, place, text) VALUES (${values}) ON CONFLICT (id) DO NOTHING; END`);
    }
  }
  file.exec("PRAGMA user_version = 7");
}

/** The same for schema 6. */
export function toSchema6(file: Database): void {
  toSchema7(file);
  movePending(new Connection(file));
  file.exec(
    "DROP TABLE pending_feeds; ALTER TABLE feeds RENAME COLUMN told TO document; PRAGMA user_version = 6",
  );
}

/** The same for schema 5. */
export function toSchema5(file: Database): void {
  toSchema6(file);
  for (const number of numbersOf(file)) {
    const [substrings, trigrams] = [`substrings_${number}`, `trigrams_${number}`];
    file.exec(`INSERT INTO ${trigrams} (${trigrams}) VALUES ('rebuild'); DROP TABLE pending_${number}`);
    writeAtOnce(file, { substrings, trigrams, rowid: "place" });
  }
  file.exec("DROP TABLE damage; DROP TABLE unexamined; PRAGMA user_version = 5");
}

function numbersOf(file: Database): readonly number[] {
  return file.prepare("SELECT number FROM substring_indexes").pluck().all() as number[];
}

interface Tables {
  readonly substrings: string;
  readonly trigrams: string;
  readonly rowid: "id" | "place";
}

/** Triggers that keep the trigrams in step with each change. */
function writeAtOnce(file: Database, { substrings, trigrams, rowid }: Tables): void {
  const remember = `INSERT INTO ${trigrams} (rowid, text) VALUES (new.${rowid}, new.text);`;
  const forget = `INSERT INTO ${trigrams} (${trigrams}, rowid, text) VALUES ('delete', old.${rowid}, old.text);`;
  file.exec(`
      DROP TRIGGER IF EXISTS ${substrings}_inserted;
      DROP TRIGGER IF EXISTS ${substrings}_deleted;
      DROP TRIGGER IF EXISTS ${substrings}_updated;
      CREATE TRIGGER ${substrings}_inserted AFTER INSERT ON ${substrings} BEGIN ${remember} END;
      CREATE TRIGGER ${substrings}_deleted AFTER DELETE ON ${substrings} BEGIN ${forget} END;
      CREATE TRIGGER ${substrings}_updated AFTER UPDATE OF text ON ${substrings} BEGIN ${forget} ${remember} END`);
}

/** The same for schema 4. */
export function toSchema4(file: Database): void {
  toSchema5(file);
  for (const number of numbersOf(file)) {
    const [substrings, trigrams] = [`substrings_${number}`, `trigrams_${number}`];
    file.exec(`
      CREATE TABLE texts AS SELECT id, collection, key, text FROM ${substrings};
      DROP TABLE ${trigrams}; DROP TABLE ${substrings};
      CREATE TABLE ${substrings} (
        id INTEGER PRIMARY KEY, collection TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL
      );
      CREATE VIRTUAL TABLE ${trigrams} USING fts5 (
        text, content = '${substrings}', content_rowid = 'id', detail = none, columnsize = 0,
        tokenize = 'trigram case_sensitive 1'
      );
      INSERT INTO ${substrings} (id, collection, key, text) SELECT id, collection, key, text FROM texts ORDER BY id;
      INSERT INTO ${trigrams} (${trigrams}) VALUES ('rebuild');
      DROP TABLE texts`);
    writeAtOnce(file, { substrings, trigrams, rowid: "id" });
  }
  file.exec("PRAGMA user_version = 4");
}

/** The same for schema 3. */
export function toSchema3(file: Database): void {
  toSchema4(file);
  toTablesOf3(file);
}

function toTablesOf3(file: Database): void {
  file.exec(`
    CREATE TABLE entries_3 (
      collection TEXT NOT NULL, idx TEXT NOT NULL, value TEXT NOT NULL, key TEXT NOT NULL, first INTEGER NOT NULL,
      PRIMARY KEY (collection, idx, value, key)
    ) WITHOUT ROWID;
    INSERT INTO entries_3 SELECT i.collection, i.idx, e.value, e.key, e.first FROM entries e JOIN indexes i ON i.id = e.idx;
    CREATE TABLE feeds_3 (
      feed TEXT NOT NULL, collection TEXT NOT NULL, key TEXT NOT NULL, position INTEGER NOT NULL, gone INTEGER NOT NULL,
      PRIMARY KEY (feed, collection, key)
    ) WITHOUT ROWID;
    INSERT INTO feeds_3 SELECT n.feed, coalesce(d.collection, f.collection), coalesce(d.key, f.key), f.position, f.document IS NULL
      FROM feeds f JOIN feed_names n ON n.id = f.feed LEFT JOIN documents d ON d.id = f.document;
    DROP TABLE entries; DROP TABLE feeds; DROP TABLE departures; DROP TABLE indexes; DROP TABLE feed_names;
    ALTER TABLE entries_3 RENAME TO entries;
    ALTER TABLE feeds_3 RENAME TO feeds;
    CREATE INDEX entries_of_document ON entries (collection, key, idx, first, value);
    CREATE INDEX entries_further ON entries (collection, idx) WHERE first = 0;
    CREATE UNIQUE INDEX feeds_in_order ON feeds (feed, position);
    ALTER TABLE documents DROP COLUMN position;
    PRAGMA user_version = 3`);
  const rows = file.prepare("SELECT id, indexed FROM documents").all() as { id: number; indexed: string }[];
  const write = file.prepare("UPDATE documents SET indexed = ? WHERE id = ?");
  for (const { id, indexed } of rows) write.run(fromColumn(indexed), id);
}

/** The same for schema 2, whose column of entries had another name. */
export function toSchema2(file: Database): void {
  toSchema3(file);
  renameEntries(file);
}

function renameEntries(file: Database): void {
  file.exec("ALTER TABLE documents RENAME COLUMN indexed TO entries; PRAGMA user_version = 2");
}

/** The same for schema 1, which knew no trigrams. */
export function toSchema1(file: Database): void {
  toSchema6(file);
  for (const number of numbersOf(file)) {
    file.exec(`DROP TABLE trigrams_${number}; DROP TABLE substrings_${number}; DROP TABLE pending_${number}`);
  }
  toTablesOf3(file);
  renameEntries(file);
  file.exec(
    "DROP TABLE damage; DROP TABLE unexamined; DROP TABLE substring_indexes; PRAGMA user_version = 1",
  );
}
