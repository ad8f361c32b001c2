import type { Store } from "@fieldroll/core";
import { describeStore } from "@fieldroll/core/testing";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { openIndexedDbStore } from "./index.ts";

describeStore("IndexedDB, faked in Node", {
  async create() {
    const indexedDB = new IDBFactory();
    const opened: Store[] = [];
    const open = async () => {
      const store = await openIndexedDbStore({ name: "suite", indexedDB, IDBKeyRange });
      opened.push(store);
      return store;
    };
    const close = async () => {
      await Promise.all(opened.map((store) => store.close()));
    };
    return {
      store: await open(),
      second: open,
      async reopen() {
        await close();
        return open();
      },
      drop: close,
    };
  },
  lacks: { crash: "the fake keeps its data in the process" },
  // The fake sorts its indexes at every put.
  documents: 5_000,
});
