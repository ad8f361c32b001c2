import { operator, unwrap } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { origin, person, type Service, startService, startWithRecords } from "./fixture.ts";

const ana = "/Individual/urn:gov:ph:nid|1";

/** Lets the organization of the client `ngo` see a person's name. */
async function consentToNgo({ registry }: Service, fields: readonly string[] = ["name"]): Promise<string> {
  const consent = await registry.as(operator).consents.grant({
    subject: { reference: "Individual/urn:gov:ph:nid|1" },
    grantee: { organization: "Aid" },
    scope: [{ resourceType: "Individual", fieldAccess: "custom", fields }],
    expiryDate: "2026-12-31",
  });
  return unwrap(consent).id;
}

describe("a read", () => {
  it("tells callers who see by law so", async () => {
    const { headers } = await (await startWithRecords()).call({ path: ana });
    expect(headers.get("X-Consent-Status")).toBe("legal_basis");
    expect(headers.get("X-Consent-Expires")).toBeNull();
  });

  it("tells which consent shows what, and until when", async () => {
    const service = await startWithRecords();
    await consentToNgo(service);
    const { status, headers, body } = await service.call({ path: ana, as: "ngo" });
    expect(status).toBe(200);
    expect(Object.keys(body).filter((name) => !name.startsWith("_"))).toEqual(
      expect.arrayContaining(["type", "identifier", "name"]),
    );
    expect(headers.get("X-Consent-Status")).toBe("active");
    expect(headers.get("X-Consent-Scope")?.split(",")).toContain("name");
    expect(headers.get("X-Consent-Expires")).toBe("2026-12-31");
  });

  it("tells what is shown where that is not all, in a read, a bundle, a write and a feed", async () => {
    const service = await startWithRecords();
    expect((await service.call({ path: ana })).headers.get("X-Record-Shows")).toBeNull();
    await consentToNgo(service);
    const read = await service.call({ path: ana, as: "ngo" });
    const shows = read.headers.get("X-Record-Shows")?.split(",");
    expect(shows).toEqual(expect.arrayContaining(["type", "identifier", "name"]));
    expect(shows).not.toContain("birthDate");
    const bundle = {
      resourceType: "Bundle",
      type: "batch",
      entry: [{ request: { method: "GET", url: ana.slice(1) } }],
    };
    const bundled = await service.call({ path: "/$batch", method: "POST", as: "ngo", body: bundle });
    expect(bundled.body).toMatchObject({ entry: [{ response: { status: 200, shows } }] });
    const fed = await service.call({ path: "/$changes?feed=all", as: "ngo" });
    expect(fed.body.data).toContainEqual(expect.objectContaining({ type: "Individual", shows }));
    const headers = { "If-Match": "*", "Content-Type": "application/merge-patch+json" };
    const body = { name: { given: "Anna" } };
    const written = await service.call({ path: ana, method: "PATCH", as: "ngo", body, headers });
    expect([written.status, written.headers.get("X-Record-Shows")?.split(",")]).toEqual([200, shows]);
  });

  it("leaves what a replacement's sender says not to have been shown", async () => {
    const service = await startWithRecords();
    const born = { birthDate: "1990-01-01" };
    const patch = { "If-Match": "*", "Content-Type": "application/merge-patch+json" };
    const { body } = await service.call({ path: ana, method: "PATCH", body: born, headers: patch });
    const { type, identifier, name } = body;
    const put = (shows: string | undefined) =>
      service.call({
        ...{ path: ana, method: "PUT", body: { type, identifier, name } },
        headers: { "If-Match": "*", ...(shows && { "X-Record-Shows": shows }) },
      });
    expect((await put("type,identifier,name,meta")).body).toMatchObject(born);
    expect((await put(undefined)).body).not.toHaveProperty("birthDate");
  });

  it.each([
    ['"1"', 304],
    ['W/"1"', 304],
    ['"0", "1"', 304],
    ["*", 304],
    ['"2"', 200],
    ["1", 400],
  ])("with If-None-Match %s answers %i", async (tag, expected) => {
    const service = await startWithRecords();
    const path = "/Individual/urn:gov:ph:nid|2";
    const { status, headers, body } = await service.call({ path, headers: { "If-None-Match": tag } });
    expect(status).toBe(expected);
    if (status === 304) expect([headers.get("ETag"), body]).toEqual(['"1"', undefined]);
  });

  it("does not say that a hidden record is unchanged, nor an unknown one", async () => {
    const service = await startWithRecords();
    for (const value of ["1", "nobody"]) {
      const { status } = await service.call({
        path: `/Individual/urn:gov:ph:nid|${value}`,
        as: "ngo",
        headers: { "If-None-Match": "*" },
      });
      expect(status).toBe(403);
    }
  });

  it("shows a caller bound by consent what a new consent adds, although the version is the same", async () => {
    const service = await startWithRecords();
    await consentToNgo(service, ["name", "meta"]);
    const before = await service.call({ path: ana, as: "ngo" });
    const tag = before.headers.get("ETag") ?? "";
    await consentToNgo(service, ["active"]);
    const after = await service.call({ path: ana, as: "ngo", headers: { "If-None-Match": tag } });
    expect([after.status, after.headers.get("ETag"), after.body.active]).toEqual([200, '"1"', true]);
    expect(tag).toBe('"1"');
    expect(before.body.active).toBeUndefined();
  });
});

