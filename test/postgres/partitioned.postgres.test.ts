import type { Document, Store } from "@fieldroll/core";
import { describeStore } from "@fieldroll/core/testing";
import { describe, expect, inject, it } from "vitest";
import { partition } from "./partitions.ts";
import { postgresHarness } from "./suite-harness.ts";

const server = inject("postgres");

const documentIn = (nth: number, version: number, ...feeds: readonly string[]): Document => ({
  collection: "people",
  key: `person-${nth}`,
  version,
  body: { nth },
  feeds,
});

async function toldIn(store: Store, feed: string): Promise<readonly string[]> {
  const { changes } = await store.changes({ feed, limit: 99 });
  return changes.map((change) => (change.kind === "gone" ? `gone ${change.key}` : change.document.key));
}

if ("absent" in server) {
  describe("PostgreSQL in partitions", () => {
    it("keeps the promises of a store", ({ skip }) => skip(server.absent));
  });
} else {
  const harness = postgresHarness({ stores: () => server.url, layOut: partition });

  describe("feeds in partitions", () => {
    it("go on telling everybody where one document leaves its feed and comes back", async () => {
      const { store, drop } = await harness.create();
      const many = Array.from({ length: 40 }, (_, nth) => nth);
      for (const nth of many) await store.commit({ put: [documentIn(nth, 1, `feed-${nth}`)] });
      await store.commit({ put: many.map((nth) => documentIn(nth, 2)) });
      for (const nth of many) await store.commit({ put: [documentIn(nth, 3, `feed-${nth}`)] });
      const faults: string[] = [];
      await store.verify?.(({ message }) => faults.push(message));
      const told = await Promise.all(many.map((nth) => toldIn(store, `feed-${nth}`)));
      expect([told, faults]).toEqual([many.map((nth) => [`person-${nth}`]), []]);
      await drop();
    });
  });

  describeStore("PostgreSQL in partitions", harness);
}
