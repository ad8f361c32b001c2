import { type Store, type StoredDocument, StoreError, type StoreFault } from "@fieldroll/core";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";
import { refusal } from "./refusal.ts";

const secret = "Reyes";
const ana = { collection: "people", key: "ana" };

const person = (key: string, version = 1) => ({
  ...{ collection: "people", key, version, body: { name: secret }, claims: [`claim ${key}`], feeds: ["all"] },
  entries: { name: [`${key} ${secret}`] },
});

async function filled() {
  const client = new Database(":memory:");
  const store = await openSqliteStore({ client, substringIndexes: ["name"] });
  await store.commit({ put: ["ana", "ben"].map((key) => person(key)) });
  return { client, store };
}

const columns: readonly (readonly [column: string, text: string])[] = [
  ["body", `{"name":"${secret}`],
  ["claims", secret],
  ["claims", "null"],
  ["claims", '"claim ana"'],
  ["claims", '{"a":1}'],
  ["claims", "[1]"],
  ["feeds", secret],
  ["feeds", "null"],
  ["feeds", '["all", 1]'],
  ["indexed", secret],
  ["indexed", "null"],
  ["indexed", "[1]"],
  ["indexed", '{"name":"n2"}'],
  ["indexed", '{"name":[1]}'],
  ["version", "0"],
  ["version", "1.5"],
  ["version", "x"],
];

async function damaged([column, text]: (typeof columns)[number]) {
  const { client, store } = await filled();
  client.prepare(`UPDATE documents SET ${column} = ? WHERE key = 'ana'`).run(text);
  return { client, store };
}

const entriesOf = (document: StoredDocument | undefined) => document?.entries;

const readings: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  get: async (store) => (await store.get([ana])).map(entriesOf),
  "a query by key": async (store) =>
    (await store.query({ collection: "people", limit: 9 })).documents.map(entriesOf),
  "a query by a value": async (store) => {
    const where = [{ index: "name", anyOf: [`ana ${secret}`] }];
    return (await store.query({ collection: "people", where, limit: 9 })).documents.map(entriesOf);
  },
  find: async (store) => entriesOf((await store.find?.("claim ana"))?.document),
  changes: async (store) => {
    const { changes } = await store.changes({ feed: "all", limit: 9 });
    return changes.map((change) => (change.kind === "put" ? change.document.entries : undefined));
  },
  "a commit": (store) => store.commit({ put: [person("ana", 2)] }),
};

async function errorOf(reading: Promise<unknown>): Promise<StoreError> {
  const error = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  return error as StoreError;
}

describe.each(columns)("a document whose %s is %s", (column, text) => {
  it.each(Object.entries(readings))("is told as corrupt by %s, by its key only", async (name, reading) => {
    if (name === "a commit" && column === "body") return; // A body is written over without being read.
    const { store } = await damaged([column, text]);
    const error = await errorOf(reading(store));
    expect(error).toMatchObject({ code: "corrupt", message: expect.stringMatching(/people "ana"/) });
    expect(`${error.message} ${error.cause}`).not.toContain(secret);
    await store.close();
  });

  it("is told by verify, and left aside by a rebuilding", async () => {
    const { client, store } = await damaged([column, text]);
    const told = expect.objectContaining({ about: "document", at: ana });
    const found: StoreFault[] = [];
    await store.verify?.((fault) => found.push(fault));
    expect(found).toContainEqual(told);
    const left: StoreFault[] = [];
    await store.rebuild?.((fault) => left.push(fault));
    expect(left).toEqual([told]);
    expect(client.prepare(`SELECT ${column} FROM documents WHERE key = 'ana'`).pluck().get()).toEqual(
      column === "version" && text !== "x" ? Number(text) : text,
    );
    const after: StoreFault[] = [];
    await store.verify?.((fault) => after.push(fault));
    expect(after).toEqual([told]);
    const where = [{ index: "name", contains: secret }];
    const { documents } = await store.query({ collection: "people", where, limit: 9 });
    expect(documents.map(({ key }) => key)).toEqual(["ben"]);
    await store.close();
  });
});

