import { describe, expect, it } from "vitest";
import { createMemoryStore } from "./memory.ts";
import { createMemoryMedium, type MemoryMedium } from "./memory-medium.ts";
import type { StoreFault } from "./port.ts";

const ana = { collection: "people", key: "ana" };

/** What is done to a medium behind its store's back, and what verify says of it. */
const damages: readonly {
  readonly name: string;
  readonly about: StoreFault["about"];
  readonly damage: (medium: MemoryMedium) => void;
}[] = [
  { name: "a claim that is not held", about: "claim", damage: ({ claims }) => claims.clear() },
  {
    name: "a claim that is another's",
    about: "claim",
    damage: ({ claims }) => claims.set("id", { ...ana, key: "ben" }),
  },
  { name: "a claim that nobody declares", about: "claim", damage: ({ claims }) => claims.set("no", ana) },
  { name: "a value that is not listed", about: "entry", damage: ({ entries }) => entries.clear() },
  {
    name: "a value that nobody declares",
    about: "entry",
    damage: ({ entries }) => entries.set("people\u0000name\u0000no", new Set(["ana"])),
  },
  { name: "a feed that does not tell", about: "feed", damage: ({ feeds }) => feeds.clear() },
  {
    name: "a feed that nobody declares",
    about: "feed",
    damage: ({ feeds }) => {
      const row = { ...ana, position: 1, gone: false };
      feeds.set("no", { rows: new Map([["people\u0000ana", row]]), log: [row] });
    },
  },
];

describe("a damaged memory store", () => {
  it.each(damages)("is told to have $name, and is mended by rebuild", async ({ about, damage }) => {
    const medium = createMemoryMedium();
    const store = createMemoryStore({ medium });
    const put = [{ ...ana, version: 1, body: 1, claims: ["id"], entries: { name: ["ana"] }, feeds: ["all"] }];
    await store.commit({ put });
    damage(medium);
    const faults: StoreFault[] = [];
    await store.verify?.((fault) => faults.push(fault));
    expect(faults.map((fault) => fault.about)).toContain(about);
    await store.rebuild?.(() => expect.unreachable());
    await store.verify?.((fault) => expect.unreachable(fault.message));
    expect(await store.resolve(["id"])).toEqual([ana]);
  });

  it("leaves a claim that two documents declare with the smaller key, and names the other", async () => {
    const medium = createMemoryMedium();
    const store = createMemoryStore({ medium });
    const person = (key: string) => ({ collection: "people", key, version: 1, body: 1, claims: ["id"] });
    await store.commit({ put: [person("b")] });
    medium.claims.clear();
    await store.commit({ put: [person("a")] });
    const faults: StoreFault[] = [];
    await store.rebuild?.((fault) => faults.push(fault));
    expect(faults).toMatchObject([{ about: "claim", at: { key: "b" } }]);
    expect(await store.resolve(["id"])).toEqual([{ collection: "people", key: "a" }]);
  });
});
