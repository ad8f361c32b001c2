import { createMemoryStore, createRegistry, operator, type Store, unwrap } from "@fieldroll/core";
import {
  createClientDirectory,
  createHandler,
  createIssuer,
  createV1,
  type Handler,
  type HandlerOptions,
  type SecretHashing,
} from "@fieldroll/server";
import { listen, nodeCipher, scryptSecrets } from "@fieldroll/server/node";
import { v7 } from "uuid";
import { afterEach, describe, expect, it } from "vitest";

const scopes = ["registry:read", "registry:write"];
const registrations = ["office", "desk"].map((id) => ({
  id,
  secret: `${id}-secret`,
  scopes,
  legalBasis: "public_task",
}));
const proxy = "127.0.0.1";
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Hashing that waits for its release, when it is held, and knows how many ran at once. */
function watched(inner: SecretHashing) {
  const seen = { verified: 0, running: 0, most: 0 };
  let open = Promise.resolve();
  let release = () => {};
  const secrets: SecretHashing = {
    hash: inner.hash,
    async verify(secret, hash) {
      seen.verified += 1;
      seen.running += 1;
      seen.most = Math.max(seen.most, seen.running);
      await open;
      return inner.verify(secret, hash).finally(() => {
        seen.running -= 1;
      });
    },
  };
  const hold = () => {
    open = new Promise((resolve) => {
      release = resolve;
    });
  };
  return { secrets, seen, hold, release: () => release() };
}

async function start(options: Partial<HandlerOptions> = {}, secrets = scryptSecrets({ cost: 2 })) {
  const store: Store = createMemoryStore();
  const time = { now: Date.parse("2026-03-01T08:00:00Z") };
  const clock = () => new Date(time.now);
  const registry = createRegistry({ store, clock, newId: () => v7() });
  const hashing = watched(secrets);
  const clients = await createClientDirectory(registrations, hashing.secrets);
  const issuer = createIssuer({ store, clients, secrets: hashing.secrets, clock });
  const handler = createHandler({
    ...{ registry, issuer, clock, v1: "warn", formerVersion: createV1(store), cipher: nodeCipher },
    ...{ trustedProxies: [proxy], ...options },
  });
  const people = Array.from({ length: 3 }, (_, i) => ({
    type: "Individual",
    identifier: [{ system: "urn:x", value: `${i}` }],
    name: { text: `Person ${i}` },
  }));
  for (const person of people) unwrap(await registry.as(operator).individuals.create(person));
  return { ...hashing, handler, time };
}

/** What a test asks of a server, from an address of its choice. */
function asking(send: (path: string, init: RequestInit) => Promise<Response>) {
  const from = (address: string | undefined) => (address === undefined ? {} : { "X-Forwarded-For": address });
  const token = (id: string, secret: string, address?: string) => {
    const fields = { grant_type: "client_credentials", client_id: id, client_secret: secret };
    return send("/oauth2/token", {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: from(address),
    });
  };
  const signIn = async (id: string, address?: string): Promise<string> => {
    const body = (await (await token(id, `${id}-secret`, address)).json()) as { access_token: string };
    return body.access_token;
  };
  const call = (path: string, bearer: string, init: RequestInit = {}) =>
    send(path, { ...init, headers: { Authorization: `Bearer ${bearer}`, ...init.headers } });
  const former = (id: string, secret: string, address?: string) =>
    send("/api/v1/g2p/registry/registrant", {
      headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}`, ...from(address) },
    });
  return { token, signIn, call, former };
}

/** Without a port, as if by the proxy. */
function inProcess(handler: Handler, peer = proxy) {
  return asking((path, init) => handler(new Request(`http://registry.test${path}`, init), { address: peer }));
}

async function overHttp(handler: Handler) {
  const listening = await listen({ handler, port: 0 });
  closing.push(() => listening.close());
  return asking((path, init) => fetch(`${listening.url}${path}`, init));
}

const search = "/api/v2/Individual?limit=1";
const statuses = async (answers: readonly Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ status }) => status);
const count = (all: readonly number[], status: number) => all.filter((one) => one === status).length;
/** The first answers to come. */
function settled(answers: readonly Promise<Response>[], most: number): Promise<readonly Response[]> {
  const came: Response[] = [];
  return new Promise((resolve, reject) => {
    for (const answer of answers) {
      answer.then((one) => {
        came.push(one);
        if (came.length === most) resolve([...came]);
      }, reject);
    }
  });
}
/** Until the server holds as many hashes as it may, which it does before anything else is answered. */
const turns = () => new Promise((resolve) => setImmediate(resolve));

