import { beforeEach, describe, expect, it } from "vitest";
import { createClientCredentials } from "./client-credentials.ts";
import type { Client } from "./clients.ts";

const original: Client = { id: "a", secretHash: "right", scopes: [], active: true };
let client: Client | undefined;
let hashed: number;
let now: number;
const make = () =>
  createClientCredentials({
    clients: { find: async (id) => (id === "a" ? client : undefined) },
    clock: () => new Date(now),
    secrets: {
      hash: async () => "decoy",
      verify: async (secret, hash) => {
        hashed += 1;
        return secret === hash;
      },
    },
  });
beforeEach(() => {
  client = original;
  hashed = 0;
  now = 0;
});
const right = { clientId: "a", clientSecret: "right" };
const nobody = { tried: true, result: undefined };

describe("client credentials", () => {
  it("are hashed once for many requests, and again after five minutes", async () => {
    const credentials = make();
    for (let i = 0; i < 5; i++)
      expect(await credentials.check(right)).toEqual({ tried: true, result: client });
    expect(hashed).toBe(1);
    now = 5 * 60_000;
    await credentials.check(right);
    expect(hashed).toBe(2);
  });

  it("that are remembered stop at once when the client is deactivated, removed or has another secret", async () => {
    const credentials = make();
    await credentials.check(right);
    for (const changed of [{ ...original, active: false }, undefined, { ...original, secretHash: "new" }]) {
      client = changed;
      expect(await credentials.check(right)).toEqual(nobody);
    }
  });

  it("with a wrong secret are refused also after the right one", async () => {
    const credentials = make();
    await credentials.check(right);
    expect(await credentials.check({ ...right, clientSecret: "wrong" })).toEqual(nobody);
  });

  it("of nobody cost as much as those of a client", async () => {
    await make().check({ clientId: "b", clientSecret: "x" });
    expect(hashed).toBe(1);
  });
});
