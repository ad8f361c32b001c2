import type { Document, Likened, Query, Store } from "@fieldroll/core";
import { openIndexedDbStore } from "@fieldroll/storage/indexeddb";
import { createFieldService } from "@fieldroll/sync";
import { neighbour, personDocument, terms } from "./indexeddb-people.ts";
import { openRaw } from "./indexeddb-raw.ts";

/** Of one landing. */
export interface Landed {
  readonly milliseconds: number;
  /** The most that the page's heap grew, in megabytes. */
  readonly heap: number;
}

/** What the bench asks the page for. Times are in milliseconds. */
export interface Measures {
  landRaw(name: string, records: number): Promise<Landed>;
  land(name: string, records: number, asEngine: boolean): Promise<Landed>;
  editsRaw(name: string, edits: number): Promise<number[]>;
  edits(name: string, edits: number): Promise<number[]>;
  queriesRaw(name: string, kind: string, turns: number): Promise<number[]>;
  queries(name: string, kind: string, turns: number): Promise<number[]>;
  /** Opens the store anew, and asks its first question. */
  firstQuery(name: string, kind: string): Promise<number>;
  /** Lands people with common names, in one town. */
  landNeighbours(name: string, records: number): Promise<void>;
  /** Looks for people of the store who may be one that is registered with a slip of the pen; asks the first time apart. */
  similar(
    name: string,
    records: number,
    turns: number,
  ): Promise<{ first: number; times: number[]; found: number }>;
  remove(name: string): Promise<void>;
}

/** As many as the engine asks a server for, where they come fast. */
const pageSize = 500;

const expected = new Map<string, number>();

