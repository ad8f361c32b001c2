import { describe, expect, it } from "vitest";
import { openTab } from "./tab.ts";

/** Locks of one browser: a name is held by whoever asks first, and let go when that one ends. */
function browser() {
  const held = new Set<string>();
  const open = (storage: Map<string, string>, newId: () => string) => {
    const mine: string[] = [];
    const locks = {
      async request(name: string, { signal }: { signal: AbortSignal }, hold: () => Promise<unknown>) {
        while (held.has(name)) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          signal.throwIfAborted();
        }
        held.add(name);
        mine.push(name);
        return hold();
      },
      query: async () => ({ held: [...held].map((name) => ({ name })) }),
    } as unknown as LockManager;
    const storing = {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => void storage.set(key, value),
    };
    const end = () => {
      for (const name of mine) held.delete(name);
    };
    return { end, tab: openTab({ storage: storing, locks, newId, patience: 50 }) };
  };
  return { open };
}

describe("a tab", () => {
  it("has a name of its own, and the same after a reload", async () => {
    const { open } = browser();
    const [first, second] = [new Map<string, string>(), new Map<string, string>()];
    const a = open(first, () => "a");
    expect((await a.tab).id).toBe("a");
    expect((await open(second, () => "b").tab).id).toBe("b");
    setTimeout(a.end, 10);
    expect((await open(first, () => "c").tab).id).toBe("a");
  });

  it("has another name than the one it was copied from", async () => {
    const { open } = browser();
    const storage = new Map<string, string>();
    await open(storage, () => "a").tab;
    expect((await open(new Map(storage), () => "b").tab).id).toBe("b");
  });

  it("knows which others are open", async () => {
    const { open } = browser();
    const a = open(new Map(), () => "a");
    const b = await open(new Map(), () => "b").tab;
    await a.tab;
    expect(await b.living()).toEqual(new Set(["a", "b"]));
    a.end();
    expect(await b.living()).toEqual(new Set(["b"]));
  });

  it("keeps its name, and knows of no others, where there are no locks", async () => {
    const storage = new Map<string, string>();
    const storing = {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => void storage.set(key, value),
    };
    const open = (newId: () => string) => openTab({ storage: storing, locks: undefined, newId });
    expect((await open(() => "a")).id).toBe("a");
    const again = await open(() => "b");
    expect([again.id, await again.living()]).toEqual(["a", new Set(["a"])]);
  });
});
