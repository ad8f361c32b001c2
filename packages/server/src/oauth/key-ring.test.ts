import { createMemoryStore, type Store, StoreError } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { createKeyRing } from "./key-ring.ts";
import { rotateSigningKeys } from "./signing-keys.ts";

const day = 24 * 60 * 60_000;
let store: Store;
let now: number;
const clock = () => new Date(now);
const ring = (over: Store = store) =>
  createKeyRing({ store: over, clock, lifetimeSeconds: 3600, rotateAfterDays: 90 });

beforeEach(() => {
  store = createMemoryStore();
  now = Date.parse("2026-03-01T08:00:00Z");
});

describe("a key ring", () => {
  it("makes one key, however many processes need the first", async () => {
    const rings = Array.from({ length: 8 }, () => ring());
    const ids = await Promise.all(rings.map(async (each) => (await each.signer()).id));
    expect(new Set(ids).size).toBe(1);
  });

  it("makes one successor when the key is old, and verifies with both until the old one's tokens are dead", async () => {
    const rings = Array.from({ length: 4 }, () => ring());
    const [first] = await Promise.all(rings.map(async (each) => (await each.signer()).id));
    now += 90 * day;
    const ids = new Set(await Promise.all(rings.map(async (each) => (await each.signer()).id)));
    expect(ids.size).toBe(1);
    expect(ids.has(first ?? "")).toBe(false);
    expect(await ring().verifier(first ?? "")).toBeDefined();
    now += 2 * day;
    const late = ring();
    expect((await late.published()).map(({ kid }) => kid)).toEqual([...ids]);
    expect(await late.verifier(first ?? "")).toBeUndefined();
  });

  it("verifies at once what another process signs with a key made just now", async () => {
    const here = ring();
    await here.signer();
    await rotateSigningKeys(store, clock);
    const there = await ring().signer();
    expect((await here.verifier(there.id))?.id).toBe(there.id);
  });

  it("signs with a key that another made within five minutes", async () => {
    const here = ring();
    const before = (await here.signer()).id;
    await rotateSigningKeys(store, clock);
    now += 5 * 60_000;
    expect((await here.signer()).id).not.toBe(before);
  });

  it("publishes nothing private", async () => {
    const [key] = await ring().published();
    expect(Object.keys(key ?? {}).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
  });

  it("rejects while the store does not answer, and goes on when it does", async () => {
    let down = true;
    const query: Store["query"] = async (asked) => {
      if (down) throw new StoreError("unavailable", "no answer");
      return store.query(asked);
    };
    const shaky = ring({ ...store, query });
    await expect(shaky.signer()).rejects.toThrow("no answer");
    await expect(shaky.verifier("x")).rejects.toThrow("no answer");
    down = false;
    expect(await shaky.signer()).toBeDefined();
  });
});
