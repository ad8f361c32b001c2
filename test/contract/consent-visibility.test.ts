import { beforeEach, describe, expect, it } from "vitest";
import {
  ana,
  ben,
  consentWorld,
  cora,
  found,
  home,
  householdStay,
  membersOf,
  stay,
} from "./consent-world.ts";
import { stores } from "./fixture.ts";
import { everything, type World } from "./world.ts";

const whole = [
  "active",
  "address",
  "birthDate",
  "gender",
  "groupMembership",
  "identifier",
  "meta",
  "name",
  "telecom",
  "type",
];
const basic = ["active", "identifier", "meta", "name", "type"];
const helpers = { organization: "Helpers" };
const statusOf = async (world: World, client: string, path: string) => (await world.get(client, path)).status;

const bases = [
  "legal_obligation",
  "vital_interest",
  "public_interest",
  "public_task",
  "contract",
  "legitimate_interest",
];
const baseClient = (legalBasis?: string) => ({
  id: `by-${legalBasis}`,
  scopes: everything,
  organization: "Helpers",
  ...(legalBasis === undefined ? {} : { legalBasis }),
});

describe.each(stores)("who is filtered on %s", (_name, open) => {
  it.each(bases)("%s is exempt: it sees whole records, and unknown ones are not found", async (basis) => {
    const world = await consentWorld(open, {}, [baseClient(basis)]);
    const { body } = await world.get(`by-${basis}`, `/${ben}`);
    expect(membersOf(body)).toEqual(whole.filter((name) => name !== "groupMembership"));
    expect(await statusOf(world, `by-${basis}`, "/Individual/urn:x|9")).toBe(404);
  });

  it.each(["consent", undefined, "curiosity"])("%s is filtered", async (basis) => {
    const world = await consentWorld(open, {}, [baseClient(basis)]);
    expect(await statusOf(world, `by-${basis}`, `/${ana}`)).toBe(403);
    await world.grant({ subject: ana, ...helpers });
    expect(await statusOf(world, `by-${basis}`, `/${ana}`)).toBe(200);
  });

  it("a client's list of fields is all that it ever sees, also when it is exempt", async () => {
    const client = { ...baseClient("public_task"), fields: ["name.family", "gender"] };
    const world = await consentWorld(open, {}, [client]);
    const { body } = await world.get(client.id, `/${ana}`);
    expect(membersOf(body)).toEqual(["gender", "identifier", "name", "type"]);
    expect(body.name).toEqual({ family: "Reyes" });
    expect(await statusOf(world, client.id, "/Individual/urn:x|9")).toBe(404);
  });

  it("a client's list of fields narrows what a consent shows", async () => {
    const client = { ...baseClient(), fields: ["gender", "birthDate"] };
    const world = await consentWorld(open, {}, [client]);
    await world.grant({ subject: ana, ...helpers, access: "custom", fields: ["name", "gender"] });
    expect(membersOf((await world.get(client.id, `/${ana}`)).body)).toEqual(["gender", "identifier", "type"]);
  });

  const purposes: readonly { of?: string; client?: string; header?: string; status: number }[] = [
    { status: 200 },
    { header: "research", status: 200 },
    { of: "research", status: 403 },
    { of: "research", header: "research", status: 200 },
    { of: "research", header: "audit", status: 403 },
    { of: "research", client: "research", status: 200 },
    { of: "research", client: "audit", header: "research", status: 200 },
    { of: "research", client: "research", header: "audit", status: 403 },
  ];
  it.each(purposes)(
    "purpose $of of the consent, $client of the client, $header stated: $status",
    async (one) => {
      const client = { ...baseClient(), ...(one.client ? { purpose: one.client } : {}) };
      const world = await consentWorld(open, {}, [client]);
      await world.grant({ subject: ana, ...helpers, more: one.of ? { purpose: one.of } : {} });
      const headers: Record<string, string> = one.header ? { "X-Purpose": one.header } : {};
      const { status } = await world.get(client.id, `/${ana}`, headers);
      expect(status).toBe(one.status);
    },
  );
});