describe("a flood of token requests with unknown ids", () => {
  const strangers = (token: ReturnType<typeof asking>["token"], addressOf: (i: number) => string) =>
    Array.from({ length: 200 }, (_, i) => token(`stranger ${i}`, "x", addressOf(i)));
  const many = (i: number) => `203.0.113.${i}`;
  const one = () => "203.0.113.1";

  it("holds up no search: all are answered while two hashes run", async () => {
    const { handler, seen, hold, release } = await start();
    const { token, signIn, call } = await overHttp(handler);
    const bearer = await signIn("desk", "198.51.100.1");
    hold();
    const flood = strangers(token, many);
    for (let i = 0; i < 20; i++) {
      const page = (await (await call(search, bearer)).json()) as {
        meta: { next_cursor?: string };
        data?: unknown;
      };
      expect(JSON.stringify(page)).toContain("cursor");
    }
    const refused = await settled(flood, 166);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    expect(refused[0]?.headers.get("Retry-After")).toBe("1");
    expect(await refused[0]?.json()).toMatchObject({ error: "too_many_requests" });
    expect(seen.running).toBe(2);
    release();
    expect(count(await statuses(flood), 401)).toBe(34);
    expect(seen.most).toBe(2);
  });

  it("from one address has twenty tries", async () => {
    const { handler, seen } = await start();
    const { token } = inProcess(handler);
    const ended = await statuses(strangers(token, one));
    expect([count(ended, 401), count(ended, 429), seen.verified]).toEqual([20, 180, 20]);
    const held = await token("stranger", "x", one());
    expect(Object.fromEntries(held.headers)).toMatchObject({
      ...{
        "retry-after": "60",
        "ratelimit-limit": "20",
        "ratelimit-remaining": "0",
        "ratelimit-reset": "60",
      },
    });
  });

  it("lets the right secret in from another address", async () => {
    const { handler, hold, release } = await start();
    const { token } = inProcess(handler);
    hold();
    const flood = strangers(token, one);
    await turns();
    const right = token("office", "office-secret", "198.51.100.1");
    release();
    expect((await right).status).toBe(200);
    await Promise.all(flood);
  });

  it("from many addresses fills the queue, but not for those who signed in where they are", async () => {
    const { handler, time, hold, release } = await start();
    const { token, signIn } = inProcess(handler);
    await signIn("office", "198.51.100.1");
    // Longer than the secret is remembered.
    time.now += 10 * 60_000;
    hold();
    const flood = strangers(token, many);
    await turns();
    const [familiar, other] = ["198.51.100.1", "198.51.100.2"].map((address) =>
      token("office", "office-secret", address),
    );
    await turns();
    release();
    expect([(await familiar)?.status, (await other)?.status]).toEqual([200, 429]);
    await Promise.all(flood);
  });

  it("at version 1 meets the same two hashes and the same limits", async () => {
    const { handler, seen } = await start();
    const { former } = inProcess(handler);
    const ended = await statuses(Array.from({ length: 200 }, (_, i) => former(`stranger ${i}`, "x", one())));
    expect([count(ended, 401), count(ended, 429), seen.most]).toEqual([20, 180, 2]);
    const held = await former("stranger", "x", one());
    expect([held.headers.get("Retry-After"), held.headers.get("RateLimit-Limit")]).toEqual(["60", "20"]);
  });
});

describe("five wrong secrets by somebody else", () => {
  const spoil = async (token: ReturnType<typeof asking>["token"], address: string) => {
    const wrong = await statuses(Array.from({ length: 8 }, (_, i) => token("office", `wrong ${i}`, address)));
    expect([count(wrong, 401), count(wrong, 429)]).toEqual([5, 3]);
  };

  it("behind the same proxy do not keep the right one out", async () => {
    const { handler } = await start();
    const { token } = inProcess(handler);
    await spoil(token, "203.0.113.1");
    expect((await token("office", "office-secret", "203.0.113.1")).status).toBe(429);
    expect((await token("office", "office-secret", "203.0.113.2")).status).toBe(200);
  });

  it("are one address where the proxy is not trusted, whatever they say", async () => {
    const { handler } = await start();
    const { token } = inProcess(handler, "203.0.113.7");
    await spoil(token, "203.0.113.1");
    expect((await token("office", "office-secret", "203.0.113.2")).status).toBe(429);
  });

  it("that are the same secret keep that one out, and not the right one beside it", async () => {
    const { handler, seen } = await start();
    const { token } = inProcess(handler);
    for (let i = 0; i < 5; i++) expect((await token("office", "stale", "203.0.113.1")).status).toBe(401);
    expect((await token("office", "stale", "203.0.113.1")).status).toBe(429);
    expect((await token("office", "office-secret", "203.0.113.1")).status).toBe(200);
    expect(seen.verified).toBe(2);
  });
});

