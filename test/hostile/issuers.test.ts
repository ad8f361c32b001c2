import { constants, createHmac, generateKeyPairSync, type KeyObject, sign as signature } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMemoryStore } from "@fieldroll/core";
import { createIssuer } from "@fieldroll/server";
import { afterEach, describe, expect, it } from "vitest";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
type Parts = Readonly<Record<string, unknown>>;
/** Signs the text of a token. */
type Sign = (text: Buffer) => Buffer;

const audience = "https://registry.example.org";
const servers: Server[] = [];
const good = generateKeyPairSync("rsa", { modulusLength: 2048 });
const evil = generateKeyPairSync("rsa", { modulusLength: 2048 });
const evilKey = evil.publicKey.export({ format: "jwk" });
const goodKey = { ...good.publicKey.export({ format: "jwk" }), kid: "k", alg: "RS256", use: "sig" };

const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");
const byRsa =
  (key: KeyObject, options = {}): Sign =>
  (text) =>
    signature("sha256", text, { key, ...options });

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const json =
  (value: unknown): Answer =>
  (response) =>
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(value));

/** An authorization server on this machine that answers as told, and the paths that it was asked for. */
async function startIssuer(answers: Record<string, Answer>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answer = answers[request.url ?? ""];
    if (answer) answer(response, request);
    else response.writeHead(404).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

interface Trusted {
  readonly issuer: string;
  readonly jwksUri?: string;
}

/** The registry's issuer that trusts others, with a clock that stands still until it is moved. */
function trusting(...trusted: readonly Trusted[]) {
  const time = { now: Date.parse("2026-03-01T08:00:00Z") };
  const client = { id: "ngo", secretHash: "", scopes: ["registry:read"], active: true };
  const issuer = createIssuer({
    store: createMemoryStore(),
    clients: { find: async (id) => (id === "ngo" ? client : undefined) },
    secrets: { hash: async () => "", verify: async () => false },
    clock: () => new Date(time.now),
    trusted: trusted.map((one) => ({ ...one, audience })),
    fetchMilliseconds: 300,
  });
  const sign = (
    iss: string,
    {
      by = byRsa(good.privateKey),
      header = {},
      claims = {},
    }: { readonly by?: Sign; readonly header?: Parts; readonly claims?: Parts } = {},
  ) => {
    const exp = time.now / 1000 + 600;
    const payload = { iss, aud: audience, exp, client_id: "ngo", scope: "registry:read", ...claims };
    const text = `${encoded({ alg: "RS256", kid: "k", ...header })}.${encoded(payload)}`;
    return `${text}.${by(Buffer.from(text)).toString("base64url")}`;
  };
  return { time, sign, identify: issuer.identify };
}

const unavailable = { problem: { kind: "unavailable" } };
const seconds = (count: number) => count * 1000;

describe("the document of an issuer", () => {
  const huge = (response: ServerResponse, start = "{") => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.write(start);
    const more = () => {
      while (!response.destroyed && response.write(" ".repeat(64 * 1024)));
    };
    response.on("drain", more);
    more();
  };
  const drip: Answer = (response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.write("{");
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  };

  it.each<readonly [string, (elsewhere: string) => Answer]>([
    ["is endless", () => (response) => huge(response)],
    ["drips", () => drip],
    ["never comes", () => () => {}],
    ["leads elsewhere", (elsewhere) => (response) => response.writeHead(302, { Location: elsewhere }).end()],
    [
      "leads elsewhere for good",
      (elsewhere) => (response) => response.writeHead(308, { Location: elsewhere }).end(),
    ],
    ["is a page", () => (response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<html>")],
    ["is no key set", () => json({ keys: { k: goodKey } })],
    [
      "breaks off",
      () => (response) =>
        response.writeHead(200, { "Content-Length": 99 }).write("{", () => response.destroy()),
    ],
  ])("that %s is given up, and no token is believed by it", async (_name, answer) => {
    const inner = await startIssuer({ "/keys": json({ keys: [goodKey] }) });
    const { origin } = await startIssuer({ "/keys": answer(`${inner.origin}/keys`) });
    const { sign, identify } = trusting({ issuer: origin, jwksUri: `${origin}/keys` });
    await expect(identify(sign(origin))).rejects.toMatchObject(unavailable);
    expect(inner.asked).toEqual([]);
  });

  it("that says where its keys are is believed about its own origin only", async () => {
    const inner = await startIssuer({ "/keys": json({ keys: [goodKey] }) });
    const answers: Record<string, Answer> = {};
    const { asked, origin } = await startIssuer(answers);
    answers["/.well-known/oauth-authorization-server"] = json({
      issuer: origin,
      jwks_uri: `${inner.origin}/keys`,
    });
    const { time, sign, identify } = trusting({ issuer: origin });
    await expect(identify(sign(origin))).rejects.toMatchObject(unavailable);
    expect(inner.asked).toEqual([]);
    answers["/.well-known/oauth-authorization-server"] = json({ issuer: origin, jwks_uri: `${origin}/keys` });
    answers["/keys"] = json({ keys: [goodKey] });
    time.now += seconds(5);
    expect(await identify(sign(origin))).toMatchObject({ clientId: "ngo" });
    expect(asked.at(-1)).toBe("/keys");
  });

  it("that names another issuer is not used", async () => {
    const answers: Record<string, Answer> = { "/keys": json({ keys: [goodKey] }) };
    const { asked, origin } = await startIssuer(answers);
    const other = json({ issuer: `${origin}/other`, jwks_uri: `${origin}/keys` });
    answers["/.well-known/oauth-authorization-server"] = other;
    answers["/.well-known/openid-configuration"] = other;
    const { sign, identify } = trusting({ issuer: origin });
    await expect(identify(sign(origin))).rejects.toMatchObject(unavailable);
    expect(asked).not.toContain("/keys");
  });
});

describe("keys are fetched", () => {
  it("once for many tokens at once, and kept", async () => {
    const { asked, origin } = await startIssuer({ "/keys": json({ keys: [goodKey] }) });
    const { sign, identify } = trusting({ issuer: origin, jwksUri: `${origin}/keys` });
    const tokens = Array.from({ length: 20 }, (_, i) => sign(origin, { claims: { jti: `${i}` } }));
    const callers = await Promise.all(tokens.map(identify));
    expect(callers.map((caller) => caller?.clientId)).toEqual(tokens.map(() => "ngo"));
    expect(asked).toHaveLength(1);
  });

  it("for unknown key ids once in half a minute", async () => {
    const { asked, origin } = await startIssuer({ "/keys": json({ keys: [goodKey] }) });
    const { time, sign, identify } = trusting({ issuer: origin, jwksUri: `${origin}/keys` });
    const unknown = async (i: number) => identify(sign(origin, { header: { kid: `unknown ${i}` } }));
    for (let i = 0; i < 10; i++) expect(await unknown(i)).toBeUndefined();
    expect(asked).toHaveLength(1);
    time.now += seconds(30);
    for (let i = 10; i < 20; i++) expect(await unknown(i)).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it("once in five seconds while they can't be had", async () => {
    const answers: Record<string, Answer> = {};
    const { asked, origin } = await startIssuer(answers);
    const { time, sign, identify } = trusting({ issuer: origin, jwksUri: `${origin}/keys` });
    for (let i = 0; i < 10; i++) await expect(identify(sign(origin))).rejects.toMatchObject(unavailable);
    expect(asked).toHaveLength(1);
    answers["/keys"] = json({ keys: [goodKey] });
    time.now += seconds(5);
    expect(await identify(sign(origin))).toMatchObject({ clientId: "ngo" });
  });

  it("again after ten minutes, so that a withdrawn key is believed no longer", async () => {
    const answers: Record<string, Answer> = { "/keys": json({ keys: [goodKey] }) };
    const { origin } = await startIssuer(answers);
    const { time, sign, identify } = trusting({ issuer: origin, jwksUri: `${origin}/keys` });
    expect(await identify(sign(origin))).toBeDefined();
    answers["/keys"] = json({ keys: [] });
    time.now += seconds(600);
    expect(await identify(sign(origin))).toBeUndefined();
  });
});

describe("a token by a confused key", () => {
  type Forge = (hostile: {
    readonly sign: ReturnType<typeof trusting>["sign"];
    readonly issuer: string;
    readonly lure: string;
  }) => string;
  const byEvil = byRsa(evil.privateKey);
  const curve = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

  it.each<readonly [string, Forge]>([
    [
      "signed with the public key as a shared secret",
      ({ sign, issuer }) => {
        const secret = good.publicKey.export({ format: "pem", type: "spki" });
        const by: Sign = (text) => createHmac("sha256", secret).update(text).digest();
        return sign(issuer, { header: { alg: "HS256" }, by });
      },
    ],
    [
      "that is not signed",
      ({ sign, issuer }) => sign(issuer, { header: { alg: "none" }, by: () => Buffer.alloc(0) }),
    ],
    ["signed by another key under the same id", ({ sign, issuer }) => sign(issuer, { by: byEvil })],
    ["that brings its own key", ({ sign, issuer }) => sign(issuer, { by: byEvil, header: { jwk: evilKey } })],
    [
      "that says where its key is",
      ({ sign, issuer, lure }) => sign(issuer, { by: byEvil, header: { jku: lure, kid: "evil" } }),
    ],
    [
      "that says where its certificate is",
      ({ sign, issuer, lure }) => sign(issuer, { by: byEvil, header: { x5u: lure, kid: "evil" } }),
    ],
    [
      "signed by the right key with another algorithm",
      ({ sign, issuer }) => {
        const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
        return sign(issuer, { header: { alg: "PS256" }, by: byRsa(good.privateKey, pss) });
      },
    ],
    [
      "that names a curve for an RSA key",
      ({ sign, issuer }) =>
        sign(issuer, { header: { alg: "ES256" }, by: byRsa(curve, { dsaEncoding: "ieee-p1363" }) }),
    ],
    [
      "that demands what is not understood",
      ({ sign, issuer }) => sign(issuer, { header: { crit: ["bound"], bound: true } }),
    ],
    ["of another type", ({ sign, issuer }) => sign(issuer, { header: { typ: "logout+jwt" } })],
    ["of another trusted issuer's name", ({ sign }) => sign("https://other.example.org")],
    [
      "for another service",
      ({ sign, issuer }) => sign(issuer, { claims: { aud: "https://else.example.org" } }),
    ],
  ])("%s is refused", async (_name, forge) => {
    const lure = await startIssuer({
      "/keys": json({ keys: [{ ...evilKey, kid: "evil" }] }),
    });
    const { origin } = await startIssuer({
      "/keys": json({ keys: [goodKey] }),
      "/other": json({ keys: [] }),
    });
    const { sign, identify } = trusting(
      { issuer: origin, jwksUri: `${origin}/keys` },
      { issuer: "https://other.example.org", jwksUri: `${origin}/other` },
    );
    expect(await identify(sign(origin))).toMatchObject({ clientId: "ngo" });
    const forged = forge({ sign, issuer: origin, lure: `${lure.origin}/keys` });
    expect(await identify(forged)).toBeUndefined();
    expect(lure.asked).toEqual([]);
  });
});
