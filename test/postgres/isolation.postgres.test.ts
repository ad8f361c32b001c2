import { randomBytes } from "node:crypto";
import type { Document, Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";

const shared = inject("postgres");

const person = (version: number, name: string): Document => ({
  ...{ collection: "people", key: "ana", version, body: { version } },
  ...{ claims: [`id of ${name}`], entries: { name: [name] } },
});

/** Whatever a role sets for its transactions, and names first on its search path. */
describe.each(["read committed", "repeatable read", "serializable"])(
  "PostgreSQL stores whose transactions are %s",
  (level) => {
    let schema: string;
    let admin: Client;
    let connectionString: string;
    const opened: Store[] = [];

    beforeEach(async ({ skip }) => {
      if ("absent" in shared) return skip(shared.absent);
      schema = `isolation_${randomBytes(6).toString("hex")}`;
      admin = new Client({ connectionString: shared.url });
      await admin.connect();
      const place = new URL(shared.url);
      const settings = { default_transaction_isolation: level, search_path: `"${schema}_beside", pg_temp` };
      const options = Object.entries(settings).map(
        ([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`,
      );
      place.searchParams.set("options", options.join(" "));
      place.searchParams.set("application_name", schema);
      connectionString = place.href;
    });
    afterEach(async () => {
      if ("absent" in shared) return;
      for (const store of opened.splice(0)) await store.close();
      await admin.query(
        `SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${schema}, ${schema}_beside CASCADE`,
      );
      await admin.end();
    });

    const open = async () => {
      const store = await openPostgresStore({ connectionString, schema, substringIndexes: [] });
      opened.push(store);
      return store;
    };
    /** What is wrong with a store, for an operator. */
    const faultsOf = async (store: Store) => {
      const faults: string[] = [];
      await store.verify?.(({ message }) => faults.push(message));
      return faults;
    };
    /** How many of the store's own statements wait for a lock. */
    const waiting = async () => {
      const sql =
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'";
      return (await admin.query<{ n: number }>(sql, [schema])).rows[0]?.n;
    };

    it("are made once where several open them at the same moment", async () => {
      const stores = await Promise.all([open(), open(), open(), open()]);
      expect(await Promise.all(stores.map((store) => store.commit({ put: [person(1, "ana")] })))).toEqual(
        stores.map(() => ({ ok: true })),
      );
    });

    it("are rebuilt in the middle of commits, which leave nothing behind of what they replace", async () => {
      const store = await open();
      await store.commit({ put: [person(1, "ana")] });
      const holder = new Client({ connectionString: "url" in shared ? shared.url : "" });
      await holder.connect();
      await holder.query("BEGIN");
      await holder.query(`LOCK TABLE ${schema}.feeds IN ACCESS EXCLUSIVE MODE`);
      const rebuilding = store.rebuild?.(() => undefined);
      await expect.poll(waiting, { interval: 5 }).toBe(1);
      const changing = store.commit({ put: [person(2, "anna")] });
      await expect.poll(waiting, { interval: 5 }).toBe(2);
      await holder.query("COMMIT");
      await holder.end();
      await rebuilding;
      expect(await changing).toEqual({ ok: true });
      expect(await faultsOf(store)).toEqual([]);
      expect(await store.resolve(["id of ana", "id of anna"])).toEqual([
        undefined,
        { collection: "people", key: "ana" },
      ]);
    });

    it("tell nobody gone whom a commit makes that began before another one made and removed her", async () => {
      const [store, other] = [await open(), await open()];
      const at = (key: string) => ({ collection: "people", key, body: {}, feeds: ["all"] });
      const isAbsent = [{ kind: "absent", collection: "people", key: "ana" }] as const;
      await store.commit({
        put: [
          { ...at("aaa"), version: 1 },
          { ...at("aab"), version: 1 },
        ],
      });
      const { next } = await store.changes({ feed: "all", limit: 9 });
      const holder = new Client({ connectionString: "url" in shared ? shared.url : "" });
      await holder.connect();
      await holder.query("BEGIN");
      await holder.query(`SELECT 1 FROM ${schema}.documents WHERE key = 'aab' FOR SHARE`);
      const earlier = ["aaa", "aab"].map((key) => ({ ...at(key), version: 2 }));
      const making = other.commit({ put: [...earlier, { ...at("ana"), version: 1 }], expect: isAbsent });
      await expect.poll(waiting, { interval: 5 }).toBe(1);
      const ok = { ok: true };
      expect(await store.commit({ put: [{ ...at("ana"), version: 1 }], expect: isAbsent })).toEqual(ok);
      expect(await store.commit({ remove: [{ collection: "people", key: "ana" }] })).toEqual(ok);
      await holder.query("COMMIT");
      await holder.end();
      expect(await making).toEqual(ok);
      const { changes } = await store.changes({ feed: "all", cursor: next, limit: 9 });
      expect(changes.map(({ kind }) => kind)).toEqual(["put", "put", "put"]);
      expect(await faultsOf(store)).toEqual([]);
    });

    it("are read while they are rebuilt, as they were or as they become", async () => {
      const store = await open();
      await store.commit({ put: [{ ...person(1, "ana"), feeds: ["all"] }] });
      await admin.query(`CREATE FUNCTION ${schema}.wait() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_advisory_xact_lock(hashtext(TG_TABLE_SCHEMA)); RETURN NULL; END';
    CREATE TRIGGER wait AFTER INSERT ON ${schema}.claims EXECUTE FUNCTION ${schema}.wait()`);
      await admin.query("SELECT pg_advisory_lock(hashtext($1))", [schema]);
      const rebuilding = store.rebuild?.(() => undefined);
      await expect.poll(waiting, { interval: 5 }).toBe(1);
      let isTold = false;
      const where = [{ index: "name", anyOf: ["ana"] }];
      const reading = Promise.all([
        store.resolve(["id of ana"]),
        store.query({ collection: "people", where, limit: 1 }).then(({ documents }) => documents.length),
        store.changes({ feed: "all", limit: 1 }).then(({ changes }) => changes.length),
      ]).finally(() => {
        isTold = true;
      });
      await expect.poll(async () => isTold || (await waiting()) === 4, { interval: 5 }).toBe(true);
      await admin.query("SELECT pg_advisory_unlock(hashtext($1))", [schema]);
      await rebuilding;
      expect(await reading).toEqual([[{ collection: "people", key: "ana" }], 1, 1]);
      await admin.query(`DROP TRIGGER wait ON ${schema}.claims`);
      expect(await faultsOf(store)).toEqual([]);
    });

    it("are rebuilt in the order of their own feeds, whatever else is named as rebuilding does", async () => {
      await admin.query(
        `CREATE SCHEMA ${schema}_beside; CREATE TABLE ${schema}_beside.former (feed integer)`,
      );
      const store = await open();
      await store.commit({ put: [{ ...person(1, "ana"), feeds: ["all"] }] });
      expect(await store.rebuild?.(() => undefined)).toMatchObject({ documents: 1, feeds: 1 });
    });
  },
);