describe("a client's rate limit", () => {
  const limited = () => start({ rateLimit: { perSecond: 2, burst: 4 } });
  const headersOf = ({ headers }: Response) =>
    ["Limit", "Remaining", "Reset"].map((name) => headers.get(`RateLimit-${name}`));

  it("answers with 429, and tells when to try again, and before that what is left of the last half", async () => {
    const { handler, time } = await limited();
    const { signIn, call } = inProcess(handler);
    const bearer = await signIn("office");
    for (const left of [null, null, "1", "0"]) {
      const answer = await call(search, bearer);
      expect([answer.status, headersOf(answer)[1]]).toEqual([200, left]);
    }
    const refused = await call(search, bearer);
    expect([refused.status, refused.headers.get("Retry-After"), headersOf(refused)]).toEqual([
      429,
      "1",
      ["4", "0", "2"],
    ]);
    expect(await refused.json()).toMatchObject({ type: "urn:service:error:too-many-requests", status: 429 });
    time.now += 1000;
    expect(await statuses([call(search, bearer), call(search, bearer), call(search, bearer)])).toEqual([
      200, 200, 429,
    ]);
  });

  it("counts a bundle by its entries, refusals too, and other clients apart", async () => {
    const { handler } = await limited();
    const { signIn, call } = inProcess(handler);
    const [office, desk] = [await signIn("office"), await signIn("desk")];
    const entry = [1, 2, 3].map(() => ({ request: { method: "GET", url: "Individual?limit=1" } }));
    const bundle = { method: "POST", body: JSON.stringify({ resourceType: "Bundle", type: "batch", entry }) };
    const headers = { "Content-Type": "application/json" };
    const answer = await call("/api/v2/$batch", office, { ...bundle, headers });
    expect([answer.status, headersOf(answer)]).toEqual([200, ["4", "1", "2"]]);
    expect((await call("/api/v2/entitlements", office)).status).toBe(403);
    expect((await call(search, office)).status).toBe(429);
    expect((await call(search, desk)).status).toBe(200);
  });

  it("counts each 64 KiB of a body as one request more, refused or not", async () => {
    const { handler } = await limited();
    const { signIn, call } = inProcess(handler);
    const bearer = await signIn("office");
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ photo: "x".repeat(2 * 65_536) });
    const answer = await call("/api/v2/Individual", bearer, { method: "POST", headers, body });
    expect([answer.status, headersOf(answer)]).toEqual([422, ["4", "1", "2"]]);
  });

  it("counts what comes by version 1", async () => {
    const { handler } = await limited();
    const { former } = inProcess(handler);
    for (let i = 0; i < 4; i++) expect((await former("office", "office-secret")).status).toBe(200);
    const refused = await former("office", "office-secret");
    expect([refused.status, refused.headers.get("Retry-After"), headersOf(refused)]).toEqual([
      429,
      "1",
      ["4", "0", "2"],
    ]);
  });

  it("does not count what anybody may ask, or a token that is none", async () => {
    const { handler } = await limited();
    const { call } = inProcess(handler);
    for (let i = 0; i < 10; i++) {
      expect(headersOf(await call("/healthz", "x"))).toEqual([null, null, null]);
      expect((await call(search, "x")).status).toBe(401);
    }
  });

  it("lets a first sync through by default: a thousand requests at once", async () => {
    const { handler } = await start();
    const { signIn, call } = inProcess(handler);
    const bearer = await signIn("office");
    const closed = "/api/v2/entitlements";
    const ended = await statuses(Array.from({ length: 1000 }, () => call(closed, bearer)));
    expect(count(ended, 403)).toBe(1000);
    expect((await call(closed, bearer)).status).toBe(429);
  });

  it("can be switched off", async () => {
    const { handler } = await start({ rateLimit: "off" });
    const { signIn, call } = inProcess(handler);
    const answer = await call(search, await signIn("office"));
    expect([answer.status, headersOf(answer)]).toEqual([200, [null, null, null]]);
  });
});
