import { operator } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { stores } from "./fixture.ts";
import { start, withBenefits } from "./v1-world.ts";

describe.each(stores)("version 1 on %s", (_name, open) => {
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
});
