import { type IncomingHttpHeaders, request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createV1 } from "@fieldroll/server";
import { type Listening, listen, nodeCompress } from "@fieldroll/server/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openHere, person, type Service, startService } from "./fixture.ts";

let service: Service;
let server: Listening;

beforeAll(async () => {
  const store = await openHere();
  service = await startService({
    open: async () => store,
    handler: { compress: nodeCompress, v1: "warn", formerVersion: createV1(store) },
  });
  for (let i = 1; i <= 20; i++) {
    const line = Array.from(
      { length: 15 },
      (_, n) => `Purok ${n}, Barangay San Isidro, Carcar City, Province of Cebu, Central Visayas`,
    );
    const body = person(String(i), { address: [{ country: "PH", state: "Cebu", city: "Carcar", line }] });
    await service.call({ method: "POST", path: "/Individual", body });
  }
  server = await listen({ handler: service.handle, port: 0 });
});
afterAll(() => server.close());

interface Asked {
  readonly method?: string;
  readonly body?: object | string;
  readonly headers?: Record<string, string>;
}

/** One request over the wire: what came, byte by byte. */
async function ask(path: string, { method = "GET", body, headers = {} }: Asked = {}) {
  const sent = {
    Authorization: `Bearer ${await service.tokenOf("writer")}`,
    ...(typeof body === "object" && { "Content-Type": "application/json" }),
    ...headers,
  };
  return new Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
    const asking = request(server.url + path, { method, headers: sent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    asking.on("error", reject);
    asking.end(typeof body === "object" ? JSON.stringify(body) : body);
  });
}

const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
const accept = (coding: string) => ({ "Accept-Encoding": coding });
const record = "/api/v2/Individual/urn:gov:ph:nid|1";
const reads = Array.from({ length: 5 }, (_, i) => ({
  request: { method: "GET", url: `Individual/urn:gov:ph:nid|${i + 1}` },
}));
const batch = { method: "POST", body: { resourceType: "Bundle", type: "batch", entry: reads } };

const answers: readonly (readonly [string, string, Asked])[] = [
  ["a feed", "/api/v2/$changes?feed=all&limit=10", {}],
  ["a search", "/api/v2/Individual?limit=10", {}],
  ["a read", record, {}],
  ["a bundle", "/api/v2/$batch", batch],
  ["a registry-style list", "/api/v2/registry/registrant?limit=10", {}],
  ["a refusal", "/api/v2/Individual", { method: "POST", body: { type: "Individual", ...manyFaults() } }],
  ["the API's description", "/openapi.json", {}],
  ["a page for people", "/docs", {}],
];

function manyFaults() {
  return Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`unknown${i}`, i]));
}

describe.each(["br", "gzip"] as const)("in %s", (coding) => {
  it.each(answers)("%s is sent smaller, and is the same", async (_what, path, asked) => {
    const plain = await ask(path, asked);
    const small = await ask(path, { ...asked, headers: accept(coding) });
    expect(small.headers["content-encoding"]).toBe(coding);
    expect(small.headers["content-length"]).toBe(String(small.bytes.length));
    expect(small.bytes.length).toBeLessThan(plain.bytes.length);
    expect(small.status).toBe(plain.status);
    for (const name of ["etag", "content-type", "vary", "x-record-key"]) {
      expect(small.headers[name]).toBe(plain.headers[name]);
    }
    expect(plain.headers.vary).toBe("Accept-Encoding");
    const whole = decoders[coding](small.bytes).toString();
    const cursor = /"next_cursor":"[^"]*"/;
    expect(whole.replace(cursor, "")).toBe(plain.bytes.toString().replace(cursor, ""));
  });
});

it("a page of a feed shrinks to less than a sixth", async () => {
  const plain = await ask("/api/v2/$changes?feed=all");
  const small = await ask("/api/v2/$changes?feed=all", { headers: accept("br") });
  expect(small.bytes.length * 6).toBeLessThan(plain.bytes.length);
});

it("a record is read compressed, edited and written with the tag of that answer", async () => {
  const { headers } = await ask(record, { headers: accept("br") });
  expect(headers.etag).toBe('"1"');
  const written = await ask(record, {
    method: "PATCH",
    body: { birthDate: "1990-01-01" },
    headers: { ...accept("br"), "If-Match": headers.etag ?? "" },
  });
  expect([written.status, written.headers.etag]).toEqual([200, '"2"']);
});

it.each<[string, string, Asked]>([
  ["to HEAD", record, { method: "HEAD" }],
  ["that the caller has already", record, { headers: { "If-None-Match": "*" } }],
  ["below a kilobyte", "/healthz", {}],
  ["to a caller who wants none", record, { headers: { "Accept-Encoding": "identity;q=1, br;q=0" } }],
])("an answer %s has no coding, and its tag", async (_what, path, asked) => {
  const answer = await ask(path, { ...asked, headers: { ...accept("br, gzip"), ...asked.headers } });
  expect(answer.headers["content-encoding"]).toBeUndefined();
  expect(answer.headers.vary).toBe("Accept-Encoding");
  if (path === record) expect(answer.headers.etag).toMatch(/^"\d"$/);
});

const credentials = { grant_type: "client_credentials", client_id: "writer", client_secret: "writer-secret" };
const form = { "Content-Type": "application/x-www-form-urlencoded" };
const basic = { Authorization: `Basic ${btoa("writer:writer-secret")}` };

it.each<[string, string, Asked]>([
  [
    "a token",
    "/oauth2/token",
    { method: "POST", body: String(new URLSearchParams(credentials)), headers: form },
  ],
  [
    "a refused sign-in",
    "/oauth2/token",
    { method: "POST", body: String(new URLSearchParams({ scope: "x".repeat(2000) })), headers: form },
  ],
  ["an answer of version 1", "/api/v1/g2p/registry/registrant", { headers: basic }],
])("%s is never compressed, so that its length tells nothing of a secret", async (_what, path, asked) => {
  const answer = await ask(path, { ...asked, headers: { ...accept("br, gzip"), ...asked.headers } });
  expect(answer.headers["content-encoding"]).toBeUndefined();
  expect(answer.headers["cache-control"]).toBe("no-store, no-transform");
});
