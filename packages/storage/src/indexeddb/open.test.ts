import { type Store, StoreError } from "@fieldroll/core";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { beforeEach, describe, expect, it } from "vitest";
import { openIndexedDbStore } from "./index.ts";
import { schemaVersion } from "./rows.ts";

const name = "fieldroll";
const document = { collection: "people", key: "a", version: 1, body: { x: 1 } };
let indexedDB = new IDBFactory();
const open = (factory: IDBFactory = indexedDB) =>
  openIndexedDbStore({ name, indexedDB: factory, IDBKeyRange });

beforeEach(() => {
  indexedDB = new IDBFactory();
});

describe("opening", () => {
  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["no options", {}],
    ["a bare name", name],
    ["an empty name", { name: "" }],
    ["a name that is no text", { name: 5 }],
  ])("refuses %s with what it must be", async (_, options) => {
    await expect(openIndexedDbStore(options as { name: string })).rejects.toMatchObject({
      code: "bad-request",
      message: 'openIndexedDbStore: name must be the name of a database, such as "fieldroll".',
    });
  });

  it("says where there is no IndexedDB", async () => {
    await expect(openIndexedDbStore({ name })).rejects.toMatchObject({
      code: "absent",
      message: expect.stringMatching(
        /^There is no IndexedDB here\. .* give the options indexedDB and IDBKeyRange\.$/,
      ),
    });
  });

  it("refuses a database of a newer version, and leaves it as it is", async () => {
    await (await open()).close();
    (await openNatively(schemaVersion * 10 + 10)).close();
    await expect(open()).rejects.toMatchObject({ name: "StoreError", code: "newer-schema" });
    expect((await indexedDB.databases())[0]?.version).toBe(schemaVersion * 10 + 10);
  });

  it("refuses a database that belongs to something else, and leaves it as it is", async () => {
    (await openNatively(1, (database) => database.createObjectStore("notes"))).close();
    await expect(open()).rejects.toMatchObject({ code: "corrupt", message: expect.stringContaining(name) });
    const database = await openNatively();
    expect([...database.objectStoreNames]).toEqual(["notes"]);
    expect(database.version).toBe(1);
  });

  it("opens under the same name in two places at once", async () => {
    const [one, two] = await Promise.all([open(), open()]);
    await one?.commit({ put: [document] });
    expect((await two?.get([document]))?.[0]?.body).toEqual({ x: 1 });
  });

  it("says what went wrong when the browser refuses to open", async () => {
    const refusing = Object.assign(Object.create(indexedDB) as IDBFactory, {
      open() {
        throw new DOMException("not in this mode", "SecurityError");
      },
    });
    await expect(open(refusing)).rejects.toMatchObject({
      code: "absent",
      message: expect.stringContaining("not in this mode"),
    });
  });
});

