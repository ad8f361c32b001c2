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
const nobody = { ok: true, client: undefined };

describe("client credentials", () => {
  it("are hashed once for many requests, and again after five minutes", async () => {
    const credentials = make();
    for (let i = 0; i < 5; i++) expect(await credentials.check(right)).toEqual({ ok: true, client });
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

const wrongAt = (peer: string, clientSecret: string, clientId = "a") => ({ clientId, clientSecret, peer });
const rightAt = (peer: string) => ({ ...right, peer });
const admitted = { ok: true, client: original };

type Step = readonly [secret: ReturnType<typeof wrongAt>, answer: unknown];
const fails = (credentials: ReturnType<typeof wrongAt>): Step => [credentials, nobody];
const wrongs = (peer: string, count: number, clientId?: string) =>
  Array.from({ length: count }, (_, i) => fails(wrongAt(peer, `wrong ${i}`, clientId)));
const strangers = (peer: string, count: number) =>
  Array.from({ length: count }, (_, i) => fails(wrongAt(peer, "x", `stranger ${i}`)));
const pairIsHeld = { ok: false, retryAfter: 60, limit: 5 };
const addressIsHeld = { ok: false, retryAfter: 60, limit: 20 };

describe("who is held back by failures", () => {
  it.each<readonly [string, readonly Step[]]>([
    [
      "a client after five different wrong secrets",
      [...wrongs("1.1.1.1", 5), [rightAt("1.1.1.1"), pairIsHeld]],
    ],
    [
      "nobody who signed in by other failures of the address",
      [[rightAt("1.1.1.1"), admitted], ...strangers("1.1.1.1", 20), [wrongAt("1.1.1.1", "y"), nobody]],
    ],
    [
      "a client that did not, by twenty failures of the address",
      [...strangers("1.1.1.1", 20), [rightAt("1.1.1.1"), addressIsHeld]],
    ],
    [
      "nobody at another address",
      [...wrongs("1.1.1.1", 5), ...strangers("1.1.1.1", 15), [rightAt("1.1.1.2"), admitted]],
    ],
    ["nobody at another /64 network", [...wrongs("2001:db8::1", 5), [rightAt("2001:db8:0:1::1"), admitted]]],
    [
      "a client in the whole of a /64 network",
      [...wrongs("2001:db8::1", 5), [rightAt("2001:db8::2"), pairIsHeld]],
    ],
    [
      "a client at an IPv4-mapped address",
      [...wrongs("1.1.1.1", 5), [rightAt("::ffff:1.1.1.1"), pairIsHeld]],
    ],
    ["no other client of the address", [...wrongs("1.1.1.1", 5, "b"), [rightAt("1.1.1.1"), admitted]]],
    [
      "the one that repeats a wrong secret, and not the right one beside it",
      [
        ...Array.from({ length: 5 }, () => fails(wrongAt("1.1.1.1", "stale"))),
        [wrongAt("1.1.1.1", "stale"), pairIsHeld],
        [rightAt("1.1.1.1"), admitted],
      ],
    ],
  ])("%s", async (_name, steps) => {
    const credentials = make();
    for (const [secret, answer] of steps) expect(await credentials.check(secret)).toEqual(answer);
  });

  it("hashes a wrong secret that is repeated once a minute", async () => {
    const credentials = make();
    for (let i = 0; i < 4; i++) await credentials.check(wrongAt("1.1.1.1", "stale"));
    expect(hashed).toBe(1);
    now = 60_000;
    await credentials.check(wrongAt("1.1.1.1", "stale"));
    expect(hashed).toBe(2);
  });

  it("takes a wrong secret that has become the right one meanwhile", async () => {
    const credentials = make();
    await credentials.check(wrongAt("1.1.1.1", "new"));
    client = { ...original, secretHash: "new" };
    expect(await credentials.check(wrongAt("1.1.1.1", "new"))).toEqual({ ok: true, client });
  });
});
