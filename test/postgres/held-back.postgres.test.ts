import { randomBytes } from "node:crypto";
import { type FeedPage, type Store, unwrap } from "@fieldroll/core";
import { createTestRegistry } from "@fieldroll/core/testing";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";

const server = inject("postgres");

/** Somebody's transaction that has a number, in any database of the server, keeps back what comes after it. */
describe("while somebody's transaction stays open", () => {
  let store: Store;
  let admin: Client;
  let somebody: Client;
  const schema = `held_${randomBytes(6).toString("hex")}`;

  beforeEach(async () => {
    if ("absent" in server) return;
    [admin, somebody] = [new Client(server.url), new Client(server.url)];
    await Promise.all([admin.connect(), somebody.connect()]);
    store = await openPostgresStore({ connectionString: server.url, schema });
  });
  afterEach(async () => {
    if ("absent" in server) return;
    await somebody.end();
    await store.close();
    await admin.query("SET client_min_messages = warning");
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  });

  const hold = async () => {
    await somebody.query("BEGIN");
    await somebody.query("SELECT pg_current_xact_id()");
  };
  const put = (...keys: readonly string[]) =>
    store.commit({
      put: keys.map((key) => ({ collection: "c", key, version: 1, body: 0, feeds: ["f"] })),
    });
  const follow = (cursor?: string) => store.changes({ feed: "f", limit: 2, ...(cursor && { cursor }) });

  it("a page says that it ends before what is committed", async () => {
    await put("a", "b");
    await hold();
    await put("c");
    const page = await follow();
    expect(page).toMatchObject({ more: false, held: true, changes: [{}, {}] });
    expect(await follow(page.next)).toEqual({ changes: [], next: page.next, more: false, held: true });
    await somebody.query("COMMIT");
    const rest = await follow(page.next);
    expect(rest).toMatchObject({ more: false, changes: [{ document: { key: "c" } }] });
    expect(rest).not.toHaveProperty("held");
  });

  it("a rebuilding leaves feeds to be read: whoever begins anew would take them for empty", async () => {
    await put("a", "b", "c");
    await hold();
    await store.rebuild?.(() => undefined);
    const page = await follow();
    expect(page).toMatchObject({ more: true, changes: [{ document: { key: "a" } }, {}] });
    expect(await follow(page.next)).toMatchObject({ more: false, changes: [{ document: { key: "c" } }] });
    await put("d");
    await somebody.query("COMMIT");
    const rest = { changes: [{ document: { key: "c" } }, { document: { key: "d" } }], more: false };
    expect(await follow(page.next)).toMatchObject(rest);
    const told: string[] = [];
    await store.verify?.(({ message }) => told.push(message));
    expect(told).toEqual([]);
  });

  it("a consent that ends is told afterwards, however long that takes and however often its reader asks", async () => {
    const { view, advance, as } = createTestRegistry({ store });
    const partner = as({ organization: "Relief", legalBasis: "consent" });
    const identifier = [{ system: "urn:id", value: "1" }];
    unwrap(await view.individuals.create({ type: "Individual", identifier, name: { family: "Reyes" } }));
    const terms = { subject: { reference: "Individual/urn:id|1" }, grantee: { organization: "Relief" } };
    const scope = [{ resourceType: "all", fieldAccess: "all" }] as const;
    const { id } = unwrap(await view.consents.grant({ ...terms, scope }));
    let page: FeedPage | undefined;
    const told = async () => {
      const cursor = page?.nextCursor;
      page = unwrap(await partner.changes({ feed: "all", ...(cursor && { cursor }) }));
      return page.data.map(({ change }) => change);
    };
    expect(await told()).toEqual(["upsert"]);
    await hold();
    advance({ milliseconds: 60_000 });
    unwrap(await view.consents.revoke(id));
    for (let poll = 0; poll < 3; poll++) {
      advance({ milliseconds: 60_000 });
      expect(await told()).toEqual([]);
    }
    await somebody.query("COMMIT");
    advance({ milliseconds: 60_000 });
    expect(await told()).toEqual(["removed"]);
    expect(await told()).toEqual([]);
  });
});
