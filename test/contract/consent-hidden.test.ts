import { beforeEach, describe, expect, it } from "vitest";
import { ana, ben, consentWorld, cora, found, home, membersOf, stay, wholePerson } from "./consent-world.ts";
import { type Answer, household, stores } from "./fixture.ts";
import type { World } from "./world.ts";

const helpers = { organization: "Helpers" };
const unknown = ben.replace("|2", "|9");

/** What a caller could tell two answers apart by, the address it asked for left out. */
function traceOf(world: World, answer: Answer, address: string) {
  const headers = [...answer.headers].filter(([name]) => name !== "x-request-id");
  const text = JSON.stringify({ status: answer.status, headers, body: answer.body });
  const plain = text.replaceAll(address, "<address>").replaceAll(encodeURIComponent(address), "<address>");
  return { plain, calls: [...world.storeCalls.list] };
}

describe.each(stores)("hidden and unknown on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await consentWorld(open);
    await world.grant({ subject: ana, ...helpers });
  });

  const requests: readonly { name: string; method: string; suffix?: string; body?: unknown }[] = [
    { name: "a read", method: "GET" },
    { name: "a read of some elements", method: "GET", suffix: "?_elements=name&_extensions=*" },
    { name: "its history", method: "GET", suffix: "/$history" },
    { name: "a PATCH", method: "PATCH", body: { birthDate: "2000-01-01" } },
    { name: "a PATCH of nothing", method: "PATCH", body: {} },
    { name: "a PUT", method: "PUT", body: {} },
    { name: "HEAD", method: "HEAD" },
  ];
  it.each(requests)(
    "are the same to $name: status, body, headers and work",
    async ({ method, suffix = "", body }) => {
      const ask = async (address: string) => {
        const sent =
          method === "PUT"
            ? {
                ...wholePerson("x", "Eva"),
                identifier: [{ system: "urn:gov:ph:nid", value: address.split("|")[1] }],
              }
            : body;
        const headers = method === "GET" ? { "If-None-Match": '"1"' } : { "If-Match": '"1"' };
        const answer = await world.send("ngo", {
          method,
          path: `/${address}${suffix}`,
          headers,
          ...(sent === undefined ? {} : { body: sent }),
        });
        return { answer, trace: traceOf(world, answer, address.slice("Individual/".length)) };
      };
      const hidden = await ask(ben);
      const nobody = await ask(unknown);
      expect(hidden.answer.status).toBe(403);
      if (method !== "HEAD") expect(hidden.answer.body.type).toBe("urn:service:error:authorization");
      expect(hidden.trace.plain).toBe(nobody.trace.plain);
      expect(hidden.trace.calls).toEqual(nobody.trace.calls);
    },
  );

  it.each([
    ["$add-member", { entity: { reference: ana } }],
    ["$remove-member", { entity: { reference: ana } }],
    [
      "$split",
      {
        identifier: [{ system: "urn:service:group", value: "new" }],
        name: "New",
        members: [{ reference: ana }],
      },
    ],
  ])("groups are the same to %s", async (operation, body) => {
    const ask = async (address: string) => {
      const answer = await world.post("ngo", `/${address}/${operation}`, body);
      return { status: answer.status, ...traceOf(world, answer, address.slice("Group/".length)) };
    };
    const [hidden, nobody] = [await ask(home), await ask("Group/urn:service:group|nine")];
    expect(hidden).toEqual(nobody);
    expect(hidden.status).toBe(403);
  });

  it.each([
    ["a group's member", "/Group", (reference: string) => household("new", [reference])],
    [
      "an enrollment's beneficiary",
      "/ProgramMembership",
      (reference: string) => ({
        type: "ProgramMembership",
        program: { reference: "Program/urn:service:program|people" },
        beneficiary: { reference },
        status: "draft",
      }),
    ],
  ])("references are refused alike as %s", async (_case, path, bodyOf) => {
    const ask = async (reference: string) => {
      const answer = await world.post("ngo", path, bodyOf(reference));
      return { status: answer.status, ...traceOf(world, answer, reference.slice("Individual/".length)) };
    };
    const [hidden, nobody] = [await ask(ben), await ask(unknown)];
    expect(hidden).toEqual(nobody);
    expect(hidden.status).toBe(422);
  });

  it("a taken identifier is a duplicate with the same bytes, whether its record is hidden or visible", async () => {
    const create = (client: string, value: string) =>
      world.post(client, "/Individual", wholePerson(value, "Eva"));
    const [hidden, visible] = [await create("ngo", "2"), await create("ngo", "1")];
    expect(hidden.status).toBe(409);
    expect(hidden.body).not.toHaveProperty("existing");
    expect(visible.body).toEqual(hidden.body);
    expect((await create("ministry", "1")).body.existing).toBe(ana);
  });

  it("registrants that are hidden are as unknown ones", async () => {
    const { body: all } = await world.get("ministry", "/registry/registrant?limit=500");
    const visible = (await world.get("ngo", "/registry/registrant?limit=500")).body.data;
    expect(visible.map(({ name }: { name: string }) => name)).toEqual(["Ana Luna Reyes"]);
    const hiddenId = all.data.find(({ name }: { name: string }) => name.startsWith("Ben")).ext_id;
    const ask = async (id: string) =>
      traceOf(world, await world.get("ngo", `/registry/registrant/${id}`), id);
    expect(await ask(hiddenId)).toEqual(await ask("0190a6b0-0000-7000-8000-000000000000"));
  });

  it("a registrant shows no more than the consent", async () => {
    await world.grant({ subject: cora, ...helpers, access: "custom", fields: ["birthDate"] });
    const { body } = await world.get("ngo", "/registry/registrant?limit=500");
    const one = body.data.find(({ birthdate }: { birthdate: string }) => birthdate === "1993-02-03");
    expect(one).toMatchObject({ name: null, gender: null });
  });

  it("a consent that names another organization is as unknown", async () => {
    const id = await world.grant({ subject: ben, organizationType: "un" });
    const ask = async (path: string) => traceOf(world, await world.get("ngo", `/Consent/${path}`), path);
    const hidden = await ask(id);
    expect(hidden).toEqual(await ask("0190a6b0-0000-7000-8000-000000000000"));
    expect((await world.get("un", `/Consent/${id}`)).status).toBe(200);
  });
});

