import { createMemoryStore, createRegistry } from "@fieldroll/core";
import { v7 } from "uuid";
import { afterEach, describe, expect, it, vi } from "vitest";
import { scryptSecrets } from "../node/scrypt.ts";
import { createClientDirectory } from "../oauth/clients.ts";
import { createIssuer } from "../oauth/issuer.ts";
import { describeFailure } from "./describe-failure.ts";
import { createHandler } from "./handler.ts";

describe("what is told of a failure", () => {
  it.each([
    ["an error", new RangeError("Ana Cruz, 1 Main Street"), "RangeError"],
    ["a text that was thrown", "Ana Cruz, 1 Main Street", "string"],
  ])("is its kind, of %s, and not what it says", (_, thrown, kind) => {
    const told = describeFailure(thrown);
    expect(told.error).toBe(kind);
    expect(JSON.stringify(told)).not.toContain("Ana");
  });
});

describe("a handler that nobody listens to", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("writes to the console where it failed, and nothing that may be of a record", async () => {
    const written = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const store = createMemoryStore();
    const registry = createRegistry({ store, clock: () => new Date(), newId: v7 });
    const clients = await createClientDirectory([], scryptSecrets());
    const issuer = createIssuer({ store, clients, secrets: scryptSecrets() });
    const metrics = {
      contentType: "text/plain",
      metrics: () => {
        throw new Error("Ana Cruz, 1 Main Street");
      },
    };
    const handle = createHandler({ registry, issuer, metrics });
    const answer = await handle(new Request("https://r.example/metrics"));
    expect(answer.status).toBe(500);
    expect(written).toHaveBeenCalledOnce();
    expect(JSON.stringify(written.mock.calls)).toContain("describe-failure.test.ts");
    expect(JSON.stringify(written.mock.calls)).not.toContain("Ana");
  });
});
