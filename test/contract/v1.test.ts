import { operator } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { origin, person, startService, stores } from "./fixture.ts";
import { type Asked, basic, root, start, withBenefits } from "./v1-world.ts";

describe.each(stores)("version 1 under warn, on %s", (_name, open) => {
  it("answers with a warning, an end and a way on, refusals too", async () => {
    const { call } = await start(open);
    const answers = [await call("programs"), await call("programs", { as: null }), await call("shoes")];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404]);
    for (const { headers } of answers) {
      expect(headers.get("Deprecation")).toBe("true");
      expect(headers.get("Sunset")).toBe("Thu, 31 Dec 2026 00:00:00 GMT");
      expect(headers.get("Link")).toBe(`<${origin}/docs#from-v1-to-v2>; rel="deprecation"`);
    }
  });

  it("knows registrants by integers that stay", async () => {
    const { call } = await start(open);
    const ana = { name: "Ana Reyes", birthdate: "1990-01-01", gender: "female" };
    const created = await call("registry/registrant", { method: "POST", body: ana });
    expect(created.status).toBe(201);
    const { id } = created.body;
    expect(created.body).toEqual({ id: expect.any(Number), model: "g2p.registrant", ...ana });
    const again = await Promise.all(Array.from({ length: 5 }, () => call(`registry/registrant/${id}`)));
    for (const { status, body } of again) expect([status, body]).toEqual([200, created.body]);
    const changed = { ...created.body, name: "Ana Cruz" };
    const replaced = await call(`registry/registrant/${id}`, { method: "PUT", body: changed });
    expect([replaced.status, replaced.body]).toEqual([200, changed]);
  });

  it("gives a record one integer, however many see it first", async () => {
    const { registry, call } = await start(open);
    for (const value of ["1", "2", "3"]) await registry.as(operator).individuals.create(person(value));
    const lists = await Promise.all(Array.from({ length: 6 }, () => call("registry/registrant")));
    const ids = lists.map(({ body }) => body.map(({ id }: { id: number }) => id));
    expect(new Set(ids[0]).size).toBe(3);
    for (const other of ids) expect(other).toEqual(ids[0]);
  });

  it("lists as bare arrays by limit and offset", async () => {
    const { registry, call } = await start(open);
    for (let i = 0; i < 7; i++) await registry.as(operator).individuals.create(person(String(i)));
    const ids = async (query: string) =>
      (await call(`registry/registrant${query}`)).body.map(({ id }: { id: number }) => id);
    const all = await ids("");
    expect(all).toHaveLength(7);
    expect(await ids("?limit=3")).toEqual(all.slice(0, 3));
    expect(await ids("?limit=3&offset=3")).toEqual(all.slice(3, 6));
    expect(await ids("?limit=3&offset=6")).toEqual(all.slice(6));
    expect(await ids("?limit=2&offset=1")).toEqual(all.slice(1, 3));
    expect(await ids("?offset=7")).toEqual([]);
    expect(await ids("?offset=70")).toEqual([]);
    for (const query of ["?limit=0", "?limit=x", "?offset=-1", "?limit=501"]) {
      const { status, body } = await call(`registry/registrant${query}`);
      expect([status, body]).toEqual([400, { error: expect.any(String), error_code: "bad-request" }]);
    }
  });

  it("shows programs and cycles, enrolls by integer, and approves entitlements once", async () => {
    const { registry, store, call } = await start(open);
    await withBenefits({ registry, store });
    const programs = (await call("programs")).body as { id: number; name: string; model: string }[];
    const idOf = (name: string) => programs.find((each) => each.name === name)?.id;
    const cash = idOf("Cash for families");
    expect((await call(`programs/${cash}`)).body).toMatchObject({ id: cash, model: "g2p.program" });
    const [cycle] = (await call(`programs/${cash}/cycles`)).body;
    expect(cycle).toMatchObject({ model: "g2p.cycle", program_id: cash, program_model: "g2p.program" });

    const [ana] = (await call("registry/registrant")).body;
    const pension = `programs/${idOf("Pension")}/enroll`;
    const enrolled = await call(pension, { method: "POST", body: { registrant_id: ana.id } });
    expect(enrolled.status).toBe(201);
    expect(enrolled.body).toMatchObject({ registrant_id: ana.id, registrant_model: "g2p.registrant" });
    const refused = [
      [await call(pension, { method: "POST", body: { registrant_id: ana.id } }), 409],
      [await call(pension, { method: "POST", body: { registrant_id: 2147483647 } }), 422],
      [await call(pension, { method: "POST", body: { registrant_id: "x" } }), 422],
    ] as const;
    for (const [answer, status] of refused) {
      expect(answer.status).toBe(status);
      expect(answer.body).toEqual({ error: expect.any(String), error_code: expect.any(String) });
    }

    const [entitlement] = (await call("entitlements")).body;
    expect(entitlement).toMatchObject({
      model: "g2p.entitlement",
      registrant_id: ana.id,
      cycle_id: cycle.id,
    });
    const path = `entitlements/${entitlement.id}`;
    expect((await call(path)).body).toEqual(entitlement);
    const approved = await call(`${path}/approve`, { method: "POST" });
    expect([approved.status, approved.body.state]).toEqual([200, "approved"]);
    const twice = await call(`${path}/approve`, { method: "POST" });
    expect([twice.status, twice.body.error_code]).toEqual([409, "invalid-state"]);
    for (const { body } of [approved, enrolled, { body: cycle }]) {
      expect(JSON.stringify(body)).not.toMatch(/ext_id|service\./);
    }
  });

  it("answers a repeated Idempotency-Key with the first answer, and makes nothing twice", async () => {
    const { registry, store, call } = await start(open);
    await withBenefits({ registry, store });
    const headers = { "Idempotency-Key": "k-1" };
    const twice = async (path: string, asked: Asked) => {
      const [first, again] = [await call(path, asked), await call(path, asked)];
      expect(first.status).toBeLessThan(300);
      expect(first.headers.get("Idempotent-Replayed")).toBeNull();
      expect([again.status, again.body]).toEqual([first.status, first.body]);
      expect(again.headers.get("Idempotent-Replayed")).toBe("true");
      return first.body;
    };
    const ana = { name: "Ana Cruz", birthdate: null, gender: null };
    const made = await twice("registry/registrant", { method: "POST", body: ana, headers });
    const people = (await call("registry/registrant")).body as { name: string }[];
    expect(people.filter(({ name }) => name === "Ana Cruz")).toHaveLength(1);

    const changed = { method: "PUT", body: { ...ana, name: "Ana Lim" } };
    const replace = `registry/registrant/${made.id}`;
    await twice(replace, { ...changed, headers: { "Idempotency-Key": "k-2" } });
    const programs = (await call("programs")).body as { id: number; name: string }[];
    const pension = programs.find(({ name }) => name === "Pension")?.id;
    const enrolling = { method: "POST", body: { registrant_id: made.id } };
    await twice(`programs/${pension}/enroll`, { ...enrolling, headers: { "Idempotency-Key": "k-3" } });
    const [entitlement] = (await call("entitlements")).body;
    const approve = `entitlements/${entitlement.id}/approve`;
    await twice(approve, { method: "POST", headers: { "Idempotency-Key": "k-4" } });

    const other = await call("registry/registrant", { method: "POST", body: { name: "Ben" }, headers });
    expect([other.status, other.body.error_code]).toEqual([422, "idempotency-mismatch"]);
    const elsewhere = await call(replace, { ...changed, headers });
    expect([elsewhere.status, elsewhere.body.error_code]).toEqual([422, "idempotency-mismatch"]);
    const malformed = await call("registry/registrant", {
      ...{ method: "POST", body: ana },
      headers: { "Idempotency-Key": "a key" },
    });
    expect([malformed.status, malformed.body.error_code]).toEqual([400, "bad-request"]);
  });

  const unknown = ["registry/registrant/5", "registry/registrant/0", "registry/registrant/x", "programs/9"];
  it.each(unknown)("has nothing at %s, and names no UUID", async (path) => {
    const { status, body } = await (await start(open)).call(path);
    expect([status, body.error_code]).toEqual([404, "not-found"]);
    expect(body.error).not.toMatch(/ext_id|0000-/);
  });

  it("tells a bound caller the same of a hidden registrant as of none", async () => {
    const { registry, call } = await start(open);
    await registry.as(operator).individuals.create(person("1"));
    const [{ id }] = (await call("registry/registrant")).body;
    expect((await call("registry/registrant", { as: "ngo" })).body).toEqual([]);
    const hidden = await call(`registry/registrant/${id}`, { as: "ngo" });
    const none = await call("registry/registrant/4711", { as: "ngo" });
    expect([hidden.status, none.status]).toEqual([403, 403]);
    expect(hidden.body.error.replace(String(id), "#")).toBe(none.body.error.replace("4711", "#"));
  });

  it("asks for scopes before anything is looked at", async () => {
    const { call } = await start(open);
    const answers = await Promise.all([
      call("registry/registrant", { method: "POST", body: {}, as: "reader" }),
      call("programs/9", { as: "reader" }),
      call("entitlements/9/approve", { method: "POST", as: "reader" }),
    ]);
    for (const { status, body } of answers) expect([status, body.error_code]).toEqual([403, "authorization"]);
  });

  it("refuses other methods, and says which there are", async () => {
    const { status, headers, body } = await (await start(open)).call("programs", { method: "DELETE" });
    expect([status, headers.get("Allow"), body.error_code]).toEqual([405, "GET", "method-not-allowed"]);
  });
});

