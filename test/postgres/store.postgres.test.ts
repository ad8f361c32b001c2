import { describeStore } from "@fieldroll/core/testing";
import { describe, inject, it } from "vitest";
import { postgresHarness } from "./suite-harness.ts";

const server = inject("postgres");

if ("absent" in server) {
  describe("PostgreSQL", () => {
    it("keeps the promises of a store", ({ skip }) => skip(server.absent));
  });
} else {
  describeStore("PostgreSQL", postgresHarness({ stores: () => server.url }));
}
