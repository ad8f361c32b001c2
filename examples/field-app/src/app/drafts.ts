import { answered, changed, openDatabase } from "./database.ts";

/** What was typed into a form and not saved. */
export interface Kept {
  /** The form's values, as it handed them over. */
  readonly content: unknown;
  /** When it was typed: an instant in ISO 8601. */
  readonly at: string;
}

/** Where a draft belongs. */
export interface DraftPlace {
  /** Who typed it: the user name at sign-in. */
  readonly person: string;
  /** Names the form, and the record that it is about. */
  readonly form: string;
}

/**
 * Keeps what is typed into forms until it is saved, also when the browser is killed. Drafts hold personal data in the clear, as
 * the device's records do: each is under the server and the person it belongs to, and goes when another one comes.
 *
 * Drafts are a help and no promise: where the browser keeps nothing, or has no room, there are none and nobody is held up.
 */
export interface Drafts {
  read(place: DraftPlace): Promise<Kept | null>;
  /** Keeps a form's values in the place of those before. While one is being written, only the newest waits. */
  keep(place: DraftPlace, content: unknown): void;
  /** Forgets a form's values: they were saved, or given up. */
  drop(place: DraftPlace): void;
  /** Forgets every draft but those of a person at this server; with `null` all of them. */
  keepOnly(person: string | null): void;
}

export interface DraftsOptions {
  /** The server's address: a user name means somebody else at another. */
  readonly server: string;
  readonly clock: () => Date;
  readonly indexedDB: IDBFactory;
}

const database = { name: "fieldroll-drafts", table: "drafts" };

/** Raised when the values of a form change their shape: drafts of a former one are not brought back. */
const shape = 1;

type Key = [server: string, person: string, form: string];

/** Opens the drafts of this device. */
export function openDrafts({ server, clock, indexedDB }: DraftsOptions): Drafts {
  const opened = openDatabase(indexedDB, database).catch(() => null);
  /** What waits until the draft before it is written, by its key in JSON. */
  const waiting = new Map<string, Kept>();
  const writing = new Set<string>();
  const keyOf = ({ person, form }: DraftPlace): Key => [server, person, form];
  const change = async (work: (drafts: IDBObjectStore) => void) => {
    const drafts = await opened;
    if (drafts) await changed(drafts, database.table, work).catch(() => undefined);
  };
  /** Drafts are put one after the other, so that photos are not written at every key. */
  const write = async (key: Key) => {
    const name = JSON.stringify(key);
    if (writing.has(name)) return;
    writing.add(name);
    for (let kept = waiting.get(name); kept; kept = waiting.get(name)) {
      const value = kept;
      waiting.delete(name);
      await change((drafts) => drafts.put({ ...value, shape }, key));
    }
    writing.delete(name);
  };
  return {
    async read(place) {
      const newest = waiting.get(JSON.stringify(keyOf(place)));
      if (newest) return newest;
      const drafts = await opened;
      const found = drafts && (await foundIn(drafts, keyOf(place)).catch(() => null));
      return found?.shape === shape ? { content: found.content, at: found.at } : null;
    },
    keep(place, content) {
      const key = keyOf(place);
      waiting.set(JSON.stringify(key), { content, at: clock().toISOString() });
      void write(key);
    },
    drop(place) {
      const key = keyOf(place);
      waiting.delete(JSON.stringify(key));
      void change((drafts) => drafts.delete(key));
    },
    keepOnly(person) {
      const isTheirs = (key: IDBValidKey) => Array.isArray(key) && key[0] === server && key[1] === person;
      for (const name of waiting.keys()) if (!isTheirs(JSON.parse(name))) waiting.delete(name);
      void change((drafts) => {
        const keys = drafts.getAllKeys();
        keys.onsuccess = () => {
          for (const key of keys.result) if (!isTheirs(key)) drafts.delete(key);
        };
      });
    },
  };
}

async function foundIn(drafts: IDBDatabase, key: Key): Promise<(Kept & { shape: number }) | undefined> {
  return answered(drafts.transaction(database.table).objectStore(database.table).get(key));
}
