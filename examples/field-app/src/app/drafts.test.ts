import { IDBFactory } from "fake-indexeddb";
import { describe, expect, it } from "vitest";
import { type DraftPlace, type Drafts, openDrafts } from "./drafts.ts";

const server = "https://registry.example/api/v2";
const at = "2026-11-22T08:30:00.000Z";
const clock = () => new Date(at);
const ana: DraftPlace = { person: "ana", form: "edit Individual/urn:x|1" };
const ben: DraftPlace = { person: "ben", form: "edit Individual/urn:x|1" };

const on = (indexedDB: IDBFactory, of = server) => openDrafts({ server: of, clock, indexedDB });

/** What another start of the app finds, once all that was asked for is done. */
async function laterFound(indexedDB: IDBFactory, drafts: Drafts, place: DraftPlace): Promise<unknown> {
  await drafts.read(place);
  return (await on(indexedDB).read(place))?.content ?? null;
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
    expect(await elsewhere.read(ben)).toBeNull();
    expect(await laterFound(indexedDB, drafts, ana)).toBe("hers");
    for (const typed of ["hers, ", "hers, and mo", "hers, and more"]) drafts.keep(ana, typed);
    drafts.keepOnly("ben");
    expect(await laterFound(indexedDB, drafts, ana)).toBeNull();
    drafts.keep(ben, "his");
    drafts.keepOnly(null);
    expect(await laterFound(indexedDB, drafts, ben)).toBeNull();
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
});
