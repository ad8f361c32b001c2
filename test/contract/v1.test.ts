import { createRegistry, operator } from "@fieldroll/core";
import { createClientDirectory, createHandler, createIssuer, createV1 } from "@fieldroll/server";
import { scryptSecrets } from "@fieldroll/server/node";
import { describe, expect, it } from "vitest";
import { addProgram, answerOf, origin, person, program, startService, stores } from "./fixture.ts";

const root = `${origin}/api/v1/g2p`;
const scopes = [
  ...["registry:read", "registry:write", "program:read", "program:write"],
  ...["entitlement:read", "entitlement:write"],
];
const clients = [
  { id: "old", secret: "old-secret", scopes, legalBasis: "public_task" },
  { id: "reader", secret: "reader-secret", scopes: ["registry:read"], legalBasis: "public_task" },
  { id: "ngo", secret: "ngo-secret", scopes: ["registry:read"], organization: "Hope" },
];
const basic = (id: string, secret = `${id}-secret`) => ({
  Authorization: `Basic ${btoa(`${id}:${secret}`)}`,
});

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly as?: string | null;
  readonly headers?: Record<string, string>;
}

async function start(open: (typeof stores)[number][1]) {
  const store = await open();
  let verified = 0;
  const time = { now: new Date("2026-03-01T08:00:00Z") };
  const clock = () => time.now;
  const inner = scryptSecrets({ cost: 2 });
  const secrets = {
    ...inner,
    verify: (secret: string, hash: string) => {
      verified += 1;
      return inner.verify(secret, hash);
    },
  };
  const directory = await createClientDirectory(clients, secrets);
  const disabled = new Set<string>();
  const find = async (id: string) => {
    const found = await directory.find(id);
    return found && { ...found, active: !disabled.has(id) };
  };
  const registry = createRegistry({ store, clock, newId: () => crypto.randomUUID() });
  const issuer = createIssuer({ store, clients: { find }, secrets, clock });
  const handle = createHandler({ registry, issuer, clock, v1: "warn", formerVersion: createV1(store) });
  const call = async (path: string, { method = "GET", body, as = "old", headers = {} }: Asked = {}) => {
    const sent = { ...(as === null ? {} : basic(as)), "Content-Type": "application/json", ...headers };
    const payload = body === undefined ? {} : { body: JSON.stringify(body) };
    return answerOf(await handle(new Request(`${root}/${path}`, { method, headers: sent, ...payload })));
  };
  return { store, registry, call, disabled, time, verified: () => verified };
}

