import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Store } from "@fieldroll/core";
import { describeStore } from "@fieldroll/core/testing";
import { expect, test } from "vitest";

/** What the page's store asks of its medium. */
interface Transaction {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  delete(key: string): void;
  scan(from: string, below: string, limit?: number): [key: string, value: string][];
}

interface Medium {
  transact<T>(mode: "read" | "write", work: (tx: Transaction) => T): Promise<T>;
  close(): Promise<void>;
}

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Writes the page's store into the checkout, so that it finds the packages, and loads it. */
async function loadExample(): Promise<(medium: Medium) => Store> {
  const page = await readFile(join(root, "docs", "write-a-store.md"), "utf8");
  const code = /^```ts store\n(.*?)^```/ms.exec(page)?.[1];
  if (code === undefined) throw new Error('docs/write-a-store.md has no example "ts store"');
  const folder = join(root, ".cache", "write-a-store");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "store.ts"), code);
  const module = (await import(pathToFileURL(join(folder, "store.ts")).href)) as {
    createOrderedStore: (medium: Medium) => Store;
  };
  return module.createOrderedStore;
}

/** An ordered map of texts: transactions run one at a time, in one turn each. */
function createMedium(): Medium {
  const texts = new Map<string, string>();
  let sorted: string[] | undefined = [];
  const forget = (key: string, known: boolean) => {
    if (texts.has(key) !== known) sorted = undefined;
  };
  const tx: Transaction = {
    get: (key) => texts.get(key),
    set: (key, value) => {
      forget(key, true);
      texts.set(key, value);
    },
    delete: (key) => {
      forget(key, false);
      texts.delete(key);
    },
    scan: (from, below, limit = Number.POSITIVE_INFINITY) => {
      sorted ??= [...texts.keys()].sort();
      const first = firstFrom(sorted, from);
      const found: [string, string][] = [];
      for (let i = first; i < sorted.length && found.length < limit; i++) {
        const key = sorted[i] ?? "";
        if (key >= below) break;
        found.push([key, texts.get(key) ?? ""]);
      }
      return found;
    },
  };
  return { transact: async (_, work) => work(tx), close: async () => undefined };
}

function firstFrom(sorted: readonly string[], from: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

const create = await loadExample();

test("the store of docs/write-a-store.md refuses the cursors of another store", async () => {
  const stores = [create(createMedium()), create(createMedium())] as const;
  for (const store of stores) {
    await store.commit({ put: [{ collection: "c", key: "k", version: 1, body: {}, feeds: ["all"] }] });
  }
  const { next: cursor } = await stores[0].changes({ feed: "all", limit: 5 });
  expect(await stores[0].changes({ feed: "all", limit: 5, cursor })).toMatchObject({ changes: [] });
  await expect(stores[1].changes({ feed: "all", limit: 5, cursor })).rejects.toMatchObject({
    code: "bad-cursor",
  });
});

const failures = [
  { named: "no room", error: Object.assign(new Error("full"), { code: "ENOSPC" }), code: "quota" },
  {
    named: "an error of the disk",
    error: Object.assign(new Error("bad"), { code: "EIO" }),
    code: "unavailable",
  },
  { named: "a damaged text", error: new SyntaxError("Unexpected token"), code: "corrupt" },
] as const;

test.each(failures)(
  "the store of docs/write-a-store.md rejects as $code for $named",
  async ({ error, code }) => {
    const medium: Medium = {
      transact: () => {
        throw error;
      },
      close: () => Promise.reject(error),
    };
    const store = create(medium);
    const refused = { name: "StoreError", code, cause: error };
    const at = { collection: "c", key: "k" };
    await expect(store.get([at])).rejects.toMatchObject(refused);
    await expect(store.query({ collection: "c", limit: 1 })).rejects.toMatchObject(refused);
    await expect(store.changes({ feed: "all", limit: 1 })).rejects.toMatchObject(refused);
    await expect(store.commit({ put: [{ ...at, version: 1, body: 1 }] })).rejects.toMatchObject(refused);
    await expect(store.close()).rejects.toMatchObject(refused);
  },
);

test("the store of docs/write-a-store.md rejects as corrupt where a text of its medium is damaged", async () => {
  const medium = createMedium();
  const store = create(medium);
  const at = { collection: "c", key: "k" };
  await store.commit({ put: [{ ...at, version: 1, body: {} }] });
  await medium.transact("write", (tx) => tx.set(["document", "c", "k"].join("\u0000"), '{"body":'));
  await expect(store.get([at])).rejects.toMatchObject({ name: "StoreError", code: "corrupt" });
});

describeStore("the store of docs/write-a-store.md", {
  async create() {
    const medium = createMedium();
    const store = create(medium);
    return {
      store,
      async reopen() {
        await store.close();
        return create(medium);
      },
      second: async () => create(medium),
      drop: () => store.close(),
    };
  },
  lacks: { crash: "its medium here is memory" },
  documents: 5_000,
});