describe.each(stores)("which consents count on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await consentWorld(open);
  });

  it("those that name the caller's organization or its type, and no other", async () => {
    await world.grant({ subject: ana, organization: "Helpers" });
    await world.grant({ subject: ben, organizationType: "ngo" });
    await world.grant({ subject: cora, organizationType: "un" });
    expect(found((await world.get("ngo", "/Individual")).body)).toEqual(["1", "2"]);
    expect(found((await world.get("ngo2", "/Individual")).body)).toEqual(["2"]);
    expect(found((await world.get("un", "/Individual")).body)).toEqual(["3"]);
  });

  it("those of a group concern its active members", async () => {
    await world.grant({ subject: home, ...helpers });
    const seen = await Promise.all([ana, ben, cora, home].map((path) => statusOf(world, "ngo", `/${path}`)));
    expect(seen).toEqual([200, 403, 200, 200]);
    expect(found((await world.get("ngo", "/Individual")).body)).toEqual(["1", "3"]);
  });

  it("those of a person concern neither the group nor its other members", async () => {
    await world.grant({ subject: ana, ...helpers });
    expect(await statusOf(world, "ngo", `/${home}`)).toBe(403);
    expect(await statusOf(world, "ngo", `/${cora}`)).toBe(403);
  });

  it("a person who leaves the group leaves the group's consent, and one who joins enters it", async () => {
    await world.grant({ subject: home, ...helpers });
    const member = [{ entity: { reference: ben } }, { entity: { reference: ana } }];
    await world.change("ministry", "PATCH", `/${home}`, { member });
    const seen = await Promise.all([ana, ben, cora].map((path) => statusOf(world, "ngo", `/${path}`)));
    expect(seen).toEqual([200, 200, 403]);
  });

  const days: readonly (readonly [string, Record<string, unknown>, number])[] = [
    ["from today on", {}, 200],
    ["from tomorrow on", { effectiveDate: "2026-03-02" }, 403],
    ["until today", { expiryDate: "2026-03-01", effectiveDate: "2026-01-01" }, 200],
    ["until yesterday", { expiryDate: "2026-02-28", effectiveDate: "2026-01-01" }, 403],
  ];
  it.each(days)("in force %s", async (_case, more, expected) => {
    await world.grant({ subject: ana, ...helpers, more });
    expect(await statusOf(world, "ngo", `/${ana}`)).toBe(expected);
  });

  it("expiry and a future beginning are computed at the moment of the read", async () => {
    await world.grant({ subject: ana, ...helpers, more: { expiryDate: "2026-03-10" } });
    await world.grant({ subject: ben, ...helpers, more: { effectiveDate: "2026-03-11" } });
    world.clock.now = new Date("2026-03-10T23:59:59Z");
    expect(found((await world.get("ngo", "/Individual")).body)).toEqual(["1"]);
    world.clock.now = new Date("2026-03-11T00:00:00Z");
    expect(found((await world.get("ngo", "/Individual")).body)).toEqual(["2"]);
    expect(await statusOf(world, "ngo", `/${ana}`)).toBe(403);
  });

  it("all in force are united: what any of them shows is shown", async () => {
    await world.grant({ subject: ana, ...helpers, access: "custom", fields: ["gender"] });
    await world.grant({
      subject: ana,
      organizationType: "ngo",
      access: "custom",
      fields: ["birthDate"],
      extensions: ["farmer"],
    });
    await world.grant({ subject: home, ...helpers, access: "custom", fields: ["name.given"] });
    const { body } = await world.get("ngo", `/${ana}?_extensions=*`);
    expect(membersOf(body)).toEqual(["birthDate", "extension", "gender", "identifier", "name", "type"]);
    expect(body.name).toEqual({ given: "Ana" });
    expect(membersOf(body.extension)).toEqual(["farmer"]);
  });
});