describe("a handle", () => {
  it("lets another delete the database, and says so from then on", async () => {
    const store = await open();
    await store.commit({ put: [document] });
    await deleted();
    await expect(store.get([document])).rejects.toMatchObject({
      code: "closed",
      message: expect.stringContaining("deleted"),
    });
    expect(await indexedDB.databases()).toEqual([]);
    await store.close();
  });

  it("lets another upgrade the database, and then asks for the newest version", async () => {
    const store = await open();
    await store.commit({ put: [document] });
    (await openNatively(schemaVersion * 10 + 10)).close();
    await expect(store.get([document])).rejects.toMatchObject({ code: "newer-schema" });
    await expect(store.commit({ put: [document] })).rejects.toMatchObject({ code: "newer-schema" });
    await store.close();
  });

  it("opens again when the browser has closed its connection", async () => {
    const { factory, connections } = watched();
    const store = await open(factory);
    await store.commit({ put: [document] });
    for (const connection of connections) connection.close();
    expect((await store.get([document]))[0]?.body).toEqual({ x: 1 });
    for (const connection of connections) connection.close();
    expect(await store.commit({ put: [{ ...document, version: 2 }] })).toEqual({ ok: true });
    await store.close();
  });

  it("notices that its database is gone when it opens again, and makes no new one", async () => {
    const { factory, connections } = watched();
    const store = await open(factory);
    for (const connection of connections) connection.close();
    await deleted();
    await expect(store.get([document])).rejects.toMatchObject({ code: "closed" });
    expect(await indexedDB.databases()).toEqual([]);
  });

  it("notices that another database has taken the place of its own, and leaves it alone", async () => {
    const { factory, connections } = watched();
    const store = await open(factory);
    const people = (key: string) => ({ ...document, key, entries: { name: [key] } });
    await store.commit({ put: [people("old"), people("older")] });
    const asked = { collection: "people", sort: { index: "name" }, limit: 9 };
    expect((await store.query(asked)).documents).toHaveLength(2);
    // As a browser does that clears a site's data: no connection is asked to make way.
    forceClosed(connections);
    await deleted();
    const other = await open();
    await other.commit({ put: [people("new")] });
    const another = { code: "closed", message: expect.stringContaining("another one") };
    await expect(store.query(asked)).rejects.toMatchObject(another);
    await expect(store.commit({ put: [people("stray")] })).rejects.toMatchObject(another);
    expect((await other.query(asked)).documents).toMatchObject([{ key: "new" }]);
    const anew = await open(factory);
    expect((await anew.query(asked)).documents).toMatchObject([{ key: "new" }]);
    await anew.commit({ put: [people("newer")] });
    expect((await other.query(asked)).documents).toMatchObject([{ key: "new" }, { key: "newer" }]);
    await store.close();
    // None of the handles keeps it from being deleted.
    await deleted();
  });

  it("gives a database of an earlier version its identity, and knows it again", async () => {
    await (await open()).close();
    const native = await openNatively();
    native.transaction("state", "readwrite").objectStore("state").delete("identity");
    native.close();
    const { factory, connections } = watched();
    const stores = await Promise.all([open(factory), open(factory)]);
    await stores[0].commit({ put: [document] });
    forceClosed(connections);
    for (const store of stores) expect(await store.get([document])).toMatchObject([{ version: 1 }]);
  });

  /** A database of before identities, which has no room for its own. */
  const full = async () => {
    await (await open()).close();
    const native = await openNatively();
    native.transaction("state", "readwrite").objectStore("state").delete("identity");
    native.close();
    const host = watched();
    host.refuseWrites(new DOMException("full", "QuotaExceededError"));
    return host;
  };

  it("opens a database of an earlier version where there is no room for its identity", async () => {
    const { factory, connections, refuseWrites } = await full();
    const store = await open(factory);
    expect(await store.get([document])).toEqual([undefined]);
    forceClosed(connections);
    expect(await store.get([document])).toEqual([undefined]);
    refuseWrites(undefined);
    forceClosed(connections);
    expect(await store.commit({ put: [document] })).toEqual({ ok: true });
    forceClosed(connections);
    expect(await store.get([document])).toMatchObject([{ version: 1 }]);
  });

  it("reads again when the browser closes its connection meanwhile, and opens a new one for what comes next", async () => {
    const { factory, connections } = watched();
    const store = await open(factory);
    await store.commit({ put: [document] });
    const reading = store.get([document]);
    const writing = expect(store.commit({ put: [{ ...document, version: 2 }] })).rejects.toMatchObject({
      code: "unavailable",
    });
    // Their transactions have begun, and nothing has been answered yet.
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    lose(connections.at(-1));
    expect((await reading)[0]?.version).toBe(1);
    await writing;
    expect(await store.commit({ put: [{ ...document, version: 3 }] })).toEqual({ ok: true });
    await store.close();
  });

  it("is refused as unavailable when the browser does not answer, and works again when it does", async () => {
    const { factory, hang } = watched();
    const store = await openIndexedDbStore({ name, indexedDB: factory, IDBKeyRange, patience: 500 });
    hang(true);
    await expect(store.commit({ put: [document] })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("not known whether"),
    });
    hang(false);
    expect(await store.commit({ put: [document] })).toEqual({ ok: true });
    await store.close();
  });

  it.each([Number.POSITIVE_INFINITY, 2 ** 31, 0, Number.NaN, "30"])(
    "refuses a patience of %s",
    async (patience) => {
      const options = { name, indexedDB, IDBKeyRange, patience: patience as number };
      await expect(openIndexedDbStore(options)).rejects.toMatchObject({
        code: "bad-request",
        message: `openIndexedDbStore: patience is ${patience}; give milliseconds, from 1 to 2147483647.`,
      });
    },
  );

  it("is the same one where another tab gave it the identity that it had no room for", async () => {
    const { factory, connections, refuseWrites } = await full();
    const store = await open(factory);
    refuseWrites(undefined);
    const other = await open();
    await other.commit({ put: [document] });
    forceClosed(connections);
    expect(await store.get([document])).toMatchObject([{ version: 1 }]);
    await store.close();
    await other.close();
  });

  it("is not waited for longer when the browser does not open it", async () => {
    const silent = Object.assign(Object.create(indexedDB) as IDBFactory, { open: () => ({}) });
    const opening = openIndexedDbStore({ name, indexedDB: silent, IDBKeyRange, patience: 20 });
    await expect(opening).rejects.toMatchObject({ code: "unavailable" });
  });

  it("gives up as unavailable when a new connection is lost as well", async () => {
    const { factory, breakAll } = watched();
    const store = await open(factory);
    // What is read next needs a transaction of its own then.
    await store.commit({ put: [document] });
    breakAll(new DOMException("lost", "InvalidStateError"));
    await expect(store.get([document])).rejects.toMatchObject({ code: "unavailable" });
    breakAll(undefined);
    expect(await store.get([document])).toMatchObject([{ version: 1 }]);
  });

  it("passes a full disk on as quota", async () => {
    const { factory, breakAll } = watched();
    const store = await open(factory);
    breakAll(new DOMException("full", "QuotaExceededError"));
    await expect(store.commit({ put: [document] })).rejects.toMatchObject({ code: "quota" });
    breakAll(undefined);
    expect(await store.get([document])).toEqual([undefined]);
  });

  it("asks for the durability that a commit wants", async () => {
    const { factory, durabilities } = watched();
    const store = await open(factory);
    durabilities.length = 0;
    await store.commit({ put: [document] });
    await store.commit({ put: [{ ...document, version: 2 }], durability: "relaxed" });
    await store.commit({ put: [{ ...document, version: 3 }], durability: "strict" });
    expect(durabilities).toEqual(["strict", "relaxed", "strict"]);
  });

  it("refuses a cursor from before the database was wiped", async () => {
    const store = await open();
    const put = (version: number) => ({ put: [{ ...document, version, feeds: ["all"] }] });
    for (const version of [1, 2, 3]) await store.commit(put(version));
    const { next } = await store.changes({ feed: "all", limit: 5 });
    await deleted();
    const fresh: Store = await open();
    await expect(fresh.changes({ feed: "all", limit: 5, cursor: next })).rejects.toBeInstanceOf(StoreError);
    await expect(fresh.changes({ feed: "all", limit: 5, cursor: next })).rejects.toMatchObject({
      code: "bad-cursor",
    });
  });
});