describe.each(stores)("searches of a filtered caller on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await consentWorld(open);
    await world.grant({ subject: ana, ...helpers, access: "custom", fields: ["name.given", "gender"] });
    await world.grant({ subject: cora, ...helpers });
  });

  const searches: readonly (readonly [string, readonly string[]])[] = [
    ["", ["1", "3"]],
    ["name=ana", ["1"]],
    ["name=reyes", ["3"]],
    ["name:exact=ana luna reyes", []],
    ["name:exact=cora luna reyes", ["3"]],
    ["birthdate=1991-02-03", []],
    ["birthdate=ne1980-01-01", ["3"]],
    ["birthdate=1993-02-03", ["3"]],
    ["birthdate=1992-02-03", []],
    ["gender=2", ["1", "3"]],
    ["telecom=%2B639000000001", []],
    ["telecom=%2B639000000003", ["3"]],
    ["address=imus", ["3"]],
    ["identifier=1", ["1"]],
    ["identifier=2", []],
    ["group=urn:service:group|home", ["3"]],
    ["group=none", []],
    ["_lastUpdated=ge2026-01-01", ["3"]],
    ["active=any", ["1", "3"]],
  ];
  it.each(searches)("%s finds %j, total included", async (query, expected) => {
    const { status, body } = await world.get("ngo", `/Individual?${query}&_total=accurate`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(found(body)).toEqual(expected);
    expect(body.meta.total).toBe(expected.length);
    expect([body.pagination.has_more, body.pagination.next_cursor]).toEqual([false, null]);
  });

  it("sort by visible fields only: a hidden birth date doesn't place a record", async () => {
    for (const sort of ["birthdate", "-birthdate"]) {
      const { body } = await world.get("ngo", `/Individual?_sort=${sort}`);
      expect(
        body.data.map(({ identifier }: { identifier: { value: string }[] }) => identifier[0]?.value),
      ).toEqual(["3", "1"]);
    }
  });

  it("pages are made of visible records, without gaps", async () => {
    const first = (await world.get("ngo", "/Individual?limit=1")).body;
    expect([first.data.length, first.pagination.has_more]).toEqual([1, true]);
    const cursor = encodeURIComponent(first.pagination.next_cursor);
    const second = (await world.get("ngo", `/Individual?limit=1&cursor=${cursor}`)).body;
    expect([...found(first), ...found(second)].sort()).toEqual(["1", "3"]);
    expect([found(first).length, found(second).length, second.pagination.has_more]).toEqual([1, 1, false]);
  });

  it("a group is not found by a member whom the caller doesn't see in it", async () => {
    expect(found((await world.get("ngo", `/Group?member=${encodeURIComponent(ana)}`)).body)).toEqual([]);
    await world.grant({
      subject: home,
      ...helpers,
      access: "custom",
      resourceType: "Group",
      fields: ["member"],
    });
    expect(found((await world.get("ngo", `/Group?member=${encodeURIComponent(ana)}`)).body)).toEqual([
      "home",
    ]);
  });

  it("enrollments of hidden beneficiaries are not found", async () => {
    expect(found((await world.get("ngo", "/ProgramMembership?status=enrolled")).body)).toEqual([]);
    await world.grant({ subject: ana, ...helpers });
    expect(found((await world.get("ngo", "/ProgramMembership?status=enrolled")).body)).toEqual(["ana"]);
  });
});

