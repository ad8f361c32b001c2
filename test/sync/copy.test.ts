import { createMemoryMedium, createMemoryStore, type MemoryMedium } from "@fieldroll/core";
import {
  createFieldClient,
  type Fetch,
  type FieldClient,
  processLock,
  type SignedIn,
  type UnsentCopy,
} from "@fieldroll/sync";
import { v7 } from "uuid";
import { beforeEach, describe, expect, it } from "vitest";
import { ok, peopleIn, settled, system } from "./support/people.ts";
import { manualTimers } from "./support/timers.ts";
import { createWorld, credentials, restoredFrom, root, type World } from "./support/world.ts";

const other = { ...credentials, clientId: "other" };
const ana = `Individual/${system}|ANA`;

/** A file outside the store. */
interface File extends UnsentCopy {
  text: string | null;
  fails: boolean;
  /** What every reading or writing comes to instead. */
  trouble: ((what: "read" | "write") => Promise<never>) | null;
  writes: number;
}

const hangs = () => new Promise<never>(() => undefined);
const unreadable = () => Promise.reject(new DOMException("The disk does not answer.", "NotReadableError"));

function emptyFile(): File {
  const file: File = {
    ...{ text: null, fails: false, trouble: null, writes: 0 },
    async read() {
      await file.trouble?.("read");
      return file.text;
    },
    async write(text) {
      await file.trouble?.("write");
      file.writes += 1;
      if (file.fails) throw new DOMException("There is no room.", "QuotaExceededError");
      file.text = text;
    },
  };
  return file;
}