function openNatively(
  version?: number,
  upgrade: (database: IDBDatabase) => void = () => {},
): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => upgrade(request.result);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("A handle did not make way."));
  });
}

function deleted(): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onblocked = () => reject(new Error("A handle did not make way."));
  });
}

/** The same IndexedDB with an eye on its connections, and a way to make their transactions fail. */
function watched() {
  const connections: IDBDatabase[] = [];
  const durabilities: (string | undefined)[] = [];
  let fault: DOMException | undefined;
  let fullness: DOMException | undefined;
  let hanging = false;
  const watch = (connection: IDBDatabase & { running?: IDBTransaction[] }) => {
    connections.push(connection);
    const begin = connection.transaction.bind(connection);
    connection.transaction = (stores, mode, options): IDBTransaction => {
      if (fault) throw fault;
      if (fullness && mode === "readwrite") throw fullness;
      durabilities.push(options?.durability);
      if (hanging)
        return {
          objectStore: () => ({ index: () => ({ get: () => ({}) }) }),
          abort() {},
        } as unknown as IDBTransaction;
      const transaction = begin(stores, mode, options);
      connection.running = [...(connection.running ?? []), transaction];
      return transaction;
    };
  };
  const factory = Object.assign(Object.create(indexedDB) as IDBFactory, {
    open(database: string, version?: number) {
      const request = indexedDB.open(database, version);
      request.addEventListener("success", () => watch(request.result));
      return request;
    },
    deleteDatabase: (database: string) => indexedDB.deleteDatabase(database),
  });
  const breakAll = (error: DOMException | undefined) => {
    fault = error;
  };
  const hang = (silence: boolean) => {
    hanging = silence;
  };
  const refuseWrites = (error: DOMException | undefined) => {
    fullness = error;
  };
  return { factory, connections, durabilities, breakAll, refuseWrites, hang };
}

/** Closes connections of which nothing runs as a browser does that clears a site's data, or lost its database process. */
function forceClosed(connections: readonly IDBDatabase[]): void {
  for (const connection of connections) {
    connection.close();
    connection.onclose?.(new Event("close"));
  }
}

/** Closes a connection as a browser does that lost its database process: what runs is aborted, then it is told. */
function lose(connection: (IDBDatabase & { running?: IDBTransaction[] }) | undefined): void {
  connection?.close();
  for (const transaction of connection?.running?.slice(-2) ?? []) transaction.abort();
  connection?.onclose?.(new Event("close"));
}
