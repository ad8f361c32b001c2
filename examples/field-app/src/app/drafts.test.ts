import { IDBFactory } from "fake-indexeddb";
import { describe, expect, it } from "vitest";
import { changed, openDatabase } from "./database.ts";
import { type DraftPlace, type Drafts, openDrafts } from "./drafts.ts";

const server = "https://registry.example/api/v2";
const at = "2026-11-22T08:30:00.000Z";
const clock = () => new Date(at);
const ana: DraftPlace = { person: "ana", form: "edit Individual/urn:x|1" };
const ben: DraftPlace = { person: "ben", form: "edit Individual/urn:x|1" };

/** A tab, and those that are open beside it. */
const tabOf = (id: string, open: readonly string[] = []) =>
  Promise.resolve({ id, living: async () => new Set([id, ...open]) });

const on = (indexedDB: IDBFactory, of = server, tab = tabOf("first")) =>
  openDrafts({ server: of, clock, indexedDB, tab });

/** What another start of the app finds, once all that was asked for is done. */
async function laterFound(indexedDB: IDBFactory, drafts: Drafts, place: DraftPlace): Promise<unknown> {
  await drafts.read(place);
  return (await on(indexedDB).read(place))?.content ?? null;
}

/** What a reloaded tab finds beside those that are open. */
async function laterFoundIn(indexedDB: IDBFactory, id: string): Promise<unknown> {
  const tab = tabOf(id, ["older", "newer"]);
  return (await openDrafts({ server, clock, indexedDB, tab }).read(ana))?.content;
}