describe("who calls version 1", () => {
  const [, open] = stores[0] ?? [];
  const started = () => start(open as NonNullable<typeof open>);

  it("signs in by Basic once and goes on with the cookie, until the session or the client ends", async () => {
    const { call, disabled, time } = await started();
    const first = await call("programs");
    const cookie = first.headers.get("Set-Cookie") ?? "";
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Strict/);
    expect(cookie).not.toMatch(/Secure/);
    const session = { Cookie: `other=1; ${cookie.split(";")[0]}` };
    const again = async (headers: Record<string, string> = {}) =>
      (await call("programs", { as: null, headers: { ...session, ...headers } })).status;
    expect(await again()).toBe(200);
    expect(await again({ Origin: "http://evil.test" })).toBe(401);
    expect(await again({ Origin: origin })).toBe(200);
    disabled.add("old");
    expect(await again()).toBe(401);
    disabled.clear();
    time.now = new Date(time.now.getTime() + 3600_000);
    expect(await again()).toBe(401);
  });

  it("gets a session whose token names the issuer that all tokens name", async () => {
    const { call } = await started();
    const [, token = ""] = /=([^;]+)/.exec((await call("programs")).headers.get("Set-Cookie") ?? "") ?? [];
    const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
    expect(JSON.parse(payload).iss).toBe(origin);
  });

  it("signs in anew once its tokens have been ended: a session from before stays dead", async () => {
    const { call, tokensNotBefore, time } = await started();
    const sessionOf = async () => {
      const [Cookie = ""] = ((await call("programs")).headers.get("Set-Cookie") ?? "").split(";");
      return async () => (await call("programs", { as: null, headers: { Cookie } })).status;
    };
    const former = await sessionOf();
    expect(await former()).toBe(200);
    time.now = new Date(time.now.getTime() + 5000);
    tokensNotBefore.set("old", time.now.toISOString());
    expect(await former()).toBe(401);
    const present = await sessionOf();
    expect([await former(), await present()]).toEqual([401, 200]);
  });

  it("pays for the hash of its secret once, and stops at once when deactivated", async () => {
    const { call, disabled, verified } = await started();
    for (let i = 0; i < 4; i++) expect((await call("programs")).status).toBe(200);
    expect(verified()).toBe(1);
    disabled.add("old");
    expect((await call("programs")).status).toBe(401);
  });

  it("is held back after five wrong secrets a minute", async () => {
    const { call } = await started();
    for (let i = 0; i < 5; i++) {
      const wrong = { as: null, headers: basic("old", `wrong ${i}`) };
      const { status, headers } = await call("programs", wrong);
      expect([status, headers.get("WWW-Authenticate")]).toEqual([401, expect.stringContaining("Basic")]);
    }
    const { status, headers, body } = await call("programs");
    expect([status, body.error_code]).toEqual([429, "too-many-requests"]);
    expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(headers.get("RateLimit-Limit")).toBe("5");
  });

  it.each(["Bearer x", "Basic !", "Basic b2xk"])("can't be told by %s", async (Authorization) => {
    const { call } = await started();
    expect((await call("programs", { as: null, headers: { Authorization } })).status).toBe(401);
  });
});

