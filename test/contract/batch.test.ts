import { operator, unwrap } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import {
  type Answer,
  addProgram,
  api,
  household,
  person,
  program,
  type Service,
  startService,
  stores,
} from "./fixture.ts";

type Json = Readonly<Record<string, unknown>>;

const id = (value: string) => `Individual/urn:gov:ph:nid|${value}`;
const first = "urn:uuid:0193a000-0000-7000-8000-00000000000a";
const second = "urn:uuid:0193a000-0000-7000-8000-00000000000b";

interface More {
  readonly ifMatch?: string;
  readonly fullUrl?: string;
}

function entry(line: string, resource?: unknown, { ifMatch, fullUrl }: More = {}): Json {
  const [method, url] = line.split(/ (.*)/);
  return {
    ...(fullUrl !== undefined && { fullUrl }),
    request: { method, url, ...(ifMatch !== undefined && { ifMatch }) },
    ...(resource !== undefined && { resource }),
  };
}

const bundle = (type: string, ...entries: readonly unknown[]) => ({
  resourceType: "Bundle",
  type,
  entry: entries,
});

const enrollment = (beneficiary: string, more: Json = {}) => ({
  type: "ProgramMembership",
  program: { reference: "Program/urn:service:program|cash" },
  beneficiary: { reference: beneficiary },
  status: "draft",
  ...more,
});

const statuses = ({ body }: Answer) =>
  body.entry.map(({ response }: { response: { status: number } }) => response.status);

describe.each(stores)("$batch on %s", (_name, open) => {
  let service: Service;
  const send = (body: unknown, headers: Record<string, string> = {}, as = "writer", query = "") =>
    service.call({ method: "POST", path: `/$batch${query}`, body, headers, as });
  const read = async (reference: string) => (await service.call({ path: `/${reference}` })).body;

  beforeEach(async () => {
    service = await startService({ open });
    await addProgram(service.registry);
    for (const value of ["1", "2"]) {
      const answer = await service.call({ method: "POST", path: "/Individual", body: person(value) });
      expect(answer.status).toBe(201);
    }
    const group = household("a", [id("1")]);
    expect((await service.call({ method: "POST", path: "/Group", body: group })).status).toBe(201);
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
      expect(found).toEqual({ response: { status: 200, etag: '"1"' }, resource: await read(id("2")) });
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
      const entries = Array.from({ length: 101 }, () => entry(`GET ${id("1")}`));
      expect((await send(bundle(type, ...entries.slice(1)))).body.entry).toHaveLength(100);
      expect((await send(bundle(type, ...entries))).status).toBe(413);
    });

    it("refuses an empty bundle and what is no bundle", async () => {
      expect((await send(bundle(type))).status).toBe(422);
      expect((await send({ resourceType: "Individual" })).status).toBe(422);
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

  /** An entry that fails, with its status and the type of its problem. */
  const failing: readonly (readonly [string, Json, number, string])[] = [
    ["a bad record", entry("POST Individual", person("9", { birthDate: "soon" })), 422, "validation"],
    ["an unknown record", entry(`PATCH ${id("9")}`, {}, { ifMatch: "*" }), 404, "not-found"],
    ["an old version", entry(`PUT ${id("1")}`, person("1"), { ifMatch: '"7"' }), 409, "conflict"],
    ["a weak tag", entry(`PUT ${id("1")}`, person("1"), { ifMatch: 'W/"1"' }), 409, "conflict"],
    ["no version", entry(`PUT ${id("1")}`, person("1")), 428, "precondition-required"],
    ["a taken identifier", entry("POST Individual", person("1")), 409, "duplicate"],
    ["a new program", entry("POST Program", program), 405, "method-not-allowed"],
    [
      "a DELETE of a consent",
      entry("DELETE Consent/0190a6b0-0000-7000-8000-00000000000a"),
      405,
      "method-not-allowed",
    ],
    ["a DELETE of anything else", entry(`DELETE ${id("1")}`), 405, "method-not-allowed"],
    ["an unknown path", entry("GET Household/a|b"), 404, "not-found"],
    ["an address without |", entry("GET Individual/5"), 400, "bad-request"],
    ["a bad parameter", entry("GET Individual?nonsense=1"), 400, "bad-request"],
  ];

  it.each(failing)(
    "%s is the whole answer of a transaction, and nothing is written",
    async (_case, bad, status, type) => {
      const answer = await send(bundle("transaction", entry("POST Individual", person("3")), bad));
      expect([answer.status, answer.body.type, answer.body.entry]).toEqual([
        status,
        `urn:service:error:${type}`,
        1,
      ]);
      expect(answer.headers.get("Content-Type")).toContain("application/problem+json");
      expect((await service.call({ path: `/${id("3")}` })).status).toBe(404);
    },
  );

  it.each(failing)(
    "%s is one entry's answer in a batch, and the others are performed",
    async (_case, bad, status, type) => {
      const entries = [entry("POST Individual", person("3")), bad, entry("POST Individual", person("4"))];
      const answer = await send(bundle("batch", ...entries));
      expect([answer.status, statuses(answer)]).toEqual([200, [201, status, 201]]);
      expect(answer.body.entry[1].resource).toMatchObject({ type: `urn:service:error:${type}`, status });
      expect(answer.body.entry[1].resource).not.toHaveProperty("entry");
    },
  );

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
