import { describeStore } from "../testing/describe-store.ts";
import { createMemoryStore } from "./memory.ts";
import { createMemoryMedium } from "./memory-medium.ts";

describeStore("memory store", {
  async create() {
    const medium = createMemoryMedium();
    const store = createMemoryStore({ medium });
    return {
      store,
      async reopen() {
        await store.close();
        return createMemoryStore({ medium });
      },
      second: async () => createMemoryStore({ medium }),
      drop: () => store.close(),
    };
  },
  lacks: { crash: "memory does not outlive its process" },
});
