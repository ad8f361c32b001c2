import { unwrap } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ana, ben, consentWorld, home, membersOf, stay, wholePerson } from "./consent-world.ts";
import { household, person, stores } from "./fixture.ts";
import { everything, type World } from "./world.ts";

const helpers = { organization: "Helpers" };
const custom = { ...helpers, access: "custom", fields: ["name", "gender", "meta"] } as const;

interface Item {
  readonly type: string;
  readonly versionId: string;
  readonly record: { readonly meta?: unknown };
}

const enrollment = (status: string) => ({
  type: "ProgramMembership",
  identifier: [{ system: "urn:m", value: "ana" }],
  program: { reference: "Program/urn:service:program|people" },
  beneficiary: { reference: ana },
  status,
});

describe.each(stores)("writes of a filtered caller on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await consentWorld(open);
    await world.grant({ subject: ana, ...custom });
  });
  const whole = async () => (await world.get("ministry", `/${ana}?_extensions=*`)).body;

  it("change what it sees, and answer no more than that", async () => {
    const { status, body } = await world.change("ngo", "PATCH", `/${ana}`, { name: { middle: "M." } });
    expect([status, membersOf(body)]).toEqual([200, ["gender", "identifier", "meta", "name", "type"]]);
    expect(body.meta.versionId).toBe("2");
  });

  it("that name a field that there is not are not valid, as anybody's", async () => {
    for (const client of ["ngo", "ministry"]) {
      const { status, body } = await world.change(client, "PATCH", `/${ana}`, { zz: 1 });
      expect([client, status, body.type]).toEqual([client, 422, "urn:service:error:validation"]);
      expect(body.errors).toMatchObject([{ field: "/zz", code: "unknown_field" }]);
    }
  });

  const hidden: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ["another value", { birthDate: "2000-01-01" }, "birthDate"],
    ["the value it has", { birthDate: "1991-02-03" }, "birthDate"],
    ["null", { telecom: null }, "telecom"],
    ["a field the record has not", { photo: null }, "photo"],
    ["archiving", { active: false }, "active"],
    ["an extension", { extension: { farmer: { farmSize: 9 } } }, "farmer"],
  ];
  it.each(hidden)("that name a hidden field (%s) are refused with its name", async (_case, patch, field) => {
    const before = await whole();
    for (const [method, body] of [
      ["PATCH", { name: { given: "Eva" }, ...patch }],
      ["PUT", { ...person("1"), ...patch }],
    ] as const) {
      const answer = await world.change("ngo", method, `/${ana}`, body);
      if (method === "PUT" && answer.status === 422) continue;
      expect([answer.status, answer.body.type]).toEqual([403, "urn:service:error:authorization"]);
      expect(`${answer.body.detail} ${JSON.stringify(answer.body.errors)}`).toContain(field);
    }
    expect(await whole()).toEqual(before);
  });

  it("tell the version by ETag wherever the record is shown, and keep meta hidden", async () => {
    const narrow = await consentWorld(open);
    await narrow.grant({ subject: ana, ...helpers, access: "custom", fields: ["name"] });
    const patch = (headers: Record<string, string>, body: object = { name: { given: "Eva" } }) =>
      narrow.send("ngo", { method: "PATCH", path: `/${ana}`, body, headers });
    const read = await narrow.get("ngo", `/${ana}`, { "If-None-Match": '""' });
    expect([read.status, read.headers.get("ETag"), read.body.meta]).toEqual([200, '"1"', undefined]);
    const known = await narrow.get("ngo", `/${ana}`, { "If-None-Match": '"1"' });
    expect([known.status, known.headers.get("ETag")]).toEqual([200, '"1"']);
    const key = read.headers.get("X-Record-Key");
    expect(known.headers.get("X-Record-Key")).toBe(key);
    const hidden = { birthDate: "1990-01-01" };
    for (const headers of [{}, { "If-Match": '"77"' }]) {
      expect((await patch(headers, hidden)).status).toBe(403);
    }
    const missing = await patch({});
    const stale = await patch({ "If-Match": '"77"' });
    expect([missing.status, stale.status]).toEqual([428, 409]);
    expect([missing.body.detail, stale.body.detail]).toEqual(Array(2).fill(expect.stringMatching(/\b1\b/)));
    const written = await patch({ "If-Match": '"1"' });
    expect([written.status, written.headers.get("ETag"), written.body.meta]).toEqual([200, '"2"', undefined]);
    const items: readonly Item[] = (await narrow.get("ngo", "/$changes?feed=all")).body.data;
    const item = items.find(({ type }) => type === "Individual");
    expect([item?.versionId, item?.record.meta]).toEqual(["2", undefined]);
    expect((await narrow.get("ngo", `/${ana}/$history`)).body.data).toEqual([]);
    const entry = (method: string, more: object) => ({
      request: { method, url: ana, ...(method === "PATCH" && { ifMatch: "*" }) },
      ...more,
    });
    const bundle = await narrow.post("ngo", "/$batch", {
      resourceType: "Bundle",
      type: "batch",
      entry: [entry("GET", {}), entry("PATCH", { resource: { name: { given: "Ana" } } })],
    });
    expect(bundle.body.entry.map(({ response }: { response: object }) => response)).toMatchObject([
      { status: 200, etag: '"2"', key },
      { status: 200, etag: '"3"' },
    ]);
  });

  it("get the record though its version is known: what consents show of it changes without a new one", async () => {
    const shown = async () => {
      const { status, headers } = await world.get("ngo", `/${ana}`, { "If-None-Match": '"1"' });
      return [status, headers.get("X-Record-Shows")];
    };
    expect(await shown()).toEqual([200, "type,identifier,name,gender,meta"]);
    await world.grant({ subject: ana, ...helpers, extensions: ["farmer"] });
    expect(await shown()).toEqual([200, "all,extension.farmer"]);
  });

  it.each([
    [
      "a PATCH",
      ana,
      "Individual",
      (url: string) => ({ method: "PATCH", path: url, body: { name: { given: "Eva" } } }),
    ],
    [
      "$add-member",
      home,
      "Group",
      (url: string) => ({ method: "POST", path: `${url}/$add-member`, body: { entity: { reference: ben } } }),
    ],
  ])(
    "compare If-Match for a caller that does not see meta: two who change the same version by %s do not overwrite each other",
    async (_case, of, resourceType, sent) => {
      const narrow = await consentWorld(open);
      const fields = ["name", "member", "active"];
      await narrow.grant({ subject: of, ...helpers, resourceType, access: "custom", fields });
      if (of !== ana) await narrow.grant({ subject: ben, ...helpers });
      const tag = (await narrow.get("ngo", `/${of}`)).headers.get("ETag") ?? "";
      const ask = () => narrow.send("ngo", { ...sent(`/${of}`), headers: { "If-Match": tag } });
      const first = await ask();
      expect([200, 201]).toContain(first.status);
      expect(first.headers.get("ETag")).toBe('"2"');
      const second = await ask();
      expect([second.status, second.body.type]).toEqual([409, "urn:service:error:conflict"]);
      expect(second.body.detail).toContain("the current version is 2");
    },
  );

  it.each([
    ["its beneficiary's active", ana, ["status", "beneficiary", "program"], ["name"]],
    ["whose it is", ana, ["status", "program"], ["active"]],
    ["its program", "Program/urn:service:program|people", ["status", "beneficiary"], ["active"]],
  ])(
    "enroll nobody by a change of an enrollment without seeing %s",
    async (_case, archived, ofEnrollment, ofPerson) => {
      const enrolling = async (act: (world: World) => Promise<unknown>) => {
        const narrow = await consentWorld(open);
        const scope = (resourceType: string, fields: readonly string[]) => ({
          resourceType,
          fieldAccess: "custom",
          fields,
        });
        await narrow.change("ministry", "PUT", `/${stay}`, enrollment("paused"));
        await narrow.grant({
          subject: ana,
          ...helpers,
          scope: [scope("ProgramMembership", ofEnrollment), scope("Individual", ofPerson)],
        });
        await act(narrow);
        const seen = Object.entries(enrollment("enrolled")).filter(
          ([name]) => ["type", "identifier"].includes(name) || ofEnrollment.includes(name),
        );
        const { status, body } = await narrow.change("ngo", "PUT", `/${stay}`, Object.fromEntries(seen));
        return { status, body };
      };
      const plain = await enrolling(async () => undefined);
      const other = await enrolling((narrow) =>
        narrow.change("ministry", "PATCH", `/${archived}`, { active: false }),
      );
      expect(other).toEqual(plain);
      expect([plain.status, plain.body.errors?.[0].field]).toEqual([403, "/beneficiary"]);
    },
  );

  it("enroll by a change of an enrollment whom they see, and say then that the person is archived", async () => {
    await world.grant({ subject: ana, ...helpers });
    await world.change("ministry", "PUT", `/${stay}`, enrollment("paused"));
    const enroll = () => world.change("ngo", "PUT", `/${stay}`, enrollment("enrolled"));
    await world.change("ministry", "PATCH", `/${ana}`, { active: false });
    expect((await enroll()).status).toBe(422);
    await world.change("ministry", "PATCH", `/${ana}`, { active: true });
    expect((await enroll()).status).toBe(200);
  });

  it("with _elements the entity tag stays the version, and an empty tag is none", async () => {
    const part = await world.get("ministry", `/${ana}?_elements=name`);
    expect(part.headers.get("ETag")).toBe('"1"');
    const asked = await world.get("ministry", `/${ana}?_elements=name`, { "If-None-Match": '""' });
    expect(asked.status).toBe(200);
    const empty = await world.send("ministry", {
      method: "PATCH",
      path: `/${ana}`,
      body: {},
      headers: { "If-Match": '""' },
    });
    expect([empty.status, empty.body.detail]).toEqual([409, expect.stringContaining("none that can match")]);
  });

  it("by PUT keep the fields that are hidden from it", async () => {
    await world.change("ministry", "PATCH", `/${ana}`, { active: false });
    const before = await whole();
    const { status, body } = await world.change(
      "ngo",
      "PUT",
      `/${ana}`,
      person("1", { name: { family: "Cruz" } }),
    );
    expect([status, membersOf(body)]).toEqual([200, ["identifier", "meta", "name", "type"]]);
    const { birthDate, telecom, address, extension, active } = await whole();
    expect({ birthDate, telecom, address, extension, active }).toEqual({
      birthDate: before.birthDate,
      telecom: before.telecom,
      address: before.address,
      extension: before.extension,
      active: false,
    });
    expect(await whole()).not.toHaveProperty("gender");
  });

  it("keep the hidden part of a field it sees one level of", async () => {
    const narrow = await consentWorld(open);
    await narrow.grant({ subject: ana, ...helpers, access: "custom", fields: ["name.given"] });
    const put = await narrow.change("ngo", "PUT", `/${ana}`, person("1", { name: { given: "Eva" } }));
    expect([put.status, put.body.name]).toEqual([200, { given: "Eva" }]);
    expect((await narrow.get("ministry", `/${ana}`)).body.name).toMatchObject({
      family: "Reyes",
      given: "Eva",
      middle: "Luna",
    });
    const patched = await narrow.change("ngo", "PATCH", `/${ana}`, { name: { family: "Cruz" } });
    expect(patched.status).toBe(403);
    expect(patched.body.detail).toContain("name");
  });

  it("may create, and see of it what consents show", async () => {
    const created = await world.post("ngo", "/Individual", wholePerson("7", "Eva"));
    expect([created.status, created.body]).toEqual([
      201,
      {
        type: "Individual",
        identifier: [{ system: "urn:gov:ph:nid", value: "7" }],
        _consent: { status: "none" },
      },
    ]);
    expect((await world.get("ngo", "/Individual/urn:gov:ph:nid|7")).status).toBe(403);
    expect((await world.get("ministry", "/Individual/urn:gov:ph:nid|7")).body.name.given).toBe("Eva");
  });

  it("stay within the fields that a client may ever see, also in creates", async () => {
    const client = { id: "clerk", scopes: everything, legalBasis: "public_task", fields: ["name"] };
    const clerks = await consentWorld(open, {}, [client]);
    const refused = await clerks.post("clerk", "/Individual", wholePerson("7", "Eva"));
    expect([refused.status, refused.body.type]).toEqual([403, "urn:service:error:authorization"]);
    const created = await clerks.post("clerk", "/Individual", person("7"));
    expect([created.status, membersOf(created.body)]).toEqual([201, ["identifier", "name", "type"]]);
  });

  it("are judged inside bundles as by themselves", async () => {
    const entry = (method: string, url: string, resource: unknown) => ({
      request: { method, url, ifMatch: "*" },
      resource,
    });
    const bundle = {
      resourceType: "Bundle",
      type: "batch",
      entry: [
        entry("PATCH", ana, { birthDate: "2000-01-01" }),
        entry("PATCH", ana, { name: { middle: "M." } }),
        { request: { method: "GET", url: ana } },
        { request: { method: "GET", url: "Individual/urn:gov:ph:nid|2" } },
        { request: { method: "GET", url: "Individual?birthdate=1992-02-03" } },
      ],
    };
    const { status, body } = await world.post("ngo", "/$batch", bundle);
    expect(status, JSON.stringify(body)).toBe(200);
    const [patched, named, read, hidden] = body.entry;
    expect([patched, named, read, hidden].map(({ response }) => response.status)).toEqual([
      403, 200, 200, 403,
    ]);
    for (const { resource } of [named, read]) {
      expect(membersOf(resource)).toEqual(["gender", "identifier", "meta", "name", "type"]);
    }
  });

  it("show nothing more when their answer is replayed after the consent ended", async () => {
    const headers = { "If-Match": "*", "Idempotency-Key": "k" };
    const request = { method: "PATCH", path: `/${ana}`, body: { name: { middle: "M." } }, headers };
    expect((await world.send("ngo", request)).body.name.middle).toBe("M.");
    for (const consent of unwrap(await world.view.consents.ofSubject(ana))) {
      unwrap(await world.view.consents.revoke(consent.id));
    }
    const again = await world.send("ngo", request);
    expect(JSON.stringify(again.body)).not.toContain("Reyes");
  });

  it("to a group are judged by the group's consents", async () => {
    expect((await world.change("ngo", "PATCH", `/${home}`, { name: "New" })).status).toBe(403);
    await world.grant({ subject: home, ...helpers, access: "basic", resourceType: "Group" });
    const renamed = await world.change("ngo", "PATCH", `/${home}`, { name: "New" });
    expect([renamed.status, membersOf(renamed.body)]).toEqual([
      200,
      ["active", "identifier", "meta", "name", "type"],
    ]);
    expect((await world.change("ngo", "PATCH", `/${home}`, { member: [] })).status).toBe(403);
    const added = await world.post("ngo", `/${home}/$add-member`, { entity: { reference: ana } });
    expect(added.status).toBe(403);
  });

  it("of a reference's display show no name that is hidden", async () => {
    await world.change("ministry", "PATCH", `/${home}`, {
      member: [{ entity: { reference: "Individual/urn:gov:ph:nid|3", display: "Cora Reyes" } }],
    });
    await world.grant({ subject: home, ...helpers, resourceType: "Group" });
    const { status, body } = await world.get("ngo", `/${home}`);
    expect([status, body.member.length]).toEqual([200, 1]);
    expect(JSON.stringify(body.member)).not.toContain("Cora");
  });

  it("don't reach a created group's hidden members", async () => {
    const { status } = await world.post("ngo", "/Group", household("new", ["Individual/urn:gov:ph:nid|2"]));
    expect(status).toBe(422);
    expect((await world.get("ministry", "/Group/urn:service:group|new")).status).toBe(404);
  });
});
