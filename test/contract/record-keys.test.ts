import { beforeEach, describe, expect, it } from "vitest";
import { person, type Service, startService, stores } from "./fixture.ts";

const path = "/Individual/urn:gov:ph:nid|1";

describe.each(stores)("the key of a record in If-Match on %s", (_name, open) => {
  let service: Service;
  let key: string;

  beforeEach(async () => {
    service = await startService({ open });
    await service.call({ method: "POST", path: "/Individual", body: person("1") });
    key = (await service.call({ path: "/$changes?feed=all" })).body.data[0].key;
  });

  const patch = (tag: string, headers: Record<string, string> = {}) =>
    service.call({
      method: "PATCH",
      path,
      body: { active: false },
      headers: { "If-Match": tag, ...headers },
    });
  const inBundle = async (ifMatch: string) => {
    const entry = [
      { request: { method: "PATCH", url: path.slice(1), ifMatch }, resource: { active: false } },
    ];
    const body = { resourceType: "Bundle", type: "batch", entry };
    return (await service.call({ method: "POST", path: "/$batch", body })).body.entry[0];
  };

  it("is announced in the capability statement", async () => {
    const { body } = await service.call({ path: "/metadata" });
    expect(body.features.conditionalWrite).toEqual({ recordKey: true });
  });

  it("is told by reads and writes of one record, by stored answers and to reads and keyed entries of a bundle", async () => {
    const headers = { "Idempotency-Key": "k" };
    const edit = () => patch('"1"', headers);
    const bundled = (idempotencyKey?: string) => ({
      request: { method: "PATCH", url: path.slice(1), ifMatch: "*", idempotencyKey },
      resource: { active: true },
    });
    const told = [await service.call({ path }), await edit(), await edit()];
    expect(told.map((answer) => answer.headers.get("X-Record-Key"))).toEqual([key, key, key]);
    const read = { request: { method: "GET", url: path.slice(1) } };
    const asked = [bundled("b"), bundled("b"), bundled(), read];
    const body = { resourceType: "Bundle", type: "batch", entry: asked };
    const { entry } = (await service.call({ method: "POST", path: "/$batch", body })).body;
    const keys = entry.map(({ response }: { response: { key?: string } }) => response.key);
    expect(keys).toEqual([key, key, undefined, key]);
  });

  it("lets the version of that very record be replaced, and no other one", async () => {
    expect((await patch(`"2.${key}"`)).status).toBe(409);
    expect((await patch(`"1.${key}"`)).status).toBe(200);
  });

  it("refuses another record at the address without effect, alone and in a bundle", async () => {
    const alone = await patch('"1.other"');
    expect(alone.status).toBe(409);
    expect(alone.body).toMatchObject({ errors: [{ field: "If-Match", code: "other_record" }] });
    const answer = await inBundle('"1.other"');
    expect(answer.response.status).toBe(409);
    expect(answer.resource).toMatchObject({ errors: [{ code: "other_record" }] });
    expect((await service.call({ path })).body.meta.versionId).toBe("1");
    expect((await inBundle(`"1.${key}"`)).response.status).toBe(200);
  });

  it("is compared after the idempotency key is looked up", async () => {
    const headers = { "Idempotency-Key": "k" };
    expect((await patch(`"1.${key}"`, headers)).status).toBe(200);
    const rename = { identifier: person("9").identifier };
    await service.call({ method: "PATCH", path, body: rename, headers: { "If-Match": "*" } });
    await service.call({ method: "POST", path: "/Individual", body: person("1") });
    const again = await patch(`"1.${key}"`, headers);
    expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
  });
});
