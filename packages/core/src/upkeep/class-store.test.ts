import { expect, it } from "vitest";
import { createMemoryStore } from "../store/memory.ts";
import type { Store, StoreCensus, StoreFault } from "../store/port.ts";
import { keptWorld } from "./test-world.ts";

/** A store whose calls are methods: `this` is what they are called on. */
class ClassStore implements Store {
  readonly #inner = createMemoryStore();

  get(...given: Parameters<Store["get"]>) {
    return this.#inner.get(...given);
  }
  resolve(...given: Parameters<Store["resolve"]>) {
    return this.#inner.resolve(...given);
  }
  query(...given: Parameters<Store["query"]>) {
    return this.#inner.query(...given);
  }
  changes(...given: Parameters<Store["changes"]>) {
    return this.#inner.changes(...given);
  }
  commit(...given: Parameters<Store["commit"]>) {
    return this.#inner.commit(...given);
  }
  close() {
    return this.#inner.close();
  }
  async verify(_tell: (fault: StoreFault) => void): Promise<StoreCensus> {
    return this.#census();
  }
  async rebuild(_tell: (fault: StoreFault) => void): Promise<StoreCensus> {
    return this.#census();
  }
  #census(): StoreCensus {
    return { documents: 0, claims: 0, entries: 0, feeds: 0 };
  }
}

it("a store whose calls are methods of a class is verified", async () => {
  const { faults } = await keptWorld(new ClassStore());
  expect(await faults()).toEqual([]);
});

it("a store whose calls are methods of a class is reindexed", async () => {
  const { mend } = await keptWorld(new ClassStore());
  expect(await mend()).toMatchObject({ mended: 0, left: 0 });
});