describe("a copy of what is unsent, outside the store", () => {
  let world: World;
  let file: File;
  let medium: MemoryMedium;
  let tablet: FieldClient;
  let online: boolean;
  let timers: ReturnType<typeof manualTimers>;
  const people = peopleIn(() => world);

  const send: Fetch = (url, init) =>
    online ? world.send(url, init) : Promise.reject(new TypeError("offline"));

  function start(server = root, lock = processLock()): FieldClient {
    timers = manualTimers(world.busy);
    return createFieldClient({
      ...{ server, timers, copy: file, fetch: send, clock: world.now, random: () => 0, newId: v7 },
      ...{ store: createMemoryStore({ medium }), lock, automatic: false },
    });
  }

  /** The store is gone, as when a browser finds it damaged; the app is opened again. */
  function lose(): void {
    medium = createMemoryMedium();
    tablet = start();
  }

  const signIn = (as = credentials): Promise<SignedIn> => ok(tablet.signIn(as));
  const made = () => timers.advance(60_000);

  /** Offline, with an edit of a record of the server and a household made here, and a copy of that. */
  async function work(): Promise<void> {
    online = false;
    await people.rename(tablet, ["ANA"]);
    await ok(
      tablet.registerHousehold({
        group: { active: true, groupType: "household", name: "Household" },
        members: [{ individual: { active: true, name: { family: "Diaz" } } }],
      }),
    );
    await made();
  }

  beforeEach(async () => {
    world = await createWorld();
    await people.seed(["ANA"]);
    [file, medium, online] = [emptyFile(), createMemoryMedium(), true];
    tablet = start();
    await signIn();
    await tablet.sync();
  });

  it("that has had no room for so long that nobody knows what was sent is asked about", async () => {
    await work();
    [file.fails, online] = [true, true];
    await tablet.sync();
    await ok(world.view.individuals.patch(`${system}|ANA`, { name: { family: "Cruz" } }, { ifMatch: "*" }));
    world.pass(95 * 24 * 60 * 60_000);
    for (let times = 0; times < 3; times++) {
      await signIn();
      await tablet.sync();
      await tablet.close();
      tablet = start();
    }
    expect((await tablet.parked()).find(({ reference }) => reference === ana)?.reason).toBe("conflict");
  });

  it("gives back what replaces nothing at a server that was restored meanwhile, and counts the same versions", async () => {
    const older = structuredClone(world.medium);
    const asOffice = ({ view }: World, family: string) =>
      ok(view.individuals.patch(`${system}|ANA`, { name: { family } }, { ifMatch: "*" }));
    await asOffice(world, "Diaz");
    await tablet.sync();
    online = false;
    await people.rename(tablet, ["ANA"]);
    await made();
    lose();
    const restored = await restoredFrom(older);
    world.moveTo(restored);
    await asOffice(restored, "Santos");
    online = true;
    await signIn();
    expect(await tablet.sync()).toMatchObject({ pending: 0, sending: 0, parked: 1 });
    const { name } = await ok(restored.view.individuals.read(`${system}|ANA`));
    expect(name.family).toBe("Santos");
    expect(await tablet.parked()).toMatchObject([{ reason: "conflict" }]);
  });

  it("gives it back to a store that was lost, once its person signs in", async () => {
    await work();
    lose();
    online = true;
    expect(await tablet.sync()).toMatchObject({ signedInAs: null, pending: 0 });
    expect((await tablet.individuals.search()).ok).toBe(true);
    expect(await signIn()).toEqual({ restored: 3, sealed: 0 });
    expect((await ok(tablet.individuals.read(ana))).record.name.family).toBe("Reyes");
    expect(await tablet.sync()).toMatchObject(settled);
    expect((await people.families()).sort()).toEqual(["Diaz", "Reyes"]);
    expect((await ok(world.view.groups.search())).data).toMatchObject([{ quantity: 1 }]);
  });

  it("shows nobody what is another's, and keeps it for that one", async () => {
    await work();
    lose();
    online = true;
    expect(await signIn(other)).toEqual({ restored: 0, sealed: 0 });
    expect(await tablet.sync()).toMatchObject(settled);
    expect(await people.families()).toEqual(["Cruz"]);
    await made();
    lose();
    expect(await signIn()).toEqual({ restored: 3, sealed: 0 });
    expect(await tablet.sync()).toMatchObject(settled);
    expect((await people.families()).sort()).toEqual(["Diaz", "Reyes"]);
  });

  it("has one effect also where it is older than what was sent", async () => {
    await work();
    const { text } = file;
    online = true;
    await tablet.sync();
    await people.rename(tablet, ["ANA"], "Santos");
    await tablet.sync();
    file.text = text;
    lose();
    await signIn();
    const { parked } = await tablet.sync();
    expect((await people.families()).sort()).toEqual(["Diaz", "Santos"]);
    expect(new Set(world.effects).size).toBe(world.effects.length);
    // That the name was changed again since is for a person to see.
    expect(parked).toBe(1);
  });

  it("gives a store back what it lost by going back to a former state", async () => {
    await people.rename(tablet, ["ANA"], "Diaz");
    await made();
    const former = structuredClone(medium);
    await work();
    await people.rename(tablet, ["ANA"], "Santos");
    await tablet.close();
    medium = former;
    tablet = start();
    online = true;
    await tablet.sync();
    expect(await tablet.sync()).toMatchObject({ ...settled, signedInAs: "tablet" });
    expect((await people.families()).sort()).toEqual(["Diaz", "Santos"]);
    expect((await ok(world.view.groups.search())).data).toMatchObject([{ quantity: 1 }]);
  });

  it("tells nothing to a store that has it, however often the app is opened", async () => {
    await work();
    await tablet.close();
    tablet = start();
    online = true;
    expect(await tablet.sync()).toMatchObject({ ...settled, signedInAs: "tablet" });
    expect(await people.families()).toHaveLength(2);
    await made();
    expect(JSON.parse(file.text ?? "")).toMatchObject({ works: [] });
    expect(file.text).not.toContain("Diaz");
  });

  it("is made once for many edits, and when the app is closed", async () => {
    await work();
    const { writes } = file;
    for (const name of ["A", "B", "C"]) await people.rename(tablet, ["ANA"], name);
    await timers.advance(1_000);
    expect(file.writes).toBe(writes + 1);
    await timers.advance(600_000);
    expect(file.writes).toBe(writes + 1);
    await people.rename(tablet, ["ANA"], "Last");
    await tablet.close();
    expect(file.text).toContain("Last");
  });

  it("is not made anew by a store that could not take back what it has", async () => {
    await work();
    const { text } = file;
    medium = createMemoryMedium();
    const store = createMemoryStore({ medium });
    const full = createFieldClient({
      ...{ server: root, timers, copy: file, fetch: send, clock: world.now, random: () => 0, newId: v7 },
      store: {
        ...store,
        commit: async (commit) => {
          if (commit.put?.some(({ collection }) => collection === "sealed"))
            throw new Error("There is no room.");
          return store.commit(commit);
        },
      },
      lock: processLock(),
      automatic: false,
    });
    online = true;
    await ok(full.signIn(other));
    await full.sync();
    await made();
    await full.close();
    expect(file.text).toBe(text);
    tablet = start();
    expect(await signIn()).toEqual({ restored: 3, sealed: 0 });
  });

  it.each([
    ["no JSON", "{"],
    ["without works", '{"format":1}'],
    ["of works that are none", '{"format":1,"works":[1,{"account":"a","work":{"format":1,"entry":{}}}]}'],
    ["something else", "[1]"],
  ])("that is %s keeps nobody from working", async (_, text) => {
    file.text = text;
    lose();
    await signIn();
    expect(await tablet.sync()).toMatchObject(settled);
    await made();
    expect(JSON.parse(file.text ?? "")).toMatchObject({ format: 1, works: [] });
  });

  it("of a later version of the app is left alone", async () => {
    const later = '{"format":2,"works":["of a shape to come"]}';
    file.text = later;
    lose();
    await signIn();
    await tablet.sync();
    online = false;
    await people.rename(tablet, ["ANA"]);
    await made();
    await tablet.close();
    expect(file.text).toBe(later);
  });

  it("that can't be read for a while is not written over before it was, and is given back then", async () => {
    await work();
    const { text } = file;
    file.trouble = unreadable;
    lose();
    online = true;
    expect(await signIn(other)).toEqual({ restored: 0, sealed: 0 });
    await made();
    expect(file.text).toBe(text);
    file.trouble = null;
    await tablet.sync();
    await made();
    expect(JSON.parse(file.text ?? "").works).toHaveLength(3);
    expect(await signIn()).toEqual({ restored: 3, sealed: 0 });
    expect(await tablet.sync()).toMatchObject(settled);
    expect((await people.families()).sort()).toEqual(["Diaz", "Reyes"]);
  });

  it("that could not be read at first comes back to who is signed in by then", async () => {
    await work();
    file.trouble = unreadable;
    lose();
    online = true;
    expect(await signIn()).toEqual({ restored: 0, sealed: 0 });
    await tablet.sync();
    file.trouble = null;
    await people.rename(tablet, ["ANA"], "Santos");
    await made();
    await tablet.sync();
    expect((await people.families()).sort()).toEqual(["Diaz", "Santos"]);
  });

  it("that has a work twice gives it back once", async () => {
    await work();
    const copy = JSON.parse(file.text ?? "") as { works: unknown[] };
    file.text = JSON.stringify({ ...copy, works: [...copy.works, ...copy.works] });
    lose();
    online = true;
    expect(await signIn()).toEqual({ restored: 3, sealed: 0 });
    expect(await tablet.sync()).toMatchObject(settled);
    expect((await people.families()).sort()).toEqual(["Diaz", "Reyes"]);
  });

  it("that has work nobody can do gives back the rest", async () => {
    await work();
    const copy = JSON.parse(file.text ?? "") as { works: { work: { entry: object; record: object } }[] };
    const [first] = copy.works;
    const odd = { ...first, work: { ...first?.work, record: { body: {}, claims: "all" } } };
    file.text = JSON.stringify({ ...copy, works: [odd, { account: "x" }, ...copy.works.slice(1)] });
    lose();
    online = true;
    expect(await signIn()).toEqual({ restored: 2, sealed: 0 });
    expect(await tablet.sync()).toMatchObject({ lastError: null });
  });

  it("on a disk that never answers keeps the app from neither starting nor closing", async () => {
    await work();
    file.trouble = hangs;
    tablet = start();
    online = true;
    const status = tablet.sync();
    await timers.advance(5_000);
    expect(await status).toMatchObject(settled);
    await people.rename(tablet, ["ANA"], "Late");
    const closed = tablet.close();
    await timers.advance(5_000);
    await closed;
  });

  it("is made for the last time before another has the lead", async () => {
    const lock = processLock();
    const first = start(root, lock);
    await ok(first.signIn(credentials));
    await first.sync();
    online = false;
    await people.rename(first, ["ANA"], "First");
    const led: (string | null)[] = [];
    void lock.acquire().then(() => led.push(file.text));
    await first.close();
    await Promise.resolve();
    expect(led).toEqual([expect.stringContaining("First")]);
  });

  it("that can't be written disturbs nothing, and is written when it can be", async () => {
    file.fails = true;
    await work();
    expect(file.text).toBe(null);
    expect(tablet.status.current).toMatchObject({ pending: 3 });
    file.fails = false;
    await people.rename(tablet, ["ANA"], "Again");
    await made();
    expect(file.text).toContain("Household");
  });

  it("keeps what another server is to get for the day when the tablet is set up for that again", async () => {
    await work();
    online = true;
    medium = createMemoryMedium();
    tablet = start("http://other.test/api/v2");
    expect(await signIn()).toEqual({ restored: 0, sealed: 0 });
    expect(await tablet.sync()).toMatchObject(settled);
    await made();
    expect(await people.families()).toEqual(["Cruz"]);
    lose();
    expect(await signIn()).toEqual({ restored: 3, sealed: 0 });
  });

  it("has every edit before it has photos, within two million characters", async () => {
    online = false;
    const photo = `data:image/jpeg;base64,/9j/2gAC${"A".repeat(900_000)}/9k=`;
    for (let i = 0; i < 3; i++) {
      const { reference } = await ok(
        tablet.individuals.create({ active: true, name: { given: `With ${i}` } }),
      );
      await ok(
        tablet.individuals.update(reference, (draft) => {
          draft.photo = photo;
        }),
      );
      await ok(tablet.individuals.create({ active: true, name: { given: `Without ${i}` } }));
    }
    await made();
    expect(file.text?.length).toBeLessThan(2_000_100);
    for (let i = 0; i < 3; i++) expect(file.text).toContain(`Without ${i}`);
  });
});
