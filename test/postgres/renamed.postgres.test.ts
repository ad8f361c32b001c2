import { randomBytes } from "node:crypto";
import type { Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { expect, inject, it } from "vitest";
import { runStatements } from "./suite-harness.ts";

const server = inject("postgres");

const version = (key: string) => ({
  put: [{ collection: "people", key, version: 1, body: { key }, claims: [`id ${key}`], feeds: ["all"] }],
});

const told = async (store: Store) =>
  (await store.changes({ feed: "all", limit: 9 })).changes.map((each) =>
    each.kind === "put" ? each.document.key : "gone",
  );

it("a store whose schema was given another name writes there, and not to one that has the name now", async ({
  skip,
}) => {
  if ("absent" in server) return skip(server.absent);
  const { url } = server;
  const schema = `renamed_${randomBytes(6).toString("hex")}`;
  const opened: Store[] = [];
  const open = async (name: string) => {
    const store = await openPostgresStore({ connectionString: url, schema: name });
    opened.push(store);
    return store;
  };
  try {
    const before = await open(schema);
    await before.commit(version("ana"));
    await before.close();
    await runStatements(url, [`ALTER SCHEMA ${schema} RENAME TO ${schema}_old`]);
    const present = await open(schema);
    const old = await open(`${schema}_old`);
    expect(await old.commit(version("ben"))).toEqual({ ok: true });
    expect(await present.commit(version("ben"))).toEqual({ ok: true });
    const absent = { kind: "absent", collection: "people", key: "ana" } as const;
    expect(await old.commit({ expect: [absent] })).toMatchObject({ ok: false });
    expect(await present.commit({ expect: [absent] })).toEqual({ ok: true });
    expect([await told(old), await told(present)]).toEqual([["ana", "ben"], ["ben"]]);
  } finally {
    for (const store of opened) await store.close();
    await runStatements(url, [
      "SET client_min_messages = warning",
      `DROP SCHEMA IF EXISTS ${schema}, ${schema}_old CASCADE`,
    ]);
  }
});