function heapNow(): number {
  return (performance as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize ?? 0;
}

/** Makes pages of documents one at a time, and times only their landing. */
async function timed(
  records: number,
  land: (page: readonly Document[], number: number) => Promise<void>,
): Promise<Landed> {
  const before = heapNow();
  let [milliseconds, heap] = [0, 0];
  for (let from = 0; from < records; from += pageSize) {
    const page = Array.from({ length: Math.min(pageSize, records - from) }, (_, i) =>
      personDocument(from + i),
    );
    const begin = performance.now();
    await land(page, from / pageSize);
    milliseconds += performance.now() - begin;
    heap = Math.max(heap, heapNow() - before);
  }
  return { milliseconds, heap: heap / 1e6 };
}

async function landPage(store: Store, page: readonly Document[], number: number): Promise<void> {
  const records = page.map(({ collection, key }) => ({ kind: "absent", collection, key }) as const);
  const unsent = page.map(
    ({ key }) => ({ kind: "absent", collection: "outbox", key: `Individual/${key}` }) as const,
  );
  const cursor = { collection: "sync", key: "feed:all", version: number + 1, body: { cursor: `c${number}` } };
  const result = await store.commit({
    expect: [...records, ...unsent],
    put: [...page, cursor],
    durability: "relaxed",
  });
  if (!result.ok) throw new Error("A page was refused.");
}

/** What the engine reads before it writes a page of a first sync. */
async function readAsEngine(store: Store, page: readonly Document[]): Promise<void> {
  await store.get([{ collection: "sync", key: "feed:all" }]);
  await Promise.all([
    store.resolve(page.map(({ key }) => `server:${key}`)),
    store.query({ collection: "waiting", limit: 250 }),
  ]);
}

const queries: Readonly<Record<string, (turn: number) => Omit<Query, "collection" | "limit">>> = {
  prefix: (turn) => ({
    where: [{ index: "name", prefix: term(turn).slice(0, 4) }, active],
    sort: { index: "name" },
  }),
  contains: (turn) => ({ where: [{ index: "name", contains: term(turn) }, active], sort: { index: "name" } }),
  "sort by birth date": (turn) => ({
    where: [active],
    sort: { index: "birthdate", descending: turn % 2 === 1 },
  }),
  "from the middle of the names": (turn) => ({
    where: [active],
    sort: { index: "name", descending: turn % 2 === 1 },
    after: { value: "na", key: "a" },
  }),
  "without a telephone": () => ({ sort: { index: "telecom" }, after: { value: null, key: "0" } }),
  identifier: (turn) => ({
    where: [{ index: "identifier", anyOf: [String((turn * 7919) % 10_000).padStart(9, "0")] }, active],
  }),
};

const active = { index: "active", anyOf: ["true"] };

function term(turn: number): string {
  return terms[turn % terms.length] ?? "";
}

async function ask(store: Store, kind: string, turn: number): Promise<number> {
  const { where, ...rest } = queries[kind]?.(turn) ?? {};
  const page = await store.query({ collection: "Individual", ...rest, ...(where && { where }), limit: 20 });
  return page.documents.length;
}

async function each(turns: number, run: (turn: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const begin = performance.now();
    await run(turn);
    times.push(performance.now() - begin);
  }
  return times;
}

async function editOnce(store: Store, turn: number): Promise<void> {
  const { collection, key } = personDocument(((turn % 9973) * 7919) % 10_000);
  const outbox = { collection: "outbox", key: `Individual/${key}` };
  const [record, entry] = await store.get([{ collection, key }, outbox]);
  if (!record) throw new Error("The record is gone.");
  const entries = { ...record.entries, name: [`edited ${turn}`, ...(record.entries.name ?? [])] };
  const result = await store.commit({
    expect: [
      { kind: "version", collection, key, version: record.version },
      entry ? { kind: "version", ...outbox, version: entry.version } : { kind: "absent", ...outbox },
    ],
    put: [
      { ...record, version: record.version + 1, entries },
      {
        ...outbox,
        version: (entry?.version ?? 0) + 1,
        body: { patch: { name: { given: turn } } },
        entries: { state: ["pending"] },
      },
    ],
  });
  if (!result.ok) throw new Error("An edit was refused.");
}

/** The last letter but one of the family name is another, and the identifier is not known. */
function mistyped(record: ReturnType<typeof neighbour>): Likened {
  const { name, birthDate, address, telecom } = record as unknown as Likened;
  const family = name.family?.replace(/.(.)$/, "q$1") ?? "";
  return {
    name: { ...name, family },
    ...(birthDate && { birthDate }),
    ...(address && { address }),
    ...(telecom && { telecom }),
  };
}

const measures: Measures = {
  async landRaw(name, records) {
    const raw = await openRaw(name);
    const landed = await timed(records, (page) => raw.land(page));
    raw.close();
    return landed;
  },
  async land(name, records, asEngine) {
    const store = await openIndexedDbStore({ name });
    const landed = await timed(records, async (page, number) => {
      if (asEngine) await readAsEngine(store, page);
      await landPage(store, page, number);
    });
    expected.set(name, records);
    await store.close();
    return landed;
  },
  async editsRaw(name, edits) {
    const raw = await openRaw(name);
    const times = await each(edits, (turn) => raw.edit(personDocument((turn * 7919) % 10_000).key, turn));
    raw.close();
    return times;
  },
  async edits(name, edits) {
    const store = await openIndexedDbStore({ name });
    const times = await each(edits, (turn) => editOnce(store, turn));
    await store.close();
    return times;
  },
  async queriesRaw(name, kind, turns) {
    const raw = await openRaw(name);
    const times = await each(turns, (turn) =>
      kind === "contains" ? raw.contains(term(turn)) : raw.prefix(term(turn).slice(0, 4), 20),
    );
    raw.close();
    return times;
  },
  async queries(name, kind, turns) {
    const store = await openIndexedDbStore({ name });
    const times = await each(turns, (turn) => ask(store, kind, turn));
    await store.close();
    return times;
  },
  async firstQuery(name, kind) {
    const begin = performance.now();
    const store = await openIndexedDbStore({ name });
    await ask(store, kind, 0);
    const time = performance.now() - begin;
    await store.close();
    return time;
  },
  async landNeighbours(name, records) {
    const store = await openIndexedDbStore({ name });
    for (let from = 0; from < records; from += pageSize) {
      const size = Math.min(pageSize, records - from);
      const page = Array.from({ length: size }, (_, i) => personDocument(from + i, neighbour));
      await landPage(store, page, from / pageSize);
    }
    await store.close();
  },
  async similar(name, records, turns) {
    const store = await openIndexedDbStore({ name });
    const fetch = () => Promise.reject(new TypeError("offline"));
    const service = createFieldService({ server: "http://localhost/api/v2", store, fetch, automatic: false });
    let found = 0;
    const look = async (turn: number) => {
      const outcome = await service.findSimilar(mistyped(neighbour((turn * 7919) % records)));
      if (outcome.ok && outcome.value.length > 0) found++;
    };
    const [first = 0] = await each(1, look);
    const times = await each(turns, (turn) => look(turn + 1));
    await service.close();
    return { first, times, found: found / (turns + 1) };
  },
  remove: (name) =>
    new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase(name);
      request.onsuccess = () => resolve();
      request.onerror = () => reject(request.error);
    }),
};

Object.assign(globalThis, { measures });
