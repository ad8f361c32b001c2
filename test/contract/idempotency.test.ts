import { createMemoryStore } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { type Call, person, type Service, startService, stores } from "./fixture.ts";

const path = "/Individual/urn:gov:ph:nid|1";

describe.each(stores)("Idempotency-Key on %s", (_name, open) => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({ open });
  });
  const create = (body: unknown, key: string, as = "writer") =>
    service.call({ method: "POST", path: "/Individual", body, as, headers: { "Idempotency-Key": key } });

  it("repeats the answer of a create", async () => {
    const first = await create(person("1"), "a");
    const second = await create(person("1"), "a");
    expect(first.headers.get("Idempotent-Replayed")).toBeNull();
    expect(second.headers.get("Idempotent-Replayed")).toBe("true");
    expect([second.status, second.body]).toEqual([201, first.body]);
    for (const name of ["ETag", "Location"]) expect(second.headers.get(name)).toBe(first.headers.get(name));
  });

  it("is looked up before If-Match, so that a repeated PATCH succeeds", async () => {
    await create(person("1"), "a");
    const patch = {
      method: "PATCH",
      path,
      body: { active: false },
      headers: { "If-Match": '"1"', "Idempotency-Key": "b" },
    };
    const first = await service.call(patch);
    const encoded = { ...patch, path: "/Individual/urn%3Agov%3Aph%3Anid%7C1" };
    const second = await service.call(encoded);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.headers.get("ETag")).toBe('"2"');
    expect((await service.call({ path })).body.meta.versionId).toBe("2");
  });

  it("with another body, method or record is refused", async () => {
    await create(person("1"), "a");
    const headers = { "If-Match": "*", "Idempotency-Key": "a" };
    for (const answer of [
      await create(person("2"), "a"),
      await service.call({ method: "PATCH", path, body: person("1"), headers }),
      await service.call({ method: "PUT", path, body: person("1"), headers }),
    ]) {
      expect([answer.status, answer.body.type]).toEqual([422, "urn:service:error:idempotency-mismatch"]);
    }
  });

  it("belongs to a client", async () => {
    await create(person("1"), "a");
    expect((await create(person("2"), "a", "other")).status).toBe(201);
  });

  it("keeps no refusal: the corrected request may use the key again", async () => {
    expect((await create(person("1", { birthDate: "soon" }), "a")).status).toBe(422);
    expect((await create(person("1"), "a")).status).toBe(201);
  });

  it.each(["", "a b", "x".repeat(256)])("refuses the key %j", async (key) => {
    expect((await create(person("1"), key)).status).toBe(400);
  });
});

describe("the same request at the same moment", () => {
  const headers = { "Idempotency-Key": "k" };
  const cases: readonly (Call & { readonly name: string })[] = [
    { name: "a create", method: "POST", path: "/Individual", body: person("2"), headers },
    {
      name: "a PATCH",
      ...{ method: "PATCH", path, body: { birthDate: "1990-01-01" } },
      headers: { ...headers, "If-Match": '"1"' },
    },
  ];

  it.each(cases)(
    "is answered alike when the other succeeds after the key was looked for: $name",
    async ({ name: _, ...request }) => {
      const store = createMemoryStore();
      let meanwhile: (() => Promise<unknown>) | undefined;
      const open = async () => ({
        ...store,
        async get(keys: Parameters<typeof store.get>[0]) {
          const found = await store.get(keys);
          const twin = keys[0]?.collection === "idempotency" ? meanwhile : undefined;
          if (twin) meanwhile = undefined;
          await twin?.();
          return found;
        },
      });
      const service = await startService({ open });
      await service.call({ method: "POST", path: "/Individual", body: person("1") });
      let first: Awaited<ReturnType<Service["call"]>> | undefined;
      meanwhile = async () => {
        first = await service.call(request);
      };
      const second = await service.call(request);
      expect(second.headers.get("Idempotent-Replayed")).toBe("true");
      expect([second.status, second.body]).toEqual([first?.status, first?.body]);
      expect(second.status).toBeLessThan(300);
    },
  );
});
