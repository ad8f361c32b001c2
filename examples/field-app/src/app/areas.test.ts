import { IDBFactory } from "fake-indexeddb";
import { describe, expect, it } from "vitest";
import { areaName, openAreaChoices } from "./areas.ts";

const server = "https://registry.example/api/v2";
const [imus, naic] = ["area:PH/Cavite/Imus", "area:PH/Cavite/Naic"];
const empty = { getItem: () => null, setItem: () => {} };
/** An IndexedDB that never answers. */
const mute = { open: () => ({}) } as unknown as IDBFactory;

const on = (indexedDB: IDBFactory, more: { asked?: string; server?: string } = {}) =>
  openAreaChoices({ server, asked: null, indexedDB, storage: empty, ...more });

describe("areas", () => {
  it("are each person's own, also after the next start", async () => {
    const indexedDB = new IDBFactory();
    await on(indexedDB).choose("ana", imus);
    expect(await on(indexedDB).of("ben")).toBe("all");
    await on(indexedDB).choose("ben", naic);
    expect(await on(indexedDB).of("ana")).toBe(imus);
    expect(await on(indexedDB).of("ben")).toBe(naic);
    expect(await on(indexedDB).current()).toBe(naic);
  });

  it("mean nothing at another server", async () => {
    const indexedDB = new IDBFactory();
    await on(indexedDB).choose("ana", imus);
    const other = on(indexedDB, { server: "https://other.example/api/v2" });
    expect([await other.of("ana"), await other.current()]).toEqual(["all", "all"]);
  });

  it("go back to the one before without being anybody's choice", async () => {
    const indexedDB = new IDBFactory();
    await on(indexedDB).choose("ana", imus);
    await on(indexedDB).follow(naic);
    expect([await on(indexedDB).of("ana"), await on(indexedDB).current()]).toEqual([imus, naic]);
  });

  it.each(["area:ph/leyte", "area:", "area:PH/%ZZ", "area:PH//Imus", "area:Kenya"])(
    "are none that no server has, such as %s, whoever asks for it or has kept it",
    async (feed) => {
      const indexedDB = new IDBFactory();
      await on(indexedDB).choose("ana", imus);
      expect(await on(indexedDB, { asked: feed }).current()).toBe(imus);
      const stored = openAreaChoices({
        ...{ server, asked: null, indexedDB: mute, patience: 1 },
        storage: { ...empty, getItem: () => feed },
      });
      expect(await stored.current()).toBe("all");
      expect(stored.toldBy({ key: "fieldroll-area", newValue: feed })).toBeNull();
    },
  );

  it("that the page's address asks for come first, and are kept for whoever has chosen nothing", async () => {
    const indexedDB = new IDBFactory();
    await on(indexedDB).choose("ana", imus);
    const asking = on(indexedDB, { asked: naic });
    expect([await asking.current(), await asking.of("ana")]).toEqual([naic, naic]);
    expect([await on(indexedDB).of("ana"), await on(indexedDB).of("ben")]).toEqual([imus, naic]);
  });

  it("of a version before are followed until another one is chosen", async () => {
    const indexedDB = new IDBFactory();
    const before = openAreaChoices({
      server,
      asked: null,
      indexedDB,
      storage: { ...empty, getItem: () => imus },
    });
    expect(await before.current()).toBe(imus);
  });

  it("that another tab chose are told by the event of what it kept", async () => {
    const kept: [string, string][] = [];
    const storage = { ...empty, setItem: (...item: [string, string]) => void kept.push(item) };
    await openAreaChoices({ server, asked: null, indexedDB: new IDBFactory(), storage }).follow(naic);
    const here = on(new IDBFactory());
    expect(kept.map(([key, newValue]) => here.toldBy({ key, newValue }))).toEqual([naic]);
    expect(here.toldBy({ key: "something-else", newValue: imus })).toBeNull();
  });

  it("are what localStorage has where IndexedDB does not answer", async () => {
    const held = new Map<string, string>();
    const storage = {
      getItem: (key: string) => held.get(key) ?? null,
      setItem: (key: string, feed: string) => void held.set(key, feed),
    };
    const open = () => openAreaChoices({ server, asked: null, indexedDB: mute, storage, patience: 1 });
    await open().choose("ana", imus);
    expect(await open().current()).toBe(imus);
  });

  it("are called as the list does, else by their places", () => {
    const list = [{ name: "Imus (Cavite)", feed: imus }];
    expect(areaName(imus, list)).toBe("Imus (Cavite)");
    expect(areaName("area:PH/Cavite/General%20Trias", list)).toBe("General Trias, Cavite, PH");
    expect(areaName("all", list)).toBeNull();
  });
});