describe.each(stores)("feeds of a filtered caller on %s", (_name, open) => {
  const items = async (world: World, cursor?: string) => {
    const query = `feed=all&limit=500${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { body } = await world.get("ngo", `/$changes?${query}`);
    const told = body.data.filter(({ type }: { type: string }) => type !== "Program");
    return { told, cursor: body.pagination.next_cursor as string };
  };

  it("tell covered records, as far as they are shown, and nothing of the others", async () => {
    const world = await consentWorld(open);
    await world.grant({
      subject: ana,
      ...helpers,
      access: "custom",
      resourceType: "Individual",
      fields: ["gender"],
    });
    const { told } = await items(world);
    expect(told).toMatchObject([{ reference: ana, change: "upsert" }]);
    expect(membersOf(told[0].record)).toEqual(["gender", "identifier", "type"]);
  });

  it("tell a record when a consent begins and that it is gone when the consent is withdrawn", async () => {
    const world = await consentWorld(open);
    const before = await items(world);
    expect(before.told).toEqual([]);
    const id = await world.grant({ subject: ana, ...helpers, resourceType: "Individual" });
    const begun = await items(world, before.cursor);
    expect(begun.told).toMatchObject([{ reference: ana, change: "upsert", versionId: "1" }]);
    await world.post("ministry", `/Consent/${id}/$revoke`, {});
    const ended = await items(world, begun.cursor);
    expect(ended.told).toMatchObject([{ reference: ana, change: "removed", reason: "consent" }]);
    expect(ended.told[0]).not.toHaveProperty("record");
  });

  it("tell the members and enrollments of a group whose consent begins or ends", async () => {
    const world = await consentWorld(open);
    const before = await items(world);
    const id = await world.grant({ subject: home, ...helpers });
    const begun = await items(world, before.cursor);
    const references = (told: readonly { reference: string }[]) =>
      told.map(({ reference }) => reference).sort();
    expect(references(begun.told)).toEqual([home, ana, cora, stay, "ProgramMembership/urn:m|home"].sort());
    await world.send("ministry", { method: "DELETE", path: `/Consent/${id}` }, 204);
    const ended = await items(world, begun.cursor);
    expect(references(ended.told)).toEqual(references(begun.told));
    expect(new Set(ended.told.map(({ change }: { change: string }) => change))).toEqual(new Set(["removed"]));
  });

  it("tell that a consent expired, and that one came into effect, by the day alone", async () => {
    const world = await consentWorld(open);
    await world.grant({
      subject: ana,
      ...helpers,
      resourceType: "Individual",
      more: { expiryDate: "2026-03-10" },
    });
    await world.grant({
      subject: ben,
      ...helpers,
      resourceType: "Individual",
      more: { effectiveDate: "2026-03-11" },
    });
    const before = await items(world);
    expect(before.told).toMatchObject([{ reference: ana, change: "upsert" }]);
    world.clock.now = new Date("2026-03-11T08:00:00Z");
    const { told } = await items(world, before.cursor);
    const byReference = new Map(
      told.map((item: { reference: string; change: string }) => [item.reference, item.change]),
    );
    expect(byReference).toEqual(
      new Map([
        [ana, "removed"],
        [ben, "upsert"],
      ]),
    );
  });

  it("don't take the cursor of a caller with another view", async () => {
    const world = await consentWorld(open);
    await world.grant({ subject: ana, ...helpers });
    const { cursor } = await items(world);
    const { status } = await world.get("ministry", `/$changes?feed=all&cursor=${encodeURIComponent(cursor)}`);
    expect(status).toBe(400);
  });
});

describe.each(stores)("policy identifiers on %s", (_name, open) => {
  const registry = { policies: { withoutConsent: "identifiers" } } as const;
  const bare = (value: string) => ({
    type: "Individual",
    identifier: [{ system: "urn:gov:ph:nid", value }],
    _consent: { status: "none" },
  });

  it("shows type, identifier and the state of consent of a record that nothing shows; an unknown one is not there", async () => {
    const world = await consentWorld(open, registry);
    const { status, headers, body } = await world.get("ngo", `/${ana}`);
    expect([status, body, headers.get("X-Consent-Status")]).toEqual([200, bare("1"), "none"]);
    expect((await world.get("ngo", `/${unknown}`)).status).toBe(404);
  });

  it("lists such records, and finds them by identifier alone", async () => {
    const world = await consentWorld(open, registry);
    await world.grant({ subject: ana, ...helpers, access: "basic" });
    const { body } = await world.get("ngo", "/Individual?_total=accurate&_sort=identifier");
    expect(body.meta.total).toBe(3);
    expect(body.data.slice(1)).toEqual([bare("2"), bare("3")]);
    expect(membersOf(body.data[0])).toEqual(["active", "identifier", "meta", "name", "type"]);
    expect(found((await world.get("ngo", "/Individual?name=reyes")).body)).toEqual(["1"]);
    expect(found((await world.get("ngo", "/Individual?identifier=2")).body)).toEqual(["2"]);
    expect(found((await world.get("ngo", "/Individual?birthdate=1992-02-03")).body)).toEqual([]);
  });

  it("refuses to write what is not seen", async () => {
    const world = await consentWorld(open, registry);
    const { status, body } = await world.change("ngo", "PATCH", `/${ana}`, { gender: null });
    expect([status, body.type]).toEqual([403, "urn:service:error:authorization"]);
    expect(JSON.stringify(body)).toContain("gender");
  });
});