describe("drafts", () => {
  it("are there at the next start, with the time at which they were typed", async () => {
    const indexedDB = new IDBFactory();
    const drafts = on(indexedDB);
    expect(await drafts.read(ana)).toBeNull();
    drafts.keep(ana, { given: "An" });
    drafts.keep(ana, { given: "Ana" });
    drafts.keep(ana, { given: "Ana M" });
    await expect.poll(() => laterFound(indexedDB, drafts, ana)).toEqual({ given: "Ana M" });
    expect(await on(indexedDB).read(ana)).toEqual({ content: { given: "Ana M" }, at });
  });

  it("are the newest, also while one before is being written", async () => {
    const drafts = on(new IDBFactory());
    for (const typed of ["A", "An", "Ana"]) {
      drafts.keep(ana, typed);
      expect((await drafts.read(ana))?.content).toBe(typed);
    }
    for (const typed of ["Ben", "Bened", "Benedict"]) drafts.keep(ana, typed);
    expect((await drafts.read(ana))?.content).toBe("Benedict");
  });

  it("belong to one person, one form and one server", async () => {
    const indexedDB = new IDBFactory();
    const drafts = on(indexedDB);
    drafts.keep(ana, "typed");
    await expect.poll(() => laterFound(indexedDB, drafts, ana)).toBe("typed");
    expect(await drafts.read(ben)).toBeNull();
    expect(await drafts.read({ ...ana, form: "register household" })).toBeNull();
    expect(await on(indexedDB, "https://other.example/api/v2").read(ana)).toBeNull();
  });

  it("are forgotten once they were saved or given up, whatever of them still waits to be written", async () => {
    const indexedDB = new IDBFactory();
    const drafts = on(indexedDB);
    for (const typed of ["A", "An", "Ana"]) drafts.keep(ana, typed);
    drafts.drop(ana);
    expect(await laterFound(indexedDB, drafts, ana)).toBeNull();
    drafts.keep(ana, "typed anew");
    await expect.poll(() => laterFound(indexedDB, drafts, ana)).toBe("typed anew");
  });

  it("go when another person comes, at any server, and all of them at the sign-out", async () => {
    const indexedDB = new IDBFactory();
    const [drafts, elsewhere] = [on(indexedDB), on(indexedDB, "https://other.example/api/v2")];
    drafts.keep(ana, "hers");
    elsewhere.keep(ben, "of another Ben");
    await expect.poll(() => laterFound(indexedDB, drafts, ana)).toBe("hers");
    await expect.poll(async () => (await elsewhere.read(ben))?.content).toBe("of another Ben");
    drafts.keepOnly("ana");
    await drafts.settled();
    expect(await on(indexedDB, "https://other.example/api/v2").read(ben)).toBeNull();
    expect(await laterFound(indexedDB, drafts, ana)).toBe("hers");
    for (const typed of ["hers, ", "hers, and mo", "hers, and more"]) drafts.keep(ana, typed);
    drafts.keepOnly("ben");
    expect(await laterFound(indexedDB, drafts, ana)).toBeNull();
    drafts.keep(ben, "his");
    drafts.keepOnly(null);
    expect(await laterFound(indexedDB, drafts, ben)).toBeNull();
  });

  it("are each tab’s own while it is open, also when the other saves", async () => {
    const indexedDB = new IDBFactory();
    const one = on(indexedDB, server, tabOf("one", ["two"]));
    const two = on(indexedDB, server, tabOf("two", ["one"]));
    one.keep(ana, "of one");
    await expect.poll(async () => (await one.read(ana))?.content).toBe("of one");
    expect(await two.read(ana)).toBeNull();
    two.keep(ana, "of two");
    const reloaded = (id: string, other: string) => on(indexedDB, server, tabOf(id, [other])).read(ana);
    await expect.poll(async () => (await reloaded("two", "one"))?.content).toBe("of two");
    expect((await reloaded("one", "two"))?.content).toBe("of one");
    one.drop(ana);
    await expect.poll(() => reloaded("one", "two")).toBeNull();
    expect((await reloaded("two", "one"))?.content).toBe("of two");
  });

  it("of a tab that is gone are taken over by one other, the newest first", async () => {
    const indexedDB = new IDBFactory();
    const at = (minute: number) => () => new Date(`2026-11-22T08:0${minute}:00.000Z`);
    for (const [minute, id] of ["older", "newer"].entries()) {
      const tab = tabOf(id, ["older", "newer"]);
      const drafts = openDrafts({ server, clock: at(minute), indexedDB, tab });
      drafts.keep(ana, id);
      await expect.poll(() => laterFoundIn(indexedDB, id)).toBe(id);
    }
    const next = on(indexedDB, server, tabOf("next"));
    expect((await next.read(ana))?.content).toBe("newer");
    expect((await next.read(ana))?.content).toBe("newer");
    const another = on(indexedDB, server, tabOf("another", ["next"]));
    expect((await another.read(ana))?.content).toBe("older");
    expect(await on(indexedDB, server, tabOf("third", ["next", "another"])).read(ana)).toBeNull();
  });

  it("of a version before, which knew of no tabs, are brought back", async () => {
    const indexedDB = new IDBFactory();
    const database = await openDatabase(indexedDB, { name: "fieldroll-drafts", table: "drafts" });
    const kept = { content: "typed before", at, shape: 1 };
    await changed(database, "drafts", (table) => table.put(kept, [server, ana.person, ana.form]));
    expect(await on(indexedDB).read(ana)).toEqual({ content: "typed before", at });
  });

  it("hold nobody up where the browser keeps nothing", async () => {
    const none = {
      open() {
        throw new DOMException("not here", "SecurityError");
      },
    } as unknown as IDBFactory;
    const drafts = on(none);
    drafts.keep(ana, "typed");
    drafts.drop(ana);
    drafts.keepOnly(null);
    expect(await drafts.read(ana)).toBeNull();
  });

  it("are there still after the browser deleted the data of the site, and are kept anew", async () => {
    const indexedDB = new IDBFactory();
    const drafts = on(indexedDB);
    drafts.keep(ana, "typed before");
    await drafts.settled();
    await new Promise<void>((resolve, reject) => {
      const deleting = indexedDB.deleteDatabase("fieldroll-drafts");
      deleting.onsuccess = () => resolve();
      deleting.onerror = () => reject(deleting.error);
    });
    expect((await drafts.read(ana))?.content).toBe("typed before");
    drafts.keep(ana, "typed after");
    await drafts.settled();
    expect((await on(indexedDB).read(ana))?.content).toBe("typed after");
  });
});
