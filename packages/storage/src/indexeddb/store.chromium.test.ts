import type { Store } from "@fieldroll/core";
import { describeStore } from "@fieldroll/core/testing";
import { openIndexedDbStore } from "./index.ts";

let databases = 0;

describeStore("IndexedDB in Chromium", {
  async create() {
    const name = `suite-${++databases}`;
    const opened: Store[] = [];
    const open = async () => {
      const store = await openIndexedDbStore({ name });
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
      async drop() {
        await close();
        indexedDB.deleteDatabase(name);
      },
    };
  },
  lacks: { crash: "a page can't kill its own browser; the story in test/browser does" },
});
