import { beforeEach, describe, expect, it } from "vitest";
import { api, person, type Service, startService, stores } from "./fixture.ts";

const path = "/Individual/urn:gov:ph:nid|1";

describe.each(stores)("versions on %s", (_name, open) => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({ open });
    await service.call({ method: "POST", path: "/Individual", body: person("1") });
    const birthDate = { body: { birthDate: "1990-02-03" }, headers: { "If-Match": '"1"' } };
    await service.call({ method: "PATCH", path, ...birthDate });
  });

  it("create answers 201 with Location, entity tag and the record", async () => {
    const { status, headers, body } = await service.call({
      method: "POST",
      path: "/Individual",
      body: person("2"),
    });
    expect(status).toBe(201);
    expect(headers.get("ETag")).toBe('"1"');
    expect(headers.get("Location")).toBe(`${api}/Individual/urn:gov:ph:nid|2`);
    expect(body).toMatchObject({
      ...person("2"),
      meta: { versionId: "1", source: "urn:service:api-client:writer" },
    });
  });

  const reads: readonly (readonly [string, number])[] = [
    ['"2"', 304],
    ['W/"2"', 304],
    ['"1", "2"', 304],
    ["*", 304],
    ['"1"', 200],
    ["2", 400],
  ];
  it.each(reads)("If-None-Match %s answers %i", async (tag, expected) => {
    const { status, headers, body } = await service.call({ path, headers: { "If-None-Match": tag } });
    expect(status).toBe(expected);
    if (expected === 304) expect(body).toBeUndefined();
    if (expected !== 400) expect(headers.get("ETag")).toBe('"2"');
  });

  const writes: readonly { tag?: string; expected: number; kind?: string }[] = [
    { tag: '"2"', expected: 200 },
    { tag: "*", expected: 200 },
    { tag: '"1", "2"', expected: 200 },
    { tag: 'W/"2"', expected: 200 },
    { tag: '"2-gzip"', expected: 200 },
    { tag: '"2-br"', expected: 200 },
    { tag: 'W/"2;gzip"', expected: 200 },
    { tag: '"1"', expected: 409, kind: "conflict" },
    { tag: '"3"', expected: 409, kind: "conflict" },
    { tag: 'W/"1"', expected: 409, kind: "conflict" },
    { tag: '"2-x"', expected: 409, kind: "conflict" },
    { tag: '"22-gzip"', expected: 409, kind: "conflict" },
    { expected: 428, kind: "precondition-required" },
    { tag: "2", expected: 400, kind: "bad-request" },
    { tag: '"2', expected: 400, kind: "bad-request" },
  ];
  describe.each(["PUT", "PATCH"])("If-Match on %s", (method) => {
    it.each(writes)("$tag answers $expected", async ({ tag, expected, kind }) => {
      const body = method === "PUT" ? person("1", { active: false }) : { active: false };
      const headers: Record<string, string> = tag === undefined ? {} : { "If-Match": tag };
      const answer = await service.call({ method, path, body, headers });
      expect(answer.status).toBe(expected);
      const now = await service.call({ path });
      if (kind) {
        expect(answer.body.type).toBe(`urn:service:error:${kind}`);
        expect(now.body).toMatchObject({ active: true, meta: { versionId: "2" } });
      } else {
        expect(answer.headers.get("ETag")).toBe('"3"');
        expect(answer.body).toEqual(now.body);
      }
    });
  });

  it("a conflict names the expected and the current version", async () => {
    const { body } = await service.call({ method: "PATCH", path, body: {}, headers: { "If-Match": '"7"' } });
    expect(body.detail).toMatch(/7/);
    expect(body.detail).toMatch(/2/);
  });

  it("a write that changes nothing keeps the version and the time", async () => {
    const before = await service.call({ path });
    service.clock.now = new Date("2026-03-01T08:30:00Z");
    const body = { birthDate: "1990-02-03" };
    const { status, headers } = await service.call({
      method: "PATCH",
      path,
      body,
      headers: { "If-Match": '"2"' },
    });
    expect(status).toBe(200);
    expect(headers.get("ETag")).toBe('"2"');
    expect((await service.call({ path })).body.meta).toEqual(before.body.meta);
  });

  it("PUT replaces the whole record, PATCH only what it names", async () => {
    const ifMatch = (tag: string) => ({ "If-Match": tag });
    const patched = { gender: null, name: { given: null, middle: "L." } };
    const afterPatch = await service.call({ method: "PATCH", path, body: patched, headers: ifMatch('"2"') });
    expect(afterPatch.body).toMatchObject({
      birthDate: "1990-02-03",
      name: { family: "Reyes", middle: "L." },
    });
    expect(afterPatch.body.name).not.toHaveProperty("given");
    const afterPut = await service.call({ method: "PUT", path, body: person("1"), headers: ifMatch('"3"') });
    expect(afterPut.body).not.toHaveProperty("birthDate");
  });

  it("of a record that is not there: not found", async () => {
    const answer = await service.call({
      method: "PATCH",
      path: "/Individual/urn:x|1",
      body: {},
      headers: { "If-Match": "*" },
    });
    expect(answer.status).toBe(404);
  });
});