it.each(["body", "claims", "indexed", "feeds"])(
  "verify tells bytes that are no UTF-8 in the column %s, and no U+FFFD that was written",
  async (column) => {
    const { client, store } = await filled();
    await store.commit({ put: [{ ...person("odd\uFFFD", 1), body: "\uFFFD" }] });
    const faults: StoreFault[] = [];
    await store.verify?.((fault) => faults.push(fault));
    expect(faults).toEqual([]);
    const bytes = `replace(hex(${column}), hex('a'), 'FF')`;
    client.function("unhex", (hex) => Buffer.from(String(hex), "hex"));
    client.exec(`UPDATE documents SET ${column} = CAST(unhex(${bytes}) AS TEXT) WHERE key = 'ana'`);
    await store.verify?.((fault) => faults.push(fault));
    const message = `the row is no readable document: the column ${column} has bytes that are no UTF-8`;
    expect(faults).toContainEqual({ about: "document", at: ana, message });
    await store.close();
  },
);

it("a query that has to look into a damaged column tells whose it is", async () => {
  const { store } = await damaged(["indexed", "{"]);
  const sort = { index: "name" };
  const error = await errorOf(store.query({ collection: "people", sort, limit: 9 }));
  expect(error).toMatchObject({ code: "corrupt", message: expect.stringMatching(/people "ana"/) });
  await store.close();
});

it("a refusal quotes no text that is no JSON", () => {
  const thrown = () => JSON.parse(secret) as unknown;
  let error: unknown;
  try {
    thrown();
  } catch (cause) {
    error = cause;
  }
  const refused = refusal(error, "a.db");
  expect(refused.code).toBe("corrupt");
  expect(`${refused.message} ${refused.cause}`).not.toContain(secret);
});

const missing: readonly (readonly [name: string, sql: string, says: string])[] = [
  ["a trigger", "DROP TRIGGER substrings_1_inserted", "the trigger substrings_1_inserted is missing"],
  ["a table of trigrams", "DROP TABLE codes_1", "the table codes_1 is missing"],
  ["a table of texts", "DROP TABLE substrings_1", "the table substrings_1 is missing"],
  ["an empty store id", "UPDATE store SET id = ''", "the store's own row: its name is empty"],
  ["a store without a row", "DELETE FROM store", "the store's own row: there are 0, not 1"],
];

/** Once, commits of a store without its row were given the first positions again. */
it("tells and writes nothing in feeds of a store without a row, and says what to do", async () => {
  const { client, store } = await filled();
  client.exec("DELETE FROM store");
  const put = [{ collection: "people", key: "new", version: 1, body: {}, feeds: ["all"] }];
  for (const ask of [() => store.commit({ put }), () => store.changes({ feed: "all", limit: 5 })])
    await expect(ask()).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining("`fieldroll reindex` makes it anew"),
    });
  expect(await store.get(put)).toEqual([undefined]);
  await store.rebuild?.(() => undefined);
  expect(await store.commit({ put })).toEqual({ ok: true });
  await store.close();
});

describe("verify", () => {
  it.each(missing)("tells %s, and rebuild mends it", async (_, sql, says) => {
    const { client, store } = await filled();
    client.exec(sql);
    const found: StoreFault[] = [];
    await store.verify?.((fault) => found.push(fault));
    expect(found.map(({ message }) => message).join("\n")).toContain(says);
    await store.rebuild?.(() => undefined);
    const after: StoreFault[] = [];
    await store.verify?.((fault) => after.push(fault));
    expect(after).toEqual([]);
    await store.close();
  });

  it.each([
    "claims",
    "entries",
    "feeds",
    "pending_feeds",
    "departures",
    "indexes",
    "feed_names",
    "substring_indexes",
  ])("tells that the table %s is missing, and looks at every document all the same", async (table) => {
    const { client, store } = await filled();
    client.exec(
      `DROP TABLE ${table}; UPDATE documents SET body = '{' WHERE id = (SELECT max(id) FROM documents)`,
    );
    const found: StoreFault[] = [];
    const census = await store.verify?.((fault) => found.push(fault));
    expect(found).toContainEqual({ about: "medium", message: `the table ${table} is missing` });
    expect(found.filter(({ about }) => about === "document")).toHaveLength(1);
    expect(census?.documents).toBe(client.prepare("SELECT count(*) FROM documents").pluck().get());
    await store.close();
  });
});

it("a term with U+0000 is found nowhere, by trigrams too", async () => {
  const { store } = await filled();
  for (const contains of ["a\u0000b", "Rey\u0000", "\u0000\u0000\u0000", `ana ${secret}\u0000`]) {
    const where = [{ index: "name", contains }];
    expect((await store.query({ collection: "people", where, limit: 9 })).documents).toEqual([]);
  }
  await store.close();
});