describe("the purpose", () => {
  it("of a caller is stated in X-Purpose, and must be the consent's", async () => {
    const service = await startWithRecords();
    const granted = await service.registry.as(operator).consents.grant({
      subject: { reference: "Individual/urn:gov:ph:nid|1" },
      grantee: { organization: "Aid" },
      scope: [{ resourceType: "all", fieldAccess: "all" }],
      purpose: "research",
    });
    unwrap(granted);
    const read = (purpose?: string) =>
      service.call({ path: ana, as: "ngo", headers: purpose === undefined ? {} : { "X-Purpose": purpose } });
    expect((await read("research")).status).toBe(200);
    expect((await read("audit")).status).toBe(403);
    expect((await read()).status).toBe(403);
    const unknown = await read("curiosity");
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([400, "X-Purpose"]);
  });
});

describe("bodies", () => {
  const json = { "Content-Type": "application/json" };
  const text = JSON.stringify(person("9"));

  it.each([
    ["gzip", 415],
    ["br", 415],
    ["identity, gzip", 415],
    ["identity", 201],
  ])("in the encoding %s answer %i", async (encoding, expected) => {
    const service = await startService();
    const headers = { ...json, "Content-Encoding": encoding };
    const { status } = await service.call({ method: "POST", path: "/Individual", raw: text, headers });
    expect(status).toBe(expected);
  });

  it.each(["1", String(text.length + 1), "-1", "many"])(
    "whose Content-Length says %s are bad",
    async (length) => {
      const service = await startService();
      const headers = { ...json, "Content-Length": length };
      const { status } = await service.call({ method: "POST", path: "/Individual", raw: text, headers });
      expect(status).toBe(400);
      expect((await service.call({ path: "/Individual" })).body.data).toEqual([]);
    },
  );

  it("that break off are bad, and nothing is stored", async () => {
    const failures: unknown[] = [];
    const service = await startService({ handler: { onFailure: (error) => failures.push(error) } });
    const raw = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text));
        queueMicrotask(() => controller.error(new Error("gone")));
      },
    });
    const { status } = await service.call({ method: "POST", path: "/Individual", raw, headers: json });
    expect([status, failures]).toEqual([400, []]);
    expect((await service.call({ path: "/Individual" })).body.data).toEqual([]);
  });
});

