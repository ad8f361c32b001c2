import { createMemoryStore, StoreError } from "@fieldroll/core";
import { beforeAll, describe, expect, it } from "vitest";
import { openHere, person, type Service, startService, stores } from "./fixture.ts";

const mebibyte = 1024 * 1024;
const json = { "Content-Type": "application/json" };

describe.each(stores)("refused bodies on %s", (_name, open) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ open });
  });

  const bodies: readonly (readonly [string, string, number, string])[] = [
    ["nothing", "", 400, ""],
    [
      "no JSON",
      '{"type": "Individual",\n}',
      400,
      "line 2, column 1: expected a name in double quotes, but found }.",
    ],
    ["a key twice", '{"name":{"text":"A","text":"A"}}', 400, "At /name/text the body has the member"],
    ["a prototype key", '{"type":"Individual","__proto__":{"active":false}}', 400, "At /__proto__ "],
    ["a constructor key", '{"type":"Individual","name":{"constructor":1}}', 400, "At /name/constructor "],
    ["33 levels", `${"[".repeat(33)}${"]".repeat(33)}`, 400, `At ${"/0".repeat(32)} the body is nested`],
    ["very many levels", "[".repeat(100_000) + "]".repeat(100_000), 400, ""],
    ["an escaped NUL", '{"type":"Individual","name":{"text":"\\u0000"}}', 422, ""],
    ["half of a surrogate pair", '{"type":"Individual","name":{"text":"\\ud800"}}', 422, ""],
    ["an array", "[]", 422, ""],
    ["null", "null", 422, ""],
    ["another type", JSON.stringify({ ...person("1"), type: "Group" }), 422, ""],
    ["an unknown member", JSON.stringify(person("1", { nickname: "A" })), 422, ""],
    ["no identifier", JSON.stringify(person("1", { identifier: [] })), 422, ""],
    ["a day that is none", JSON.stringify(person("1", { birthDate: "2001-02-29" })), 422, ""],
  ];
  it.each(bodies)("%s: nothing is stored", async (_case, raw, expected, detail) => {
    const { status, headers, body } = await service.call({
      method: "POST",
      path: "/Individual",
      raw,
      headers: json,
    });
    expect(status).toBe(expected);
    expect(headers.get("Content-Type")).toBe("application/problem+json");
    expect(body.type).toBe(`urn:service:error:${expected === 400 ? "bad-request" : "validation"}`);
    expect(body.errors.length).toBeGreaterThan(0);
    expect(body.detail).toContain(detail);
    expect((await service.call({ path: "/Individual?active=any" })).body.data).toEqual([]);
  });

  it("tell every fault at once, each with a JSON pointer", async () => {
    const body = person("1", {
      birthDate: "soon",
      nickname: "A",
      telecom: [{ system: "pigeon", value: "x" }],
    });
    const { body: problem } = await service.call({ method: "POST", path: "/Individual", body });
    const fields = problem.errors.map(({ field }: { field: string }) => field).sort();
    expect(fields).toEqual(["/birthDate", "/nickname", "/telecom/0/system"]);
  });

  it("bytes that are no UTF-8 are bad", async () => {
    const raw = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const { status } = await service.call({ method: "POST", path: "/Individual", raw, headers: json });
    expect(status).toBe(400);
  });

  it("more than 8 MiB is too large, announced or not", async () => {
    // A request that lies about its length can't be sent.
    const here = await startService({ open: openHere });
    const announced = await here.call({
      method: "POST",
      path: "/Individual",
      raw: "{}",
      headers: { ...json, "Content-Length": String(8 * mebibyte + 1) },
    });
    expect(announced.status).toBe(413);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(mebibyte).fill(32));
      },
    });
    const chunked = await here.call({ method: "POST", path: "/Individual", raw: endless, headers: json });
    expect(chunked.status).toBe(413);
    expect(chunked.body.type).toBe("urn:service:error:payload-too-large");
    expect(sent).toBeLessThan(12);
  });
});

