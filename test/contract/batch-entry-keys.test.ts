import { beforeEach, describe, expect, it } from "vitest";
import { person, type Service, startService, stores } from "./fixture.ts";

const path = "/Individual/urn:gov:ph:nid|1";

interface KeyedEntry {
  readonly url: string;
  readonly key: string;
  readonly resource: object;
  readonly method?: string;
  readonly ifMatch?: string;
}

describe.each(stores)("the idempotency key of an entry on %s", (_name, open) => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({ open });
  });

  const send = async (entries: readonly KeyedEntry[], headers: Record<string, string> = {}) => {
    const entry = entries.map(({ url, key, resource, method = "POST", ifMatch }) => ({
      request: { method, url, idempotencyKey: key, ...(ifMatch && { ifMatch }) },
      resource,
    }));
    const body = { resourceType: "Bundle", type: "batch", entry };
    return service.call({ method: "POST", path: "/$batch", body, headers });
  };
  const statuses = ({ body }: { body: { entry: { response: { status: number } }[] } }) =>
    body.entry.map(({ response }) => response.status);
  const create = (value: string): KeyedEntry => ({ url: "Individual", key: value, resource: person(value) });
  const change: KeyedEntry = {
    ...{ method: "PATCH", url: "Individual/urn%3Agov%3Aph%3Anid%7C1", key: "c" },
    ...{ ifMatch: '"1"', resource: { active: false } },
  };

  it("is announced in the capability statement", async () => {
    const { body } = await service.call({ path: "/metadata" });
    expect(body.features.batch).toMatchObject({ entryKeys: true });
  });

  it("repeats the entry's answer in another bundle, beside others and in another place", async () => {
    const first = await send([create("1"), create("2")]);
    const second = await send([create("3"), create("2"), create("1")]);
    expect(statuses(second)).toEqual([201, 201, 201]);
    expect(second.body.entry.slice(1)).toEqual([first.body.entry[1], first.body.entry[0]]);
    expect((await service.call({ path: "/Individual" })).body.data).toHaveLength(3);
  });

  it("is looked up before ifMatch, in a bundle and alone", async () => {
    await send([create("1")]);
    expect(statuses(await send([change]))).toEqual([200]);
    expect(statuses(await send([create("2"), change]))).toEqual([201, 200]);
    const headers = { "If-Match": '"1"', "Idempotency-Key": "c" };
    const alone = await service.call({ method: "PATCH", path, body: change.resource, headers });
    expect([alone.status, alone.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
    expect((await service.call({ path })).body.meta.versionId).toBe("2");
  });

  it("of a request that was first sent alone repeats its answer in a bundle", async () => {
    const headers = { "Idempotency-Key": "1" };
    await service.call({ method: "POST", path: "/Individual", body: person("1"), headers });
    expect(statuses(await send([create("1")]))).toEqual([201]);
  });

  it("goes before the bundle's", async () => {
    await send([create("1")], { "Idempotency-Key": "bundle" });
    expect(statuses(await send([create("1"), create("2")], { "Idempotency-Key": "another" }))).toEqual([
      201, 201,
    ]);
  });

  it("with another body, method or record is that entry's mismatch, and no other's", async () => {
    await send([create("1")]);
    const answer = await send([
      { ...create("1"), resource: person("9") },
      { ...change, key: "1" },
      { ...change, key: "1", method: "PUT", resource: person("1") },
      create("2"),
    ]);
    expect(statuses(answer)).toEqual([422, 422, 422, 201]);
    for (const { resource } of answer.body.entry.slice(0, 3)) {
      expect(resource.type).toBe("urn:service:error:idempotency-mismatch");
    }
  });

  it("keeps no refusal", async () => {
    const wrong = { ...create("1"), resource: person("1", { birthDate: "soon" }) };
    expect(statuses(await send([wrong]))).toEqual([422]);
    expect(statuses(await send([create("1")]))).toEqual([201]);
  });

  it("has one effect where two bundles come at once", async () => {
    const entries = ["1", "2", "3", "4"].map(create);
    const answers = await Promise.all([send(entries), send([...entries].reverse())]);
    for (const answer of answers) expect(statuses(answer)).toEqual([201, 201, 201, 201]);
    const { data } = (await service.call({ path: "/Individual" })).body;
    expect(data.map(({ meta }: { meta: { versionId: string } }) => meta.versionId)).toEqual([
      "1",
      "1",
      "1",
      "1",
    ]);
  });

  it.each([
    ["a transaction", "transaction", { method: "POST", url: "Individual" }, person("1")],
    ["a read", "batch", { method: "GET", url: "Individual" }, undefined],
    [
      "an unreadable form",
      "batch",
      { method: "POST", url: "Individual", idempotencyKey: "a b" },
      person("1"),
    ],
  ])("is refused with the whole bundle in %s", async (_, type, request, resource) => {
    const entry = [{ request: { idempotencyKey: "k", ...request }, ...(resource && { resource }) }];
    const body = { resourceType: "Bundle", type, entry };
    const answer = await service.call({ method: "POST", path: "/$batch", body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ field: "/entry/0/request/idempotencyKey" }]);
  });
});