describe("consents", () => {
  it("are read, withdrawn with a reason or without, and deleted", async () => {
    const service = await startWithRecords();
    const [first, second, third] = [
      await consentToNgo(service),
      await consentToNgo(service),
      await consentToNgo(service),
    ];
    const read = await service.call({ path: `/Consent/${first}` });
    expect([read.status, read.body.id, read.body.status]).toEqual([200, first, "given"]);
    const tag = read.headers.get("ETag") ?? "";
    const again = await service.call({ path: `/Consent/${first}`, headers: { "If-None-Match": tag } });
    expect(again.status).toBe(304);
    const revoke = { method: "POST", path: `/Consent/${first}/$revoke` };
    const withReason = await service.call({ ...revoke, body: { reason: "moved away" } });
    expect([withReason.status, withReason.body.revocation.reason]).toEqual([200, "moved away"]);
    expect((await service.call(revoke)).body.type).toBe("urn:service:error:invalid-state");
    const without = await service.call({ method: "POST", path: `/Consent/${second}/$revoke` });
    expect([without.status, without.body.status]).toEqual([200, "withdrawn"]);
    const deleted = await service.call({ method: "DELETE", path: `/Consent/${third}` });
    expect([deleted.status, deleted.body]).toEqual([204, undefined]);
    expect((await service.call({ path: `/Consent/${third}` })).body.status).toBe("withdrawn");
  });

  it.each([
    [{ reason: "" }, "/reason"],
    [{ reason: 1 }, "/reason"],
    [{ reason: "x".repeat(256) }, "/reason"],
    [{ why: "x" }, "/why"],
    [[], ""],
  ])("are not withdrawn with %j", async (body, field) => {
    const service = await startWithRecords();
    const id = await consentToNgo(service);
    const answer = await service.call({ method: "POST", path: `/Consent/${id}/$revoke`, body });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, field]);
    expect((await service.call({ path: `/Consent/${id}` })).body.status).toBe("given");
  });
});

describe("version 1", () => {
  it.each([
    [undefined, 410, "Gone"],
    ["gone", 410, "Gone"],
    ["off", 404, "Not found"],
  ] as const)("under %s answers %i", async (v1, expected, title) => {
    const service = await startService({ handler: v1 === undefined ? {} : { v1 } });
    for (const path of ["/api/v1/g2p/registry/registrant", "/api/v1/g2p/programs/7/enroll", "/api/v1"]) {
      const { status, body } = await service.call({ path: `${origin}${path}`, as: null });
      expect([status, body.title, body.instance]).toEqual([expected, title, path]);
    }
  });

  it("names the guide to version 2", async () => {
    const service = await startService({ handler: { migrationUrl: "https://example.org/move" } });
    const { headers, body } = await service.call({ path: `${origin}/api/v1/g2p/programs`, as: null });
    expect(headers.get("Link")).toBe('<https://example.org/move>; rel="deprecation"');
    expect(body.detail).toContain("https://example.org/move");
  });
});

describe("headers of every answer", () => {
  it("keep browsers from sniffing, framing and caching", async () => {
    const service = await startService();
    for (const path of ["/Individual", "/nowhere", "/Individual/x"]) {
      expect(Object.fromEntries((await service.call({ path })).headers)).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      });
    }
  });

  it("ask for HTTPS where the server is reached so, and only there", async () => {
    const name = "Strict-Transport-Security";
    const secure = await startService({ handler: { publicUrl: "https://registry.example.org" } });
    expect((await secure.call({ path: "/metadata" })).headers.get(name)).toBe("max-age=31536000");
    expect((await secure.call({ path: "/nowhere" })).headers.get(name)).toBe("max-age=31536000");
    const plain = await startService();
    expect((await plain.call({ path: "/metadata" })).headers.get(name)).toBeNull();
  });
});

describe("pages of other origins", () => {
  const page = "https://app.example.org";

  it("may send every header that the interface knows, and read every one that it sends", async () => {
    const service = await startService({ handler: { cors: { origins: [page] } } });
    const sent = [
      "Authorization",
      "If-Match",
      "If-None-Match",
      "Idempotency-Key",
      "X-Purpose",
      "X-Request-Id",
    ];
    const preflight = await service.call({
      method: "OPTIONS",
      path: "/Consent/4711",
      as: null,
      headers: {
        Origin: page,
        "Access-Control-Request-Method": "DELETE",
        "Access-Control-Request-Headers": sent.join(", "),
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("Access-Control-Allow-Methods")).toContain("DELETE");
    expect(preflight.headers.get("Access-Control-Allow-Headers")?.split(",")).toEqual(
      expect.arrayContaining(sent),
    );
    const { headers } = await service.call({ path: "/nowhere", headers: { Origin: page } });
    expect(headers.get("Access-Control-Expose-Headers")?.split(",")).toEqual(
      expect.arrayContaining([
        ...["ETag", "Location", "Link", "Deprecation", "Sunset", "Retry-After", "Idempotent-Replayed"],
        ...["X-Consent-Status", "X-Consent-Scope", "X-Consent-Expires"],
        ...["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "WWW-Authenticate"],
      ]),
    );
  });
});