describe.each(stores)("what a consent shows on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await consentWorld(open);
  });
  const shown: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
    ["all: every core field", { access: "all" }, whole],
    ["basic: type, identifier, name, active, meta", { access: "basic" }, basic],
    [
      "custom: type, identifier and what it lists",
      { access: "custom", fields: ["gender", "meta"] },
      ["gender", "identifier", "meta", "type"],
    ],
    [
      "custom of one dotted level",
      { access: "custom", fields: ["name.given"] },
      ["identifier", "name", "type"],
    ],
    ["custom of a field the record has not", { access: "custom", fields: ["photo"] }, ["identifier", "type"]],
    ["all with an extension", { access: "all", extensions: ["farmer"] }, [...whole, "extension"].sort()],
    ["basic with an extension", { access: "basic", extensions: ["farmer"] }, [...basic, "extension"].sort()],
    ["all of an Individual", { access: "all", resourceType: "Individual" }, whole],
  ];
  it.each(shown)("%s", async (_case, terms, expected) => {
    await world.grant({ subject: ana, ...helpers, ...terms });
    const { status, body } = await world.get("ngo", `/${ana}?_extensions=*`);
    expect([status, membersOf(body)]).toEqual([200, expected]);
    if (body.extension) expect(membersOf(body.extension)).toEqual(["farmer"]);
  });

  it("a dotted field shows that part only, and no text derived from the rest", async () => {
    await world.grant({
      subject: ana,
      ...helpers,
      access: "custom",
      fields: ["name.family", "address.city"],
    });
    const { body } = await world.get("ngo", `/${ana}`);
    expect([body.name, body.address]).toEqual([{ family: "Reyes" }, [{ city: "Imus" }]]);
  });

  it("an extension is shown when it is both consented to and asked for", async () => {
    await world.grant({ subject: ana, ...helpers, extensions: ["farmer"] });
    expect((await world.get("ngo", `/${ana}`)).body).not.toHaveProperty("extension");
    const asked = await world.get("ngo", `/${ana}?_extensions=farmer,disability`);
    expect(membersOf(asked.body.extension)).toEqual(["farmer"]);
    const { body } = await world.get("ministry", `/${ana}?_extensions=*`);
    expect(membersOf(body.extension)).toEqual(["disability", "farmer"]);
  });

  it("scopes are by type of resource", async () => {
    const scope = [
      { resourceType: "Individual", fieldAccess: "basic" },
      { resourceType: "Group", fieldAccess: "custom", fields: ["quantity"] },
    ];
    await world.grant({ subject: home, ...helpers, scope });
    expect(membersOf((await world.get("ngo", `/${ana}`)).body)).toEqual(basic);
    expect(membersOf((await world.get("ngo", `/${home}`)).body)).toEqual(["identifier", "quantity", "type"]);
    expect(await statusOf(world, "ngo", `/${householdStay}`)).toBe(403);
  });

  it("an enrollment is covered by its beneficiary's consents", async () => {
    expect(await statusOf(world, "ngo", `/${stay}`)).toBe(403);
    await world.grant({ subject: ana, ...helpers, resourceType: "ProgramMembership" });
    const { body } = await world.get("ngo", `/${stay}`);
    expect(body).toMatchObject({ beneficiary: { reference: ana }, status: "enrolled" });
    expect(await statusOf(world, "ngo", `/${ana}`)).toBe(403);
    expect(await statusOf(world, "ngo", `/${householdStay}`)).toBe(403);
    expect(found((await world.get("ngo", "/ProgramMembership")).body)).toEqual(["ana"]);
  });

  it("programs are not personal: everybody with the scope reads them", async () => {
    expect(await statusOf(world, "ngo", "/Program/urn:service:program|cash")).toBe(200);
    expect(found((await world.get("ngo", "/Program")).body)).toEqual(["cash", "people"]);
  });
});