async function withBenefits({
  registry,
  store,
}: Pick<Awaited<ReturnType<typeof start>>, "registry" | "store">) {
  const view = registry.as(operator);
  await addProgram(registry);
  const pension = {
    ...program,
    identifier: [{ system: "urn:p", value: "pension" }],
    name: "Pension",
    targetType: "individual",
  };
  await view.programs.create(pension);
  await view.individuals.create(person("1"));
  const [cash] = await store.resolve(["Program/urn:service:program|cash"]);
  await view.programDesk.setFund(cash?.key ?? "", { value: "5000.00", currency: "PHP" });
  const cycle = await view.cycles.create({
    program: "Program/urn:service:program|cash",
    ...{ name: "March", sequence: 1, start_date: "2026-03-01", end_date: "2026-03-31", state: "approved" },
  });
  await view.entitlements.create({
    cycle: cycle.ok ? cycle.value.ext_id : "",
    beneficiary: "Individual/urn:gov:ph:nid|1",
    amount: { value: "500.00", currency: "PHP" },
    state: "pending_validation",
  });
}

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

  const ana = { name: "Ana Reyes", birthdate: "1990-01-01", gender: "female" };
  const refusedQueries: readonly (readonly [string, string])[] = [
    ["registry/registrant?name=zzzz", "name"],
    ["registry/registrant?limit=1&limit=2", "limit"],
    ["registry/registrant?offset=1&offset=1", "offset"],
    ["programs?cursor=x", "cursor"],
    ["programs/9?limit=1", "limit"],
    ["programs/9/cycles?zz=1", "zz"],
    ["entitlements?state=approved", "state"],
    ["entitlements/9?zz=1", "zz"],
    ["registry/registrant/5?_elements=name", "_elements"],
    ["registry/registrant/%zz", "id"],
    ["registry/registrant?limit=%zz", "limit"],
  ];
  it.each(refusedQueries)("passes over no parameter that it does not know: %s", async (path, name) => {
    const { status, body } = await (await start(open)).call(path);
    expect([status, body]).toEqual([400, { error: expect.any(String), error_code: "bad-request" }]);
    expect(body.error.startsWith(`${name}: `), body.error).toBe(true);
  });

  it("passes over no member that it does not know, and writes nothing then", async () => {
    const { registry, store, call } = await start(open);
    await withBenefits({ registry, store });
    const programs = (await call("programs")).body as { id: number; name: string }[];
    const enroll = `programs/${programs.find(({ name }) => name === "Pension")?.id}/enroll`;
    const [one] = (await call("registry/registrant")).body;
    const [entitlement] = (await call("entitlements")).body;
    const registrant = `registry/registrant/${one.id}`;
    const refused: readonly (readonly [string, string, unknown, string])[] = [
      ["POST", enroll, { registrant_id: one.id, status: "paused", x: 1 }, "/status"],
      ["POST", enroll, null, "body"],
      ["POST", enroll, {}, "/registrant_id"],
      ["POST", `${enroll}?zz=1`, { registrant_id: one.id }, "zz"],
      ["PUT", registrant, { ...one, id: one.id + 1 }, "/id"],
      ["PUT", registrant, { ...one, id: String(one.id) }, "/id"],
      ["PUT", registrant, { ...one, model: "service.registrant" }, "/model"],
      ["PUT", registrant, { ...one, ext_id: "x" }, "/id"],
      ["PUT", registrant, { ...one, nickname: "x" }, "/nickname"],
      ["PUT", `${registrant}?zz=1`, one, "zz"],
      ["POST", "registry/registrant", { ...ana, id: 7 }, "/id"],
      ["POST", "registry/registrant?zz=1", ana, "zz"],
      ["POST", `entitlements/${entitlement.id}/approve`, { amount: 7 }, "/amount"],
      ["POST", `entitlements/${entitlement.id}/approve`, null, "body"],
      ["POST", `entitlements/${entitlement.id}/approve?zz=1`, {}, "zz"],
    ];
    for (const [method, path, body, field] of refused) {
      const answer = await call(path, { method, body });
      const status = field === "zz" ? 400 : 422;
      const code = field === "zz" ? "bad-request" : "validation";
      expect([answer.status, answer.body.error_code], path).toEqual([status, code]);
      expect(answer.body.error.startsWith(`${field}: `), answer.body.error).toBe(true);
    }
    expect((await call("registry/registrant")).body).toEqual([one]);
    expect((await call(`entitlements/${entitlement.id}`)).body).toEqual(entitlement);
    expect((await call(enroll, { method: "POST", body: { registrant_id: one.id } })).status).toBe(201);
  });

  it("replaces a registrant of the version that If-Match names, and of no other", async () => {
    const { call } = await start(open);
    const created = await call("registry/registrant", { method: "POST", body: ana });
    const path = `registry/registrant/${created.body.id}`;
    expect(created.headers.get("ETag")).toBe('"1"');
    const put = (name: string, tag: string) =>
      call(path, { method: "PUT", body: { ...created.body, name }, headers: { "If-Match": tag } });
    const stale = await put("Ana Cruz", '"99"');
    expect([stale.status, stale.body.error_code]).toEqual([409, "conflict"]);
    expect((await put("Ana Cruz", "99")).status).toBe(400);
    expect((await call(path)).body).toEqual(created.body);
    const written = await put("Ana Cruz", '"1"');
    expect([written.status, written.headers.get("ETag")]).toEqual([200, '"2"']);
    const read = await call(path);
    expect([read.body.name, read.headers.get("ETag")]).toEqual(["Ana Cruz", '"2"']);
  });

  it("names no reference of version 2 in its errors", async () => {
    const { registry, store, call } = await start(open);
    await withBenefits({ registry, store });
    const view = registry.as(operator);
    const programs = (await call("programs")).body as { id: number; name: string }[];
    const enroll = `programs/${programs.find(({ name }) => name === "Pension")?.id}/enroll`;
    const [one] = (await call("registry/registrant")).body;
    const enrolling = { method: "POST", body: { registrant_id: one.id } };
    expect((await call(enroll, enrolling)).status).toBe(201);
    const twice = await call(enroll, enrolling);
    expect([twice.status, twice.body]).toEqual([
      409,
      { error: `The registrant ${one.id} is in this program already.`, error_code: "duplicate" },
    ]);
    await view.programs.patch({ system: "urn:p", value: "pension" }, { active: false }, { ifMatch: "*" });
    const { status, body } = await call(enroll, enrolling);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body.error).not.toMatch(/urn:|\|/);
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

  it("pays for the hash of its secret once, and stops at once when deactivated", async () => {
    const { call, disabled, verified } = await started();
    for (let i = 0; i < 4; i++) expect((await call("programs")).status).toBe(200);
    expect(verified()).toBe(1);
    disabled.add("old");
    expect((await call("programs")).status).toBe(401);
  });

  it("is held back after five wrong secrets a minute", async () => {
    const { call } = await started();
    const wrong = { as: null, headers: basic("old", "wrong") };
    for (let i = 0; i < 5; i++) {
      const { status, headers } = await call("programs", wrong);
      expect([status, headers.get("WWW-Authenticate")]).toEqual([401, expect.stringContaining("Basic")]);
    }
    const { status, headers, body } = await call("programs");
    expect([status, body.error_code]).toEqual([429, "too-many-requests"]);
    expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
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
