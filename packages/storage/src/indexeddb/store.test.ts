import type { Store } from "@fieldroll/core";
import { describeStore } from "@fieldroll/core/testing";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { packedFrom } from "./pack.ts";
import { openStore } from "./store.ts";

/** @param from the burden of recent changes from which they are packed */
function describeFaked(name: string, from: number): void {
  describeStore(name, {
    async create() {
      const indexedDB = new IDBFactory();
      const opened: Store[] = [];
      const open = async () => {
        const store = await openStore({ name: "suite", indexedDB, IDBKeyRange }, from);
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
  });
}

describeFaked("IndexedDB, faked in Node", packedFrom);
describeFaked("IndexedDB, faked in Node, packing now and then", 20);