describe("media types", () => {
  const types: readonly (readonly [string, string | undefined, number])[] = [
    ["POST", "application/json", 201],
    ["POST", "application/json; charset=utf-8", 201],
    ["POST", "Application/JSON", 201],
    ["POST", "application/merge-patch+json", 415],
    ["POST", "text/plain", 415],
    ["POST", undefined, 415],
    ["PUT", "application/merge-patch+json", 415],
    ["PATCH", "application/merge-patch+json", 200],
    ["PATCH", "application/json", 200],
    ["PATCH", "application/json-patch+json", 415],
  ];
  it.each(types)("%s of %s answers %i", async (method, type, expected) => {
    const service = await startService();
    if (method !== "POST") await service.call({ method: "POST", path: "/Individual", body: person("1") });
    const raw = new TextEncoder().encode(JSON.stringify(method === "PATCH" ? {} : person("1")));
    const headers = { "If-Match": '"1"', ...(type ? { "Content-Type": type } : {}) };
    const path = method === "POST" ? "/Individual" : "/Individual/urn:gov:ph:nid|1";
    expect((await service.call({ method, path, raw, headers })).status).toBe(expected);
  });
});

describe("methods", () => {
  const refused: readonly (readonly [string, string, string])[] = [
    ["DELETE", "/Individual/urn:x|1", "GET, PUT, PATCH, HEAD, OPTIONS"],
    ["DELETE", "/Group/urn:x|1", "GET, PUT, PATCH, HEAD, OPTIONS"],
    ["PATCH", "/ProgramMembership/urn:x|1", "GET, PUT, HEAD, OPTIONS"],
    ["PUT", "/Program/urn:x|1", "GET, HEAD, OPTIONS"],
    ["POST", "/Program", "GET, HEAD, OPTIONS"],
    ["PUT", "/Individual", "GET, POST, HEAD, OPTIONS"],
    ["POST", "/Individual/urn:x|1", "GET, PUT, PATCH, HEAD, OPTIONS"],
    ["POST", "/$changes", "GET, HEAD, OPTIONS"],
    ["POST", "/metadata", "GET, HEAD, OPTIONS"],
  ];
  it.each(refused)("%s %s is not possible", async (method, path, allow) => {
    const service = await startService();
    const { status, headers, body } = await service.call({ method, path });
    expect(status).toBe(405);
    expect(headers.get("Allow")).toBe(allow);
    expect(body.type).toBe("urn:service:error:method-not-allowed");
  });

  it.each([
    ["/Individual/urn:x|1", "Records are archived by PATCH with active false, not deleted."],
    ["/Group/urn:x|1", "Records are archived by PATCH with active false, not deleted."],
    ["/ProgramMembership/urn:x|1", "An enrollment ends by PUT with the status exited; it is not deleted."],
    ["/Program/urn:x|1", "Possible are GET, HEAD, OPTIONS."],
  ])("DELETE %s says what is done instead", async (path, told) => {
    const { body } = await (await startService()).call({ method: "DELETE", path });
    expect(body.detail.endsWith(told)).toBe(true);
  });

  it("HEAD answers like GET, without a body", async () => {
    const service = await startService();
    await service.call({ method: "POST", path: "/Individual", body: person("1") });
    const { status, headers, body } = await service.call({
      method: "HEAD",
      path: "/Individual/urn:gov:ph:nid|1",
    });
    expect([status, headers.get("ETag"), body]).toEqual([200, '"1"', undefined]);
  });

  it("OPTIONS lists what is possible", async () => {
    const service = await startService();
    const { status, headers } = await service.call({ method: "OPTIONS", path: "/Program" });
    expect([status, headers.get("Allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  });
});

describe("every answer", () => {
  const paths = ["/Individual", "/nowhere", "/Individual/x", "/metadata"];
  it.each(paths)("of %s carries the interface's version, a request id and safe headers", async (path) => {
    const service = await startService();
    const { headers } = await service.call({ path, headers: { "X-Request-Id": "trace-1.2" } });
    expect(headers.get("X-API-Version")).toBe("2.0");
    expect(headers.get("X-Request-Id")).toBe("trace-1.2");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Date")).toBe("Sun, 01 Mar 2026 08:00:00 GMT");
    expect(headers.get("Cache-Control")).toBe(path === "/metadata" ? "no-cache" : "no-store");
  });

  it.each([undefined, "a b", "x".repeat(129), "a;b"])("gets a new request id for %j", async (given) => {
    const service = await startService({ handler: { newRequestId: () => "made" } });
    const headers: Record<string, string> = given === undefined ? {} : { "X-Request-Id": given };
    expect((await service.call({ path: "/metadata", headers })).headers.get("X-Request-Id")).toBe("made");
  });
});

describe("the service's own failures", () => {
  it("say nothing of their cause", async () => {
    const failures: unknown[] = [];
    const service = await startService({
      handler: {
        onFailure: (error) => failures.push(error),
        registry: {
          as: () => {
            throw new TypeError("SELECT secret FROM people at /srv/app.js:1");
          },
          facts: {
            namespace: "service",
            programs: true,
            extensions: [],
            oneHousehold: false,
            withoutConsent: "hide",
          },
          epoch: async () => "1",
          secret: async () => "1",
          forgetOldAnswers: async () => 0,
          forgetOldEntries: async () => 0,
          audit: async () => ({ ok: true, value: { data: [] } }),
        },
      },
    });
    const { status, body } = await service.call({ path: "/Individual" });
    expect(status).toBe(500);
    expect(body.type).toBe("urn:service:error:internal");
    expect(JSON.stringify(body)).not.toMatch(/SELECT|srv|TypeError/);
    expect(failures).toHaveLength(1);
  });

  it("of a store that is closed are 503 with Retry-After, and readiness tells them", async () => {
    const service = await startService({ open: openHere });
    await service.tokenOf("writer");
    await service.store.close();
    const { status, headers, body } = await service.call({ path: "/Individual" });
    expect([status, body.type]).toEqual([503, "urn:service:error:unavailable"]);
    expect(headers.get("Retry-After")).toMatch(/^\d+$/);
    expect((await service.call({ path: "/readyz", as: null })).status).toBe(503);
    expect((await service.call({ path: "/healthz", as: null })).status).toBe(200);
  });

  it("of a server that still loads records are none but readiness, with Retry-After", async () => {
    let loading = true;
    const service = await startService({ handler: { isLoading: () => loading } });
    const { status, headers, body } = await service.call({ path: "/readyz", as: null });
    expect([status, body.type]).toEqual([503, "urn:service:error:unavailable"]);
    expect(body.detail).toContain("still being loaded");
    expect(headers.get("Retry-After")).toMatch(/^\d+$/);
    expect((await service.call({ path: "/healthz", as: null })).status).toBe(200);
    expect((await service.call({ path: "/Individual" })).status).toBe(200);
    loading = false;
    expect((await service.call({ path: "/readyz", as: null })).status).toBe(200);
  });

  it("of a damaged store are 500 that say so, and readiness tells it from then on", async () => {
    const failures: unknown[] = [];
    let damaged = false;
    const open = async () => {
      const store = createMemoryStore();
      return {
        ...store,
        query: async (query: Parameters<typeof store.query>[0]) => {
          if (damaged) throw new StoreError("corrupt", "/srv/registry.db: page 7 is malformed");
          return store.query(query);
        },
      };
    };
    const service = await startService({ open, handler: { onFailure: (error) => failures.push(error) } });
    await service.tokenOf("writer");
    damaged = true;
    expect((await service.call({ path: "/readyz", as: null })).status).toBe(200);
    const { status, headers, body } = await service.call({ path: "/Individual" });
    expect([status, body.type]).toEqual([500, "urn:service:error:internal"]);
    expect(body.detail).toMatch(/damaged.*backup/);
    expect(JSON.stringify(body)).not.toMatch(/srv|page 7/);
    expect(headers.get("Retry-After")).toBeNull();
    expect(failures).toHaveLength(1);
    const readiness = await service.call({ path: "/readyz", as: null });
    expect([readiness.status, readiness.body.detail]).toEqual([503, expect.stringContaining("damaged")]);
  });

  it("of a store without room are 503 too", async () => {
    const open = async () => {
      const store = createMemoryStore();
      return {
        ...store,
        commit: async (commit: Parameters<typeof store.commit>[0]) => {
          const full = commit.put?.some(({ collection }) => collection === "Individual");
          if (full) throw new StoreError("quota", "The disk /dev/sda1 is full.");
          return store.commit(commit);
        },
      };
    };
    const service = await startService({ open });
    const { status, body } = await service.call({ method: "POST", path: "/Individual", body: person("1") });
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toContain("sda1");
  });
});
