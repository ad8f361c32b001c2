import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Store } from "@fieldroll/core";
import { describeStore } from "@fieldroll/core/testing";
import { expect, test } from "vitest";

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

async function loadExample(): Promise<(medium: Medium) => Store> {
  const page = await readFile(join(root, "docs", "write-a-store.md"), "utf8");
  const code = /^```ts store\n(.*?)^```/ms.exec(page)?.[1] ?? "";
  const folder = join(root, ".cache", "write-a-store-bytes");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "store.ts"), code);
  const module = (await import(pathToFileURL(join(folder, "store.ts")).href)) as {
    createOrderedStore: (medium: Medium) => Store;
  };
  return module.createOrderedStore;
}

/** As LevelDB and LMDB keep texts: the bytes of their UTF-8, in order of bytes. */
const bytesOf = (text: string) => Buffer.from(text, "utf8").toString("latin1");
const textOf = (bytes: string) => Buffer.from(bytes, "latin1").toString("utf8");

function createMedium(): Medium {
  const texts = new Map<string, string>();
  let sorted: string[] | undefined;
  const tx: Transaction = {
    get: (key) => texts.get(bytesOf(key)),
    set: (key, value) => {
      if (!texts.has(bytesOf(key))) sorted = undefined;
      texts.set(bytesOf(key), value);
    },
    delete: (key) => {
      if (texts.delete(bytesOf(key))) sorted = undefined;
    },
    scan: (from, below, limit = Number.POSITIVE_INFINITY) => {
      sorted ??= [...texts.keys()].sort();
      const [first, end] = [bytesOf(from), bytesOf(below)];
      const found: [string, string][] = [];
      let [low, high] = [0, sorted.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((sorted[middle] ?? "") < first) low = middle + 1;
        else high = middle;
      }
      for (let i = low; i < sorted.length && found.length < limit; i++) {
        const key = sorted[i] ?? "";
        if (key >= end) break;
        found.push([textOf(key), texts.get(key) ?? ""]);
      }
      return found;
    },
  };
  return { transact: async (_, work) => work(tx), close: async () => undefined };
}

const create = await loadExample();

test("a claim with half a surrogate pair is nobody's, on a medium of bytes too", async () => {
  const store = create(createMedium());
  await store.commit({ put: [{ collection: "c", key: "k", version: 1, body: 1, claims: ["id|\ufffd"] }] });
  expect(await store.resolve(["id|\ud800"])).toEqual([undefined]);
});

test("every rejection is a StoreError, also where a request has more members than the types name", async () => {
  const store = create(createMedium());
  const remove = [{ collection: "c", key: "k", describe: () => "a caller's own" }];
  const told = await store.commit({ remove }).catch((error: unknown) => error);
  expect(told instanceof Error ? told.name : told).toEqual({ ok: true });
});

describeStore("the page's store on a medium of bytes", {
  documents: 2000,
  create: async () => {
    const medium = createMedium();
    const open = async () => create(medium);
    return { store: create(medium), second: open, reopen: open, crash: open, drop: async () => undefined };
  },
});
