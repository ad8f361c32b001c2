import type { Document, Store } from "@fieldroll/core";
import { openIndexedDbStore } from "@fieldroll/storage/indexeddb";
import { writeFirstLayout } from "../../upgrade/first-layout.ts";

/** What the stories of the store do in their page. */
export interface StorePage {
  /** Makes a database as the first version of the software did. */
  writeFirst(records: number, edits: number): Promise<void>;
  open(): Promise<void>;
  /** Opens without waiting, and calls `tellUpgrading` when an upgrade has begun. */
  startOpening(): void;
  close(): Promise<void>;
  /** What the open store has. */
  census(): Promise<{ records: number; edits: number; named: number; claimed: boolean; firstPage: string[] }>;
  /** Edits records one after the other, strictly, for ever. */
  startEditing(): void;
  acknowledged(): number;
  /** The versions of edited records and of their outbox rows, while there are any. */
  edited(): Promise<{ record: number; outbox: number }[]>;
  /** Commits so many records of 30 kB at once, and says how it went. */
  tryCommit(key: string, records: number): Promise<string>;
  keys(): Promise<string[]>;
  /** The native version of the database, and what another handle does with it. */
  version(): Promise<number | undefined>;
  upgradeBeyond(): Promise<void>;
  remove(): Promise<void>;
}

const name = "fieldroll";
let store: Store | undefined;
let acknowledgedEdits = 0;

const keyOf = (number: number) => `key-${String(number).padStart(6, "0")}`;

function personOf(number: number): Document {
  return {
    collection: "Individual",
    key: keyOf(number),
    version: 1,
    body: { record: { number, about: "x".repeat(400) }, links: {} },
    claims: [`Individual/urn:x|${number}`],
    entries: {
      name: [`name ${String((number * 7919) % 100_000).padStart(5, "0")}`, `further ${number % 10}`],
      active: ["true"],
      birthdate: [`19${50 + (number % 50)}-01-02`],
      ...(number % 5 > 0 && { telecom: [`+63${number}`] }),
    },
    feeds: [],
  };
}

function editOf(number: number, version: number): Document {
  const key = `Individual/${keyOf(number)}`;
  return { collection: "outbox", key, version, body: { patch: { number } }, entries: { state: ["pending"] } };
}

function opened(): Store {
  if (!store) throw new Error("No store is open.");
  return store;
}

async function count(query: Omit<Parameters<Store["query"]>[0], "limit" | "after">): Promise<number> {
  let sum = 0;
  let after: Parameters<Store["query"]>[0]["after"];
  do {
    const page = await opened().query({ ...query, limit: 1_000, ...(after && { after }) });
    sum += page.documents.length;
    after = page.next;
  } while (after);
  return sum;
}

async function editOne(number: number, version: number): Promise<void> {
  const result = await opened().commit({
    put: [{ ...personOf(number), version, feeds: [] }, editOf(number, version)],
  });
  if (!result.ok) throw new Error("An edit was refused.");
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? String(error);
}

function answered<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** The same IndexedDB, with an eye on upgrades. */
function watched(): IDBFactory {
  return {
    open(...given) {
      const request = indexedDB.open(...given);
      request.addEventListener("upgradeneeded", ({ oldVersion }) => {
        if (oldVersion > 0) (globalThis as { tellUpgrading?: () => void }).tellUpgrading?.();
      });
      return request;
    },
    cmp: indexedDB.cmp.bind(indexedDB),
    databases: indexedDB.databases.bind(indexedDB),
    deleteDatabase: indexedDB.deleteDatabase.bind(indexedDB),
  };
}

const page: StorePage = {
  async writeFirst(records, edits) {
    const documents = [
      ...Array.from({ length: records }, (_, i) => personOf(i)),
      ...Array.from({ length: edits }, (_, i) => editOf(i, 1)),
    ].map((document) => ({ claims: [], entries: {}, feeds: [], ...document }));
    (await writeFirstLayout(name, { documents, changes: [] })).close();
  },
  async open() {
    store = await openIndexedDbStore({ name });
  },
  startOpening() {
    void openIndexedDbStore({ name, indexedDB: watched() });
  },
  close: () => opened().close(),
  async census() {
    const collection = "Individual";
    const named = await count({ collection, where: [{ index: "name", contains: "urther 3" }] });
    const [claimed] = await opened().resolve(["Individual/urn:x|77"]);
    const first = await opened().query({ collection, sort: { index: "name" }, limit: 3 });
    return {
      records: await count({ collection }),
      edits: await count({ collection: "outbox", where: [{ index: "state", anyOf: ["pending"] }] }),
      named,
      claimed: claimed?.key === keyOf(77),
      firstPage: first.documents.map(({ entries }) => entries.name?.[0] ?? ""),
    };
  },
  startEditing() {
    void (async () => {
      for (;;) {
        await editOne(acknowledgedEdits % 50, 1 + Math.floor(acknowledgedEdits / 50));
        acknowledgedEdits += 1;
      }
    })();
  },
  acknowledged: () => acknowledgedEdits,
  async edited() {
    const at = Array.from({ length: 50 }, (_, i) => keyOf(i));
    const records = await opened().get(at.map((key) => ({ collection: "Individual", key })));
    const edits = await opened().get(at.map((key) => ({ collection: "outbox", key: `Individual/${key}` })));
    return records.flatMap((record, i) => {
      const edit = edits[i];
      return record || edit ? [{ record: record?.version ?? 0, outbox: edit?.version ?? 0 }] : [];
    });
  },
  async tryCommit(key, records) {
    const put = Array.from({ length: records }, (_, i) => ({
      collection: "Photo",
      key: `${key}-${i}`,
      version: 1,
      // Nothing that a disk could write shorter.
      body: Array.from({ length: 830 }, () => crypto.randomUUID()).join(""),
      entries: { of: [key] },
    }));
    try {
      return (await opened().commit({ put })).ok ? "ok" : "refused";
    } catch (error) {
      return codeOf(error);
    }
  },
  async keys() {
    try {
      const where = [{ index: "of", prefix: "" }];
      const { documents } = await opened().query({ collection: "Photo", where, limit: 100 });
      return documents.map(({ key }) => key);
    } catch (error) {
      return [codeOf(error)];
    }
  },
  version: async () => (await indexedDB.databases()).find((each) => each.name === name)?.version,
  async upgradeBeyond() {
    (await answered(indexedDB.open(name, 1_000))).close();
  },
  async remove() {
    await answered(indexedDB.deleteDatabase(name));
  },
};

Object.assign(globalThis, { page });