describe("version 1 after its end", () => {
  it("is refused as warn without what answers it, and the refusal says where that is set", async () => {
    const start = startService({ handler: { v1: "warn" } });
    await expect(start).rejects.toThrow(/v1 is "warn".*formerVersion.*createV1\(store\)/);
  });

  it("leads to a guide to version 2 that is there", async () => {
    const { call } = await startService();
    const { headers } = await call({ path: `${root}/programs`, as: null });
    const [, guide = ""] = /<(.*)>/.exec(headers.get("Link") ?? "") ?? [];
    const { status, body } = await call({ path: guide, as: null });
    expect([status, body]).toEqual([200, expect.stringContaining(`id="${new URL(guide).hash.slice(1)}"`)]);
    for (const word of ["/api/v1/g2p/", "registrant_ext_id", "error_code", "cursor", "OAuth 2.0"]) {
      expect(body).toContain(word);
    }
  });

  it("is gone, and says where to go", async () => {
    const { call } = await startService();
    const { status, headers, body } = await call({ path: `${root}/programs`, as: null });
    expect([status, body.type, body.title]).toEqual([410, "urn:service:error:gone", "Gone"]);
    expect(headers.get("Link")).toBe(`<${origin}/docs#from-v1-to-v2>; rel="deprecation"`);
  });

  it("is not there at all when it is off", async () => {
    const { call } = await startService({ handler: { v1: "off" } });
    expect((await call({ path: `${root}/programs`, as: null })).status).toBe(404);
  });
});
