import { answered, changed, reopened } from "./database.ts";
import type { Tab } from "./tab.ts";

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
 * Each tab has its own, so that the same form may be filled in twice beside each other. What a tab left that is not open any more,
 * such as one that was killed, is taken over by the next that shows its form.
 *
 * Drafts are a help and no promise: where the browser keeps nothing, or has no room, there are none, the form says so, and nobody is held up.
 */
export interface Drafts {
  read(place: DraftPlace): Promise<Kept | null>;
  /**
   * Keeps a form's values in the place of those before. While one is being written, only the newest waits.
   *
   * @param told whether they are kept, once that is known: there may be no room
   */
  keep(place: DraftPlace, content: unknown, told?: (isKept: boolean) => void): void;
  /** Resolves when nothing waits to be kept: what was typed then outlives the page. */
  settled(): Promise<void>;
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
  readonly tab: Promise<Tab>;
}

const database = { name: "fieldroll-drafts", table: "drafts" };

/** Raised when the values of a form change their shape: drafts of a former one are not brought back. */
const shape = 1;

type Key = [server: string, person: string, form: string];
type KeyInTab = [...Key, tab: string];

type Stored = Kept & { readonly shape: number };

/** Opens the drafts of this device. */
export function openDrafts({ server, clock, indexedDB, tab }: DraftsOptions): Drafts {
  const opened = reopened(indexedDB, database, () => {
    for (const name of typed.keys()) void write(name);
  });
  /** What was typed since this page was loaded, by its key in JSON: it is written again where the browser deleted the site's data. */
  const typed = new Map<string, Kept>();
  /** The names of those that wait until the draft before them is written. */
  const waiting = new Set<string>();
  const tell = new Map<string, (isKept: boolean) => void>();
  let last: Promise<unknown> = Promise.resolve();
  const writing = new Set<string>();
  const keyOf = ({ person, form }: DraftPlace): Key => [server, person, form];
  // Every change waits for the same, so that they keep their order.
  const ready = () => Promise.all([opened(), tab]);
  const changeNow = async (work: (drafts: IDBObjectStore, tabId: string) => void): Promise<boolean> => {
    const [drafts, { id }] = await ready();
    if (!drafts) return false;
    return isDone(changed(drafts, database.table, (table) => work(table, id)));
  };
  /** @returns whether it is done. */
  const change = (work: (drafts: IDBObjectStore, tabId: string) => void): Promise<boolean> => {
    const done = changeNow(work);
    last = done;
    return done;
  };
  /** Drafts are put one after the other, so that photos are not written at every key. */
  const write = async (name: string) => {
    waiting.add(name);
    if (writing.has(name)) return;
    writing.add(name);
    while (waiting.delete(name)) {
      const value = typed.get(name);
      if (!value) break;
      const isKept = await change((drafts, id) =>
        drafts.put({ ...value, shape }, [...(JSON.parse(name) as Key), id]),
      );
      tell.get(name)?.(isKept);
    }
    writing.delete(name);
  };
  return {
    async read(place) {
      const name = JSON.stringify(keyOf(place));
      // Newer than what is kept: it may be on its way there, or be written again after the browser deleted it.
      const newest = typed.get(name);
      if (newest) return newest;
      const [drafts, { id, living }] = await ready();
      if (!drafts) return null;
      const key: KeyInTab = [...keyOf(place), id];
      const look = async () => (await foundIn(drafts, key)) ?? (await takenOver(drafts, key, await living()));
      const found = await look().catch(() => undefined);
      return found ? { content: found.content, at: found.at } : null;
    },
    keep(place, content, told) {
      const name = JSON.stringify(keyOf(place));
      typed.set(name, { content, at: clock().toISOString() });
      if (told) tell.set(name, told);
      void write(name);
    },
    async settled() {
      while (writing.size > 0) await last;
      await last;
    },
    drop(place) {
      const key = keyOf(place);
      typed.delete(JSON.stringify(key));
      void change((drafts, id) => drafts.delete([...key, id]));
    },
    keepOnly(person) {
      const isTheirs = (key: IDBValidKey) => Array.isArray(key) && key[0] === server && key[1] === person;
      for (const name of typed.keys()) if (!isTheirs(JSON.parse(name))) typed.delete(name);
      void change((drafts) => {
        const keys = drafts.getAllKeys();
        keys.onsuccess = () => {
          for (const key of keys.result) if (!isTheirs(key)) drafts.delete(key);
        };
      });
    },
  };
}

function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

async function foundIn(drafts: IDBDatabase, key: KeyInTab): Promise<Stored | undefined> {
  const found = await answered<Stored | undefined>(
    drafts.transaction(database.table).objectStore(database.table).get(key),
  );
  return found?.shape === shape ? found : undefined;
}

/** The newest draft of a form that a tab left which is not open any more; it is this tab's from now on. */
async function takenOver(
  drafts: IDBDatabase,
  key: KeyInTab,
  living: ReadonlySet<string>,
): Promise<Stored | undefined> {
  // Former versions named no tab.
  const isLeft = (other: readonly string[]) =>
    key.slice(0, 3).every((part, at) => part === other[at]) && !living.has(other[3] ?? "");
  let newest: { readonly key: string[]; readonly draft: Stored } | undefined;
  await changed(drafts, database.table, (table) => {
    const walk = table.openCursor();
    walk.onsuccess = () => {
      const cursor = walk.result;
      if (cursor) {
        const [other, draft] = [cursor.key as string[], cursor.value as Stored];
        const isNewer = draft.shape === shape && draft.at >= (newest?.draft.at ?? "");
        if (isLeft(other) && isNewer) newest = { key: other, draft };
        cursor.continue();
      } else if (newest) {
        table.delete(newest.key);
        table.put(newest.draft, key);
      }
    };
  });
  return newest?.draft;
}
