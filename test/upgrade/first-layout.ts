import type { Entries, Store, StoredDocument } from "@fieldroll/core";
import { Dexie } from "dexie";

const firstLayout = { documents: "id, &*claims, *entries", feeds: "id, &place", state: "name" };

function documentId({ collection, key }: { readonly collection: string; readonly key: string }): string {
  return `${collection}\u0000${key}`;
}

function feedPlace(feed: string, position: number): string {
  return `${feed}\u0000${String(position).padStart(16, "0")}`;
}

/** What a store of the first layout holds. */
export interface FirstContent {
  readonly documents: readonly StoredDocument[];
  /** Changes by feed, oldest first; positions count over all of them. */
  readonly changes: readonly {
    readonly feed: string;
    readonly collection: string;
    readonly key: string;
    readonly gone: boolean;
  }[];
}

/** Reads from any store what {@link writeFirstLayout} writes. */
export async function contentOf(
  store: Store,
  { collections, feeds }: { readonly collections: readonly string[]; readonly feeds: readonly string[] },
): Promise<FirstContent> {
  const pages = await Promise.all(
    collections.map((collection) => store.query({ collection, limit: 1_000_000 })),
  );
  const told = await Promise.all(
    feeds.map(async (feed) => {
      const { changes } = await store.changes({ feed, limit: 1_000_000 });
      return changes.map((change) => {
        const { collection, key } = change.kind === "put" ? change.document : change;
        return { feed, collection, key, gone: change.kind === "gone" };
      });
    }),
  );
  return { documents: pages.flatMap(({ documents }) => documents), changes: told.flat() };
}

/**
 * Writes a database as the first version of this software did: for tests of the upgrade from it.
 *
 * @returns the connection, open as a tab's would be; like that version's it makes way for an upgrade, unless it is told not to
 */
export async function writeFirstLayout(
  name: string,
  { documents, changes }: FirstContent,
  host: {
    readonly indexedDB?: IDBFactory;
    readonly IDBKeyRange?: typeof IDBKeyRange;
    readonly stubborn?: boolean;
  } = {},
): Promise<IDBDatabase> {
  const { stubborn = false, ...factory } = host;
  const dexie = new Dexie(name, { ...factory, autoOpen: false });
  dexie.version(1).stores(firstLayout);
  await dexie.open();
  const native = dexie.backendDB();
  native.onversionchange = () => dexie.close();
  for (let from = 0; from < documents.length; from += 1_000) {
    const page = documents.slice(from, from + 1_000);
    await write(native, (transaction) => {
      for (const document of page) transaction.objectStore("documents").put(firstRow(document));
    });
  }
  await write(native, (transaction) => {
    for (const [i, { feed, gone, ...at }] of changes.entries()) {
      const document = documentId(at);
      const row = { id: `${feed}\u0000${document}`, document, place: feedPlace(feed, i + 1), gone };
      transaction.objectStore("feeds").put(row);
    }
    transaction.objectStore("state").put({ name: "position", value: changes.length });
  });
  if (!stubborn) return native;
  dexie.close();
  return openNatively(name, factory.indexedDB);
}

/** A connection that does not make way, whatever it is told. */
function openNatively(name: string, indexedDB: IDBFactory = globalThis.indexedDB): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function write(native: IDBDatabase, put: (transaction: IDBTransaction) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = native.transaction(Object.keys(firstLayout), "readwrite");
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    put(transaction);
  });
}

function firstRow(document: StoredDocument) {
  const { version, body, claims, entries, feeds } = document;
  const text = JSON.stringify([body, entries]);
  return { id: documentId(document), version, claims, entries: entryKeys(document, entries), feeds, text };
}

function entryKeys({ collection, key }: StoredDocument, entries: Entries): string[] {
  return Object.entries(entries).flatMap(([index, values]) =>
    [...new Set(values)].map(
      (value, i) => `${collection}\u0000${index}\u0000${i === 0 ? 1 : 2}${value}\u0000${key}`,
    ),
  );
}
