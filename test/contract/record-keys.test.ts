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
    expect(body.features.conditionalWrite).toEqual({ recordKey: true, referenceKey: true });
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

describe.each(stores)("the key of a record in a reference on %s", (_name, open) => {
  let service: Service;
  let keys: readonly string[];
  const group = (...member: readonly object[]) => ({
    type: "Group",
    identifier: [{ system: "urn:test:group", value: "g" }],
    groupType: "household",
    name: "Home",
    member,
  });
  const member = (value: string, key?: string) => ({
    entity: { reference: `Individual/urn:gov:ph:nid|${value}`, ...(key !== undefined && { key }) },
  });
  const at = "/Group/urn:test:group|g";

  beforeEach(async () => {
    service = await startService({ open });
    for (const value of ["1", "2"])
      await service.call({ method: "POST", path: "/Individual", body: person(value) });
    const { data } = (await service.call({ path: "/$changes?feed=all" })).body;
    keys = data.map(({ key }: { key: string }) => key);
  });

  it("lets that very record be referred to, and is neither stored nor answered", async () => {
    const made = await service.call({ method: "POST", path: "/Group", body: group(member("1", keys[0])) });
    expect(made.status).toBe(201);
    expect(made.body.member).toMatchObject([member("1")]);
    expect(made.body.member[0].entity.key).toBeUndefined();
    expect((await service.call({ path: at })).body.member[0].entity.key).toBeUndefined();
  });

  it.each([
    ["alone", false],
    ["in a bundle", true],
  ])("refuses whoever else has the identifier by now, without effect, %s", async (_how, isBundled) => {
    await service.call({ method: "POST", path: "/Group", body: group(member("1")) });
    const body = { member: [member("1"), member("2", keys[0])] };
    const request = { method: "PATCH", url: at.slice(1), ifMatch: '"1"' };
    const bundle = { resourceType: "Bundle", type: "batch", entry: [{ request, resource: body }] };
    const alone = () => service.call({ method: "PATCH", path: at, body, headers: { "If-Match": '"1"' } });
    const together = async () => {
      const { entry } = (await service.call({ method: "POST", path: "/$batch", body: bundle })).body;
      return { status: entry[0].response.status, body: entry[0].resource };
    };
    const answer = await (isBundled ? together() : alone());
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([
      expect.objectContaining({ field: "/member/1/entity/key", code: "other_record" }),
    ]);
    expect((await service.call({ path: at })).body).toMatchObject({
      meta: { versionId: "1" },
      member: [member("1")],
    });
  });

  it.each([5, null, ["x"]])("has to be a text, and not %j", async (key) => {
    const body = group({ entity: { reference: "Individual/urn:gov:ph:nid|1", key } });
    const { status, body: answer } = await service.call({ method: "POST", path: "/Group", body });
    expect(status).toBe(422);
    expect(answer.errors).toMatchObject([{ field: "/member/0/entity/key" }]);
  });

  it.each([
    ["$add-member", []],
    ["$remove-member", [member("1"), member("2")]],
  ])("is compared by %s as well", async (operation, before) => {
    await service.call({ method: "POST", path: "/Group", body: group(...before) });
    const call = (key: string | undefined) =>
      service.call({ method: "POST", path: `${at}/${operation}`, body: member("2", key) });
    const { status, body } = await call(keys[0]);
    expect([status, body.errors]).toMatchObject([422, [{ field: "/entity/key", code: "other_record" }]]);
    expect((await service.call({ path: at })).body.meta.versionId).toBe("1");
    expect((await call(keys[1])).status).toBeLessThan(300);
  });
});
