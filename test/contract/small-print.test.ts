import { unwrap } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ana, consentWorld, home, stay } from "./consent-world.ts";
import { household, person, stores } from "./fixture.ts";
import { everything, seed, startWorld, type World } from "./world.ts";

const writer = { id: "writer", scopes: everything, organization: "Ministry", legalBasis: "public_task" };
const path = "/Individual/urn:gov:ph:nid|1";

describe.each(stores)("what is easily forgotten on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ open, clients: [writer] });
    await seed(world, [person("1")]);
  });

  it("lastUpdated is UTC with milliseconds, and never goes backwards", async () => {
    const first = (await world.get("writer", path)).body.meta.lastUpdated;
    expect(first).toBe("2026-03-01T08:00:00.000Z");
    world.clock.now = new Date("2026-03-01T07:59:00Z");
    const { body } = await world.change("writer", "PATCH", path, { birthDate: "1990-01-01" });
    expect(body.meta.versionId).toBe("2");
    expect(body.meta.lastUpdated >= first).toBe(true);
  });

  it("references are sent either way, and printed so that they can be fetched", async () => {
    const identifier = [{ system: "http://id.gov.ph/nid#person", value: "50% ok?" }];
    await world.post("writer", "/Individual", person("x", { identifier }));
    const printed = "Individual/http://id.gov.ph/nid%23person|50%25%20ok%3F";
    for (const [value, reference] of [
      ["raw", "Individual/http://id.gov.ph/nid#person|50% ok?"],
      ["encoded", printed],
    ] as const) {
      const answer = await world.post("writer", "/Group", household(value, [reference]));
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      expect(answer.body.member[0].entity.reference).toBe(printed);
      expect((await world.get("writer", `/${printed}`)).body.identifier).toEqual(identifier);
    }
  });

  it("a reference follows its target to a new identifier", async () => {
    await world.post("writer", "/Group", household("g", [ana]));
    await world.change("writer", "PUT", path, person("new"));
    const { body } = await world.get("writer", "/Group/urn:service:group|g");
    expect(body.member[0].entity.reference).toBe("Individual/urn:gov:ph:nid|new");
  });

  it("a period ends no earlier than it starts", async () => {
    const identifier = (end: string) => [
      { system: "urn:x", value: end, period: { start: "2025-02-01", end } },
    ];
    expect(
      (await world.post("writer", "/Individual", person("x", { identifier: identifier("2025-02-01") })))
        .status,
    ).toBe(201);
    expect(
      (await world.post("writer", "/Individual", person("x", { identifier: identifier("2025-01-31") })))
        .status,
    ).toBe(422);
  });

  it.each([
    [179, "true", 201],
    [181, null, 409],
  ])("after %i days a repeated key is a replay: %s", async (days, replayed, status) => {
    const request = {
      method: "POST",
      path: "/Individual",
      body: person("2"),
      headers: { "Idempotency-Key": "k" },
    };
    expect((await world.send("writer", request)).status).toBe(201);
    world.clock.now = new Date(world.clock.now.getTime() + days * 86_400_000);
    const again = await world.send("writer", request);
    expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([status, replayed]);
  });

  it("extension data is validated, and an undeclared name is refused", async () => {
    const refused: readonly (readonly [unknown, string])[] = [
      [{ shoes: { size: 4 } }, "/extension/shoes"],
      [{ farmer: { farmSize: -1 } }, "/extension/farmer/farmSize"],
      [{ farmer: { livestockCount: 1.5 } }, "/extension/farmer/livestockCount"],
      [{ farmer: { primaryCrop: "rice" } }, "/extension/farmer/primaryCrop"],
      [{ disability: { assistanceNeeded: "yes" } }, "/extension/disability/assistanceNeeded"],
      [{ farmer: { color: "red" } }, "/extension/farmer/color"],
    ];
    for (const [extension, field] of refused) {
      const { status, body } = await world.post("writer", "/Individual", person("2", { extension }));
      expect([status, body.errors[0].field]).toEqual([422, field]);
    }
    const farmer = { farmSize: 2.5, farmSizeUnit: "ha", livestockCount: 3, primaryCrop: { text: "rice" } };
    expect((await world.post("writer", "/Individual", person("2", { extension: { farmer } }))).status).toBe(
      201,
    );
    const group = household("g", [], { extension: { farmer: {} } });
    expect((await world.post("writer", "/Group", group)).status).toBe(422);
  });

  it("an extension is kept by PUT that doesn't name it, and removed by PATCH", async () => {
    await world.post("writer", "/Individual", person("2", { extension: { farmer: { farmSize: 1 } } }));
    const own = "/Individual/urn:gov:ph:nid|2";
    await world.change("writer", "PUT", own, person("2", { birthDate: "1990-01-01" }));
    expect((await world.get("writer", `${own}?_extensions=*`)).body.extension.farmer.farmSize).toBe(1);
    await world.change("writer", "PATCH", own, { extension: { farmer: null } });
    expect((await world.get("writer", `${own}?_extensions=*`)).body.extension ?? {}).toEqual({});
  });

  it("feeds have each shorter prefix of an area, and an enrollment follows its beneficiary", async () => {
    const whole = await consentWorld(open);
    for (const feed of ["all", "area:PH", "area:PH/Cavite", "area:PH/Cavite/Imus"]) {
      const { body } = await whole.get("ministry", `/$changes?feed=${encodeURIComponent(feed)}&limit=500`);
      const references = body.data.map(({ reference }: { reference: string }) => reference);
      expect(references, feed).toEqual(expect.arrayContaining([ana, home, stay]));
    }
    const { body } = await whole.get("ministry", `/$changes?feed=${encodeURIComponent("area:PH/Laguna")}`);
    expect(body.data).toEqual([]);
  });

  it("a feed has the newest state of a record once, a cursor for an empty page too, and holds for months", async () => {
    await world.change("writer", "PATCH", path, { birthDate: "1990-01-01" });
    const first = (await world.get("writer", "/$changes?feed=all")).body;
    expect(first.data).toMatchObject([{ reference: ana, versionId: "2", change: "upsert" }]);
    world.clock.now = new Date("2026-09-01T08:00:00Z");
    const cursor = encodeURIComponent(first.pagination.next_cursor);
    const later = (await world.get("writer", `/$changes?feed=all&cursor=${cursor}`)).body;
    expect([later.data, later.epoch, later.pagination.has_more]).toEqual([[], first.epoch, false]);
    expect(later.pagination.next_cursor).toMatch(/./);
  });

  it("the terms of a consent don't change, whatever is granted again under its id", async () => {
    const whole = await consentWorld(open);
    const terms = {
      subject: { reference: ana },
      grantee: { organization: "Helpers" },
      scope: [{ resourceType: "all", fieldAccess: "basic" }],
    };
    const id = "0190a6b0-0000-7000-8000-000000000001";
    unwrap(await whole.view.consents.grant(terms, { trusted: { id, status: "given" } }));
    const wider = { ...terms, scope: [{ resourceType: "all", fieldAccess: "all" }] };
    await whole.view.consents.grant(wider, { trusted: { id, status: "given" } });
    expect((await whole.get("ministry", `/Consent/${id}`)).body.scope).toEqual(terms.scope);
  });

  it("another namespace is in every fixed identifier", async () => {
    const own = await startWorld({
      open,
      clients: [writer],
      registry: { namespace: "acme" },
    });
    await seed(own, [person("1")]);
    const { body } = await own.change("writer", "PATCH", path, { birthDate: "1990-01-01" });
    expect(body.meta.source).toBe("urn:acme:api-client:writer");
    expect((await own.get("writer", "/Individual/urn:x|1")).body.type).toBe("urn:acme:error:not-found");
  });
});
