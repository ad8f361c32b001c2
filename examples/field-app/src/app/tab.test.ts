import { describe, expect, it } from "vitest";
import { openTab } from "./tab.ts";

type Patience = () => AbortSignal;

const endless: Patience = () => new AbortController().signal;
const spent: Patience = () => AbortSignal.abort();

/** Locks of one browser: a name is held by whoever asks first, and passes on when that one ends. */
function browser() {
  const held = new Set<string>();
  const waiting = new Map<string, (() => void)[]>();
  const open = (storage: Map<string, string>, newId: () => string, patience = endless) => {
    const mine: string[] = [];
    const locks = {
      async request(name: string, { signal }: { signal: AbortSignal }, hold: () => Promise<unknown>) {
        if (held.has(name)) {
          signal.throwIfAborted();
          await new Promise<void>((resolve) => {
            waiting.set(name, [...(waiting.get(name) ?? []), resolve]);
          });
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
      for (const name of mine) {
        held.delete(name);
        waiting.get(name)?.shift()?.();
      }
    };
    return { end, tab: openTab({ storage: storing, locks, newId, patience }) };
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
    // The reloaded page asks while the former one still has the name.
    const reloaded = open(first, () => "c");
    a.end();
    expect((await reloaded.tab).id).toBe("a");
  });

  it("has another name than the one it was copied from", async () => {
    const { open } = browser();
    const storage = new Map<string, string>();
    await open(storage, () => "a").tab;
    expect((await open(new Map(storage), () => "b", spent).tab).id).toBe("b");
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
