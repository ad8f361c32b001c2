import { copyFile, readFile, rm, stat, writeFile } from "node:fs/promises";
import type { Store, StoredDocument } from "@fieldroll/core";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, it } from "vitest";
import { person } from "./fixture.ts";
import { authorization, client, clientsFile, run, serve, useCommandLine } from "./support/command-line.ts";

const placeOf = useCommandLine();
const urlOf = (name: string) => `sqlite:${placeOf(name)}`;

/** A small database with a client and a key, as a server left it. */
beforeAll(async () => {
  await writeFile(placeOf("small.ndjson"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { stop } = await serve("--database", urlOf("small.db"), "--load", placeOf("small.ndjson"));
  await stop();
  await run("client", "add", "office", "--scopes", "registry:read", "--database", urlOf("small.db"));
}, 60_000);

const reference = (type: string, value: string) => ({ reference: `${type}/urn:gov:id|${value}` });
const cycle = "01930000-0000-7000-8000-000000000001";
const lines: readonly object[] = [
  ...["1", "2", "3"].map((value) => ({
    ...{ type: "Individual", identifier: [{ system: "urn:gov:id", value }], name: { family: "Reyes" } },
    address: [{ type: "physical", country: "KE" }],
  })),
  {
    ...{
      type: "Group",
      identifier: [{ system: "urn:gov:id", value: "g" }],
      name: "Reyes",
      groupType: "household",
    },
    member: [{ entity: reference("Individual", "1") }, { entity: reference("Individual", "2") }],
  },
  {
    ...{ type: "Program", identifier: [{ system: "urn:gov:id", value: "p" }], name: "Cash" },
    ...{
      targetType: "individual",
      period: { start: "2025-01-01" },
      fund: { value: "50.00", currency: "KES" },
    },
  },
  {
    ...{ type: "ProgramMembership", identifier: [{ system: "urn:gov:id", value: "m" }], status: "enrolled" },
    ...{ program: reference("Program", "p"), beneficiary: reference("Individual", "1") },
    enrollmentDate: "2026-01-01",
  },
  {
    ...{ type: "Cycle", ext_id: cycle, program: "Program/urn:gov:id|p", name: "May", sequence: 1 },
    ...{ start_date: "2026-05-01", end_date: "2026-05-31", state: "approved" },
  },
  {
    ...{ type: "Entitlement", cycle, beneficiary: "Individual/urn:gov:id|1", state: "approved" },
    ...{ amount: { value: "10.00", currency: "KES" }, valid_from: "2026-05-01", valid_until: "2026-05-31" },
  },
];

async function copied(name: string): Promise<string> {
  await copyFile(placeOf("small.db"), placeOf(name));
  return urlOf(name);
}

async function onStore(name: string, work: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await openSqliteStore({ path: placeOf(name) });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/** Gives a person another key in the index of documents' keys only; answers the one in the row. */
async function damageKey(path: string): Promise<string> {
  const file = new Database(path);
  const key = String(
    file.prepare("SELECT max(key) FROM documents WHERE collection = 'Individual'").pluck().get(),
  );
  const pages = file.prepare("SELECT pageno FROM dbstat WHERE name = 'sqlite_autoindex_documents_1'").pluck();
  const starts = pages.all().map((page) => (Number(page) - 1) * 4096);
  file.close();
  const bytes = await readFile(path);
  const [at = 0] = starts.flatMap((start) => {
    const found = bytes.subarray(start, start + 4096).indexOf(`Individual${key}`);
    return found < 0 ? [] : [start + found];
  });
  expect(at).toBeGreaterThan(0);
  bytes.write("~", at + "Individual".length + key.length - 1);
  await writeFile(path, bytes);
  return key;
}

async function damage(
  store: Store,
  collection: string,
  change: (document: StoredDocument) => Partial<StoredDocument>,
  isWanted: (document: StoredDocument) => boolean = () => true,
): Promise<void> {
  const document = (await store.query({ collection, limit: 500 })).documents.find(isWanted);
  if (!document) throw new Error(`There is no ${collection}`);
  await store.commit({ put: [{ ...document, ...change(document) }] });
}

describe("fieldroll verify and reindex", { timeout: 120_000 }, () => {
  it("find nothing to tell or to do in the demonstration, also while a server runs on it", async () => {
    const database = urlOf("demo.db");
    const { stop } = await serve("--database", database, "--demo");
    const verified = await run("verify", "--database", database);
    expect([verified.code, verified.output]).toEqual([0, ""]);
    expect(verified.errors).toMatch(/"documents":\d{4,},"faults":0/);
    const reindexed = await run("reindex", "--database", database);
    expect([reindexed.code, reindexed.output]).toEqual([0, ""]);
    expect(reindexed.errors).toMatch(/"mended":0,"rebuilt":false,"startsOver":false/);
    expect(await stop()).toBe(0);
  });

  it("leave no key of an erased document in a copy whose tables are built anew, whether or not anything is wrong", async () => {
    const database = await copied("erased.db");
    const at = { collection: "Individual", key: "key-of-an-erased-person" };
    await onStore("erased.db", async (store) => {
      await store.commit({ put: [{ ...at, version: 1, body: {}, feeds: ["all"] }] });
      await store.commit({ remove: [at] });
    });
    expect((await run("backup", placeOf("erased-copy.db"), "--database", database)).code).toBe(0);
    const hasKey = async () => (await readFile(placeOf("erased-copy.db"))).includes(at.key);
    const copy = urlOf("erased-copy.db");
    expect((await run("reindex", "--database", copy)).errors).toContain('"rebuilt":false');
    expect(await hasKey()).toBe(true);
    const reindexed = await run("reindex", "--rebuild", "--database", copy);
    expect([reindexed.code, reindexed.output]).toEqual([0, ""]);
    expect(reindexed.errors).toMatch(/"mended":0,"rebuilt":true,"startsOver":true/);
    expect(await hasKey()).toBe(false);
    expect((await run("verify", "--database", copy)).code).toBe(0);
  });

  it("name each fault, and mend those of claims, entries and feeds", async () => {
    const database = await copied("damaged.db");
    await onStore("damaged.db", async (store) => {
      await damage(store, "Individual", () => ({ claims: [], feeds: ["all"] }));
      await damage(store, "Group", ({ entries }) => ({ entries: { ...entries, name: ["nobody"] } }));
      await damage(store, "ProgramMembership", () => ({ feeds: [] }));
      const ofProgram = ({ entries }: StoredDocument) => entries.record?.[0]?.startsWith("Program/") ?? false;
      await damage(store, "audit", () => ({ entries: {} }), ofProgram);
    });
    const verified = await run("verify", "--json", "--database", database);
    expect(verified.code).toBe(1);
    expect(verified.errors).toContain("fieldroll reindex mends");
    expect(verified.errors).not.toContain("    at ");
    const told = verified.output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(told.map(({ collection, kind }) => `${collection} ${kind}`)).toEqual([
      ...["Individual claims", "Individual feeds", "Group entries", "Program history"],
      "ProgramMembership feeds",
      ...["audit entries", "audit entries", "audit entries", "audit entries"],
    ]);
    const plain = await run("verify", "--database", database);
    expect(plain.output).toMatch(
      /^Individual [0-9a-f-]{36}: claims: of the claims that it declares, \d that/,
    );
    expect((await run("reindex", "--database", database)).errors).toContain('"mended":4');
    expect((await run("verify", "--database", database)).code).toBe(0);
  });

  it("tell a file that can't be read once, and say to restore a backup", async () => {
    const database = await copied("unreadable.db");
    const path = placeOf("unreadable.db");
    const file = new Database(path);
    const page = Number(
      file.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'documents'").pluck().get(),
    );
    file.close();
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xff, (page - 1) * 4096, page * 4096));
    const { code, output, errors } = await run("verify", "--database", database);
    const told = output.trim().split("\n");
    expect(told.filter((line) => line.startsWith("store: medium: "))).not.toEqual([]);
    expect(told).toHaveLength(new Set(told).size);
    expect([code, errors]).toEqual([
      1,
      expect.stringContaining("stop using the database and restore a backup"),
    ]);
  });

  it("have a store whose own tables do not agree with its documents build them anew, and readers of feeds start over", async () => {
    const database = await copied("tables.db");
    const file = new Database(placeOf("tables.db"));
    file.exec("DELETE FROM claims WHERE claim LIKE 'Individual/%1'");
    file.close();
    const verified = await run("verify", "--json", "--database", database);
    expect([verified.code, verified.output]).toEqual([1, expect.stringContaining('"kind":"store"')]);
    const refused = await run("client", "list", "--database", database);
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining("fieldroll verify")]);
    const copy = await run("backup", placeOf("none.db"), "--database", database);
    expect([copy.code, copy.errors]).toEqual([
      1,
      expect.stringContaining("tables.db: the database is damaged"),
    ]);
    const reindexed = await run("reindex", "--database", database);
    expect(reindexed.errors).toContain('"rebuilt":true,"startsOver":true');
    expect((await run("client", "list", "--database", database)).code).toBe(0);
    expect((await run("verify", "--database", database)).code).toBe(0);
  });

  it.each(["claims", "entries", "feeds", "store", "indexes", "feed_names", "substring_indexes", "codes_1"])(
    "tell that the table %s is missing, and make it anew",
    async (table) => {
      const database = await copied(`no-${table}.db`);
      new Database(placeOf(`no-${table}.db`)).exec(`DROP TABLE ${table}`).close();
      const verified = await run("verify", "--database", database);
      expect([verified.code, verified.output]).toEqual([
        1,
        expect.stringContaining(`the table ${table} is missing`),
      ]);
      expect(verified.errors).toContain("fieldroll reindex mends");
      const reindexed = await run("reindex", "--database", database);
      expect([reindexed.code, reindexed.output]).toEqual([0, ""]);
      expect(reindexed.errors).toContain('"rebuilt":true,"startsOver":true');
      expect(await run("verify", "--database", database)).toMatchObject({ code: 0, output: "" });
    },
  );

  it("tell the record whose key may be damaged, and fail, though all is in order afterwards", async () => {
    const database = await copied("strange-key.db");
    const key = await damageKey(placeOf("strange-key.db"));
    expect((await run("verify", "--database", database)).code).toBe(1);
    const reindexed = await run("reindex", "--database", database);
    expect([reindexed.code, reindexed.output, reindexed.errors]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^Individual ${key}: store: document: the row has a key.*\\n$`)),
      expect.stringContaining("1 fault of the store is left in"),
    ]);
    expect(await run("reindex", "--database", database)).toMatchObject({ code: 0, output: "" });
    expect(await run("verify", "--database", database)).toMatchObject({ code: 0, output: "" });
  });

  it("refuse a database without its documents, and name the backup", async () => {
    const database = await copied("no-documents.db");
    new Database(placeOf("no-documents.db")).exec("DROP TABLE documents").close();
    const verified = await run("verify", "--database", database);
    expect([verified.code, verified.output]).toEqual([
      1,
      expect.stringContaining("the table documents is missing"),
    ]);
    const reindexed = await run("reindex", "--database", database);
    expect([reindexed.code, reindexed.errors]).toEqual([
      1,
      expect.stringMatching(/with it every document.*Restore a backup/),
    ]);
  });

  it("tell what only a person can mend, and go on telling it", async () => {
    const database = await copied("lost.db");
    await onStore("lost.db", async (store) => {
      const [fund] = (await store.query({ collection: "fund", limit: 1 })).documents;
      await store.commit({ remove: fund ? [fund] : [] });
    });
    expect((await run("verify", "--database", database)).output).toContain(
      "the fund that it takes from is not",
    );
    expect((await run("reindex", "--database", database)).errors).toContain('"mended":0');
    expect((await run("verify", "--database", database)).code).toBe(1);
  });

  it.each([["verify"], ["reindex"], ["backup", "copy.db"]])(
    "refuse a database that is not there: %s",
    async (...words) => {
      const { code, errors } = await run(...words, "--database", urlOf("missing.db"));
      expect([code, errors]).toEqual([1, expect.stringContaining("There is no database")]);
    },
  );

  it.each([["verify"], ["reindex"], ["export"]])("refuse an empty file: %s", async (word) => {
    await writeFile(placeOf("empty.db"), "");
    const { code, errors } = await run(word, "--database", urlOf("empty.db"));
    expect([code, errors]).toEqual([1, expect.stringContaining("empty.db: this is an empty database")]);
    expect((await stat(placeOf("empty.db"))).size).toBe(0);
  });
});

describe("fieldroll backup", { timeout: 60_000 }, () => {
  it("makes a copy of a running server's database that takes its place, and has readers of feeds start over", async () => {
    const database = await copied("live.db");
    const clients = await clientsFile([client]);
    const first = await serve("--database", database, "--clients", clients);
    const headers = await authorization(first.authUrl);
    const changes = async (url: string, cursor?: string) => {
      const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await fetch(`${url}/$changes?feed=all&limit=500${query}`, { headers });
      return { status: answer.status, body: await answer.json() };
    };
    const before = await changes(first.url);
    const cursor = before.body.pagination.next_cursor;
    const copy = placeOf("copy.db");
    const made = await run("backup", copy, "--database", database);
    expect([made.code, made.errors]).toEqual([
      0,
      expect.stringMatching(/^Copied .*live\.db to .*copy\.db: \d+ doc/),
    ]);
    const counted = /: (\d+) documents/.exec(made.errors)?.[1];
    const verified = await run("verify", "--database", urlOf("copy.db"));
    expect(verified.errors).toContain(`"documents":${counted},"faults":0`);
    expect((await stat(copy)).mode & 0o077).toBe(0);
    const body = JSON.stringify(person("after-the-backup"));
    expect((await fetch(`${first.url}/Individual`, { method: "POST", headers, body })).status).toBe(201);
    expect(await first.stop()).toBe(0);

    const epochs = new Set([before.body.epoch]);
    for (const name of ["restored.db", "restored-again.db"]) {
      await copyFile(copy, placeOf(name));
      const { url, stop } = await serve("--database", urlOf(name), "--clients", clients);
      const late = await changes(url, cursor);
      expect([late.status, late.body.errors]).toMatchObject([400, [{ field: "cursor" }]]);
      const anew = await changes(url);
      expect(anew.body.data).toEqual(before.body.data);
      epochs.add(anew.body.epoch);
      expect(await stop()).toBe(0);
    }
    expect(epochs.size).toBe(3);
    expect((await run("verify", "--database", urlOf("restored.db"))).code).toBe(0);
  });

  it("replaces no file", async () => {
    await rm(placeOf("twice.db"), { force: true });
    const again = () => run("backup", placeOf("twice.db"), "--database", urlOf("small.db"));
    expect((await again()).code).toBe(0);
    expect(await again()).toMatchObject({
      code: 1,
      errors: expect.stringContaining("a backup replaces none"),
    });
  });

  it.each([
    ["memory:", "nothing to copy"],
    ["postgres://localhost/registry", "pg_dump"],
  ])("refuses %s and says what to do", async (database, message) => {
    const { code, errors } = await run("backup", placeOf("none.db"), "--database", database);
    expect([code, errors]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe("fieldroll reindex --restored", { timeout: 60_000 }, () => {
  it("has readers of feeds start over on a copy that was made by other means", async () => {
    const database = await copied("other-means.db");
    const clients = await clientsFile([client]);
    const epochOf = async () => {
      const { url, authUrl, stop } = await serve("--database", database, "--clients", clients);
      const headers = await authorization(authUrl);
      const answer = await fetch(`${url}/$changes?feed=all&limit=1`, { headers });
      const { epoch } = (await answer.json()) as { epoch: string };
      await stop();
      return epoch;
    };
    const before = await epochOf();
    expect((await run("reindex", "--restored", "--database", database)).errors).toContain(
      '"startsOver":true',
    );
    expect(await epochOf()).not.toBe(before);
  });
});
