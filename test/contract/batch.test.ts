import { operator, unwrap } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import {
  bundle,
  enrollment,
  entry,
  first,
  id,
  type Send,
  second,
  startForBundles,
  statuses,
} from "./bundle-world.ts";
import { type Answer, api, household, person, type Service, stores } from "./fixture.ts";

describe.each(stores)("$batch on %s", (_name, open) => {
  let service: Service;
  let send: Send;
  const read = async (reference: string) => (await service.call({ path: `/${reference}` })).body;

  beforeEach(async () => {
    ({ service, send } = await startForBundles(open));
  });

  describe.each(["transaction", "batch"])("of type %s", (type) => {
    it("answers 200 with an entry for each: status, location, etag and record", async () => {
      const answer = await send(
        bundle(
          type,
          entry("POST Individual", person("3")),
          entry(`PUT ${id("1")}`, person("1", { active: false }), { ifMatch: '"1"' }),
          entry("PATCH Group/urn:service:group|a", { name: "New" }, { ifMatch: "1" }),
          entry("POST ProgramMembership", enrollment("Group/urn:service:group|a")),
          entry(`GET ${id("2")}`),
        ),
      );
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ resourceType: "Bundle", type: `${type}-response` });
      expect(answer.body.entry).toHaveLength(5);
      const [created, replaced, patched, enrolled, found] = answer.body.entry;
      expect(created.response).toEqual({ status: 201, location: `${api}/${id("3")}`, etag: '"1"' });
      expect(created.resource).toEqual(await read(id("3")));
      expect(replaced).toMatchObject({ response: { status: 200, etag: '"2"' }, resource: { active: false } });
      expect(patched).toMatchObject({ response: { status: 200, etag: '"2"' }, resource: { name: "New" } });
      expect(enrolled).toMatchObject({ response: { status: 201 }, resource: { type: "ProgramMembership" } });
      const { key, ...response } = found.response;
      expect({ ...found, response }).toEqual({
        ...{ response: { status: 200, etag: '"1"' }, resource: await read(id("2")) },
      });
      expect(key).toEqual(expect.any(String));
    });

    it("reads every type, and searches with sealed cursors", async () => {
      const page = await send(bundle(type, entry("GET Individual?_sort=identifier&limit=1&_total=accurate")));
      const [{ resource }] = page.body.entry;
      expect(resource).toMatchObject({
        data: [{ identifier: [{ value: "1" }] }],
        pagination: { has_more: true },
        meta: { total: 2 },
      });
      const cursor = encodeURIComponent(resource.pagination.next_cursor);
      const next = await send(
        bundle(type, entry(`GET Individual?_sort=identifier&limit=1&_total=accurate&cursor=${cursor}`)),
      );
      expect(next.body.entry[0].resource.data).toMatchObject([{ identifier: [{ value: "2" }] }]);
      const alone = await service.call({ path: resource.links.next });
      expect(alone.body.data).toEqual(next.body.entry[0].resource.data);
      const types = ["Group/urn:service:group|a", "Program/urn:service:program|cash", "ProgramMembership"];
      expect(statuses(await send(bundle(type, ...types.map((url) => entry(`GET ${url}`)))))).toEqual([
        200, 200, 200,
      ]);
    });

    it("takes addresses percent-encoded or not", async () => {
      const urls = [id("1"), "Individual/urn%3Agov%3Aph%3Anid%7C1", "Individual/urn:gov:ph:nid%7C1"];
      const answer = await send(bundle(type, ...urls.map((url) => entry(`GET ${url}`))));
      expect(statuses(answer)).toEqual([200, 200, 200]);
    });

    it("fills in placeholders in any order", async () => {
      const answer = await send(
        bundle(
          type,
          entry("POST ProgramMembership", enrollment(first)),
          entry("POST Group", household("g", [second]), { fullUrl: first }),
          entry(
            "PATCH Group/urn:service:group|a",
            { member: [{ entity: { reference: second } }] },
            { ifMatch: "*" },
          ),
          entry("POST Individual", person("9/9 #9"), { fullUrl: second }),
        ),
      );
      expect(statuses(answer)).toEqual([201, 201, 200, 201]);
      const [membership, group] = answer.body.entry;
      expect(membership.resource.beneficiary).toEqual({ reference: "Group/urn:service:group|g" });
      for (const { response, resource } of answer.body.entry.filter(
        ({ response: { status } }: { response: { status: number } }) => status === 201,
      )) {
        expect(response).toMatchObject({ etag: '"1"', location: expect.stringContaining("/api/v2/") });
        expect((await service.call({ path: response.location })).body.identifier).toEqual(
          resource.identifier,
        );
      }
      const { reference } = group.resource.member[0].entity;
      expect((await read(reference)).identifier[0].value).toBe("9/9 #9");
    });

    it.each<[string, unknown, string]>([
      [
        "an undeclared placeholder",
        entry("POST Group", household("g", [second])),
        "/entry/1/resource/member/0/entity/reference",
      ],
      ["an unknown member", { ...entry(`GET ${id("1")}`), id: 5 }, "/entry/1/id"],
      ["another method", entry(`OPTIONS ${id("1")}`), "/entry/1/request/method"],
      ["a write without a body", entry("POST Individual"), "/entry/1/resource"],
      ["one fullUrl twice", entry("POST Individual", person("8"), { fullUrl: first }), "/entry/1/fullUrl"],
    ])("refuses the whole bundle for %s, naming it", async (_case, bad, field) => {
      const good = entry("POST Individual", person("3"), { fullUrl: first });
      const answer = await send(bundle(type, good, bad));
      expect([answer.status, answer.body.type]).toEqual([422, "urn:service:error:validation"]);
      expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
      expect((await service.call({ path: `/${id("3")}` })).status).toBe(404);
    });

    it("takes a hundred entries and refuses more with 413", async () => {
      const entries = Array.from({ length: 101 }, (_, i) => entry("POST Individual", person(`b${i}`)));
      expect((await send(bundle(type, ...entries))).status).toBe(413);
      expect((await send(bundle(type, ...entries.slice(1)))).body.entry).toHaveLength(100);
      expect((await service.call({ path: "/Individual?_total=accurate" })).body.meta.total).toBe(102);
    });

    it("refuses an empty bundle and what is no bundle", async () => {
      expect((await send(bundle(type))).status).toBe(422);
      expect((await send({ resourceType: "Individual" })).status).toBe(422);
      expect((await send(bundle("history", entry(`GET ${id("1")}`)))).status).toBe(422);
      expect((await send({ ...bundle(type, entry(`GET ${id("1")}`)), total: 1 })).status).toBe(422);
      expect((await send([])).status).toBe(422);
    });

    it("repeats its answer under one Idempotency-Key, and has one effect", async () => {
      const headers = { "Idempotency-Key": "k" };
      const body = bundle(
        type,
        entry("POST Individual", person("3")),
        entry(`PATCH ${id("1")}`, { active: false }, { ifMatch: '"1"' }),
      );
      const before = await send(body, headers);
      const again = await send(body, headers);
      expect(before.headers.get("Idempotent-Replayed")).toBeNull();
      expect(again.headers.get("Idempotent-Replayed")).toBe("true");
      expect(again.body).toEqual(before.body);
      expect((await read(id("1"))).meta.versionId).toBe("2");
      const other = await send(bundle(type, entry("POST Individual", person("4"))), headers);
      expect([other.status, other.body.type]).toEqual([422, "urn:service:error:idempotency-mismatch"]);
      expect((await service.call({ path: `/${id("4")}` })).status).toBe(404);
    });

    it("sent twice at once under one Idempotency-Key has one effect", async () => {
      const headers = { "Idempotency-Key": "k" };
      const body = bundle(
        type,
        entry("POST Individual", person("3")),
        entry("POST Group/urn:service:group|a/$add-member", { entity: { reference: id("2") } }),
      );
      const answers = await Promise.all([send(body, headers), send(body, headers), send(body, headers)]);
      expect(answers.map(statuses)).toEqual([
        [201, 201],
        [201, 201],
        [201, 201],
      ]);
      expect(await read("Group/urn:service:group|a")).toMatchObject({
        quantity: 2,
        meta: { versionId: "2" },
      });
    });

    it("shows extensions in the answers when the request asks for them", async () => {
      const farm = { farmer: { farmSize: 2.5 } };
      const body = bundle(
        type,
        entry("POST Individual", person("3", { extension: farm })),
        entry(`GET ${id("2")}`),
      );
      const { body: shown } = await send(body, {}, "writer", "?_extensions=farmer");
      expect(shown.entry[0].resource.extension.farmer).toMatchObject(farm.farmer);
      const { body: plain } = await send(bundle(type, entry(`GET ${id("3")}`)));
      expect(plain.entry[0].resource).not.toHaveProperty("extension");
      const { body: own } = await send(bundle(type, entry(`GET ${id("3")}?_extensions=*&_elements=name`)));
      expect(own.entry[0].resource.extension.farmer).toMatchObject(farm.farmer);
      expect(own.entry[0].resource).not.toHaveProperty("meta");
    });

    it("filters each entry by consent like the same request alone", async () => {
      const terms = {
        subject: { reference: id("1") },
        grantee: { organization: "Aid" },
        scope: [{ resourceType: "Individual", fieldAccess: "custom", fields: ["name"] }],
      };
      unwrap(await service.registry.as(operator).consents.grant(terms));
      const one = await send(bundle(type, entry(`GET ${id("1")}`), entry("GET Individual")), {}, "ngo");
      expect(one.body.entry[0].resource).toEqual(
        (await service.call({ path: `/${id("1")}`, as: "ngo" })).body,
      );
      expect(one.body.entry[1].resource.data).toHaveLength(1);
      const [hidden, unknown] = await Promise.all(
        ["2", "9"].map((value) => send(bundle(type, entry(`GET ${id(value)}`)), {}, "ngo")),
      );
      const told = (answer: Answer | undefined) => JSON.stringify(answer?.body).replaceAll("nid|9", "nid|2");
      expect(told(hidden)).toBe(told(unknown));
      expect(told(hidden)).toContain("urn:service:error:authorization");
    });
  });

  it("a missing scope refuses a transaction, and one entry of a batch", async () => {
    const entries = [entry(`GET ${id("1")}`), entry(`PATCH ${id("9")}`, {}, { ifMatch: "*" })];
    const whole = await send(bundle("transaction", ...entries), {}, "reader");
    expect([whole.status, whole.body.missing_scope, whole.body.entry]).toEqual([403, "registry:write", 1]);
    const each = await send(bundle("batch", ...entries), {}, "reader");
    expect(statuses(each)).toEqual([200, 403]);
    expect(each.body.entry[1].resource.missing_scope).toBe("registry:write");
  });

  it("reads a consent", async () => {
    const terms = {
      subject: { reference: id("1") },
      grantee: { organization: "Aid" },
      scope: [{ resourceType: "all", fieldAccess: "basic" }],
    };
    const consent = unwrap(await service.registry.as(operator).consents.grant(terms));
    const answer = await send(bundle("batch", entry(`GET Consent/${consent.id}`), entry("GET Consent/none")));
    expect(statuses(answer)).toEqual([200, 404]);
    expect(answer.body.entry[0].resource).toEqual(consent);
  });

  it("needs an access token", async () => {
    const answer = await service.call({ method: "POST", path: "/$batch", body: bundle("batch"), as: null });
    expect(answer.status).toBe(401);
  });

  it("changes, replaces and reads every resource, later entries of a batch seeing earlier ones", async () => {
    const enrolled = enrollment("Group/urn:service:group|a", {
      identifier: [{ system: "urn:m", value: "1" }],
      status: "enrolled",
    });
    const any = { ifMatch: '"1"' };
    const answer = await send(
      bundle(
        "batch",
        entry("POST ProgramMembership", enrolled),
        entry(`PATCH ${id("2")}`, { birthDate: "1990-01-01" }, any),
        entry(`GET ${id("2")}`),
        entry("PUT Group/urn:service:group|a", household("a", []), any),
        entry("PUT ProgramMembership/urn:m|1", { ...enrolled, status: "paused" }, any),
        entry("GET Individual?birthdate=1990-01-01"),
        entry("GET Program/urn:service:program|cash"),
      ),
    );
    expect(statuses(answer)).toEqual([201, 200, 200, 200, 200, 200, 200]);
    const { entry: answers } = answer.body;
    expect(answers[2].resource).toMatchObject({ birthDate: "1990-01-01", meta: { versionId: "2" } });
    expect(answers[5].resource.data).toHaveLength(1);
  });

  it("a transaction changes again what it made, one version each, named by placeholders", async () => {
    const answer = await send(
      bundle(
        "transaction",
        entry("POST Individual", person("3"), { fullUrl: first }),
        entry("POST Group", household("g", []), { fullUrl: second }),
        entry(`PATCH Individual/${first}`, { birthDate: "1990-01-01" }, { ifMatch: '"1"' }),
        entry(`POST Group/${second}/$add-member`, { entity: { reference: first } }),
        entry(`POST Group/${second}/$add-member`, { entity: { reference: id("1") } }),
        entry(`GET Group?member=Individual/${first}`),
      ),
    );
    expect(statuses(answer)).toEqual([201, 201, 200, 201, 201, 200]);
    const etags = answer.body.entry.map(({ response }: { response: { etag?: string } }) => response.etag);
    expect(etags).toEqual(['"1"', '"1"', '"2"', '"2"', '"3"', undefined]);
    expect(answer.body.entry[5].resource.data).toMatchObject([{ quantity: 2 }]);
    const { data } = await read("Group/urn:service:group|g/$history");
    expect(data.map(({ versionId }: { versionId: string }) => versionId)).toEqual(["3", "2", "1"]);
  });

  it("later entries of a batch see earlier ones", async () => {
    const answer = await send(
      bundle(
        "batch",
        entry(`GET ${id("3")}`),
        entry("POST Individual", person("3")),
        entry(`PATCH ${id("3")}`, { active: false }, { ifMatch: '"1"' }),
        entry(`GET ${id("3")}`),
      ),
    );
    expect(statuses(answer)).toEqual([404, 201, 200, 200]);
    expect(answer.body.entry[3].resource.active).toBe(false);
  });

  it("reads of a transaction show what it wrote", async () => {
    const answer = await send(
      bundle(
        "transaction",
        entry(`GET ${id("3")}`),
        entry("GET Individual"),
        entry("POST Individual", person("3")),
      ),
    );
    expect(statuses(answer)).toEqual([200, 200, 201]);
    expect(answer.body.entry[1].resource.data).toHaveLength(3);
  });

  it("enrollments are changed by PATCH", async () => {
    const created = await send(
      bundle("batch", entry("POST ProgramMembership", enrollment("Group/urn:service:group|a"))),
    );
    const { location } = created.body.entry[0].response;
    const patch = entry(
      `PATCH ${location.slice(api.length + 1)}`,
      { status: "enrolled" },
      { ifMatch: '"1"' },
    );
    const answer = await send(bundle("transaction", patch));
    expect(answer.body.entry[0].resource).toMatchObject({ status: "enrolled", enrollmentDate: "2026-03-01" });
  });

  it("of two transactions that write one record at the same time, one is told of a conflict", async () => {
    const patch = (given: string) =>
      bundle(
        "transaction",
        entry(`PATCH ${id("1")}`, { name: { given } }, { ifMatch: '"1"' }),
        entry("POST Individual", person(given)),
      );
    const answers = await Promise.all([send(patch("x")), send(patch("y"))]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const all = await service.call({ path: "/Individual" });
    expect(all.body.data).toHaveLength(3);
  });
});
