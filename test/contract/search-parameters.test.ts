import { beforeAll, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { household, person, program, stores } from "./fixture.ts";
import { everything, seed, startWorld, type World } from "./world.ts";

const writer = { id: "writer", scopes: everything, organization: "Ministry", legalBasis: "public_task" };
const individual = (value: string) => `Individual/urn:gov:ph:nid|${value}`;
const gender = (code: string) => ({ coding: [{ system: "urn:iso:std:iso:5218", code }] });
const role = (code: string) => ({ coding: [{ system: "urn:service:vocab:relationship", code }] });
const png = picture("");

const people = [
  person("1", {
    name: { family: "Peña", given: "José" },
    birthDate: "1990-05-01",
    gender: gender("1"),
    telecom: [{ system: "phone", value: "+639171111111" }],
    address: [{ type: "physical", city: "Imus", state: "Cavite", text: "12 Rizal Street" }],
    extension: { farmer: { farmSize: 2 }, disability: { assistanceNeeded: true } },
    photo: png,
  }),
  person("2", { name: { family: "Reyes", given: "Ana" }, birthDate: "2001-12-31", gender: gender("2") }),
  person("3", { name: { family: "Reyes", given: "Ana", middle: "Maria" }, gender: gender("2") }),
  person("4", { name: { text: "Old Tomas" }, birthDate: "1990-05-02", active: false }),
];
const groups = [
  household("g1", [], {
    name: "Peña",
    member: [
      { entity: { reference: individual("1") }, role: role("head") },
      { entity: { reference: individual("2") }, role: role("spouse") },
      { entity: { reference: individual("3") }, role: role("child"), inactive: true },
    ],
    address: [{ city: "Bacoor" }],
  }),
  household("g2", [], { groupType: "family", name: "Reyes" }),
];
const enrollment = (value: string, programId: string, beneficiary: string, more: object) => ({
  type: "ProgramMembership",
  identifier: [{ system: "urn:m", value }],
  program: { reference: `Program/urn:service:program|${programId}` },
  beneficiary: { reference: beneficiary },
  ...more,
});
const cashType = { coding: [{ system: "urn:service:vocab:program-type", code: "cash_transfer" }] };
const others = [
  { ...program, programType: cashType },
  {
    ...program,
    identifier: [{ system: "urn:service:program", value: "old" }],
    name: "Pensions",
    targetType: "individual",
    period: { start: "2020-01-01", end: "2020-12-31" },
  },
  {
    ...program,
    identifier: [{ system: "urn:service:program", value: "people" }],
    name: "For people",
    targetType: "individual",
  },
  enrollment("m1", "cash", "Group/urn:service:group|g1", {
    status: "enrolled",
    enrollmentDate: "2026-01-10",
  }),
  enrollment("m2", "people", individual("2"), { status: "enrolled", enrollmentDate: "2026-02-10" }),
  enrollment("m3", "cash", "Group/urn:service:group|g2", { status: "draft" }),
];

const found = (body: { data: { identifier: { value: string }[] }[] }) =>
  body.data.map(({ identifier }) => identifier[0]?.value);

describe.each(stores)("search by each parameter on %s", (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ open, clients: [writer] });
    await seed(world, [...people, ...groups, ...others]);
  });
  const search = (query: string) => world.get("writer", `/${query}`);

  const finding: readonly (readonly [string, readonly string[]])[] = [
    ["Individual", ["1", "2", "3"]],
    ["Individual?active=true", ["1", "2", "3"]],
    ["Individual?active=false", ["4"]],
    ["Individual?active=any", ["1", "2", "3", "4"]],
    ["Individual?name=ana", ["2", "3"]],
    ["Individual?name=PENA", ["1"]],
    ["Individual?name=jos%C3%A9 p", ["1"]],
    ["Individual?name=eye", ["2", "3"]],
    ["Individual?name:exact=ana reyes", ["2"]],
    ["Individual?name:exact=ana", []],
    ["Individual?name=ana&gender=1", []],
    ["Individual?birthdate=1990-05-01", ["1"]],
    ["Individual?birthdate=eq1990-05-01", ["1"]],
    ["Individual?birthdate=ne1990-05-01", ["2"]],
    ["Individual?birthdate=lt2001-12-31", ["1"]],
    ["Individual?birthdate=le2001-12-31", ["1", "2"]],
    ["Individual?birthdate=gt1990-05-01", ["2"]],
    ["Individual?birthdate=ge1990-05-01", ["1", "2"]],
    ["Individual?birthdate=ge1990-01-01&birthdate=lt1991-01-01", ["1"]],
    ["Individual?birthdate=ge1990-01-01&birthdate=lt1991-01-01&active=any", ["1", "4"]],
    ["Individual?gender=2", ["2", "3"]],
    ["Individual?gender=1,2", ["1", "2", "3"]],
    ["Individual?gender=urn:iso:std:iso:5218|1", ["1"]],
    ["Individual?gender=9", []],
    ["Individual?telecom=%2B639171111111", ["1"]],
    ["Individual?telecom=%2B63917", []],
    ["Individual?address=imus", ["1"]],
    ["Individual?address=RIZAL", ["1"]],
    ["Individual?address=cavi", ["1"]],
    ["Individual?group=urn:service:group|g1", ["1", "2"]],
    ["Individual?group=urn:service:group|none", []],
    ["Individual?group=none", ["3"]],
    ["Individual?role=head", ["1"]],
    ["Individual?role=head,spouse", ["1", "2"]],
    ["Individual?role=child", []],
    ["Individual?identifier=urn:gov:ph:nid|2", ["2"]],
    ["Individual?identifier=2", ["2"]],
    ["Individual?identifier=2,3", ["2", "3"]],
    ["Individual?identifier=urn:x|2", []],
    ["Individual?_lastUpdated=ge2026-03-01", ["1", "2", "3"]],
    ["Individual?_lastUpdated=2026-03-01", ["1", "2", "3"]],
    ["Individual?_lastUpdated=lt2026-03-01T08:00:00Z", []],
    ["Individual?_lastUpdated=le2026-03-01T08:00:00Z", ["1", "2", "3"]],
    ["Individual?_lastUpdated=gt2026-03-01T08:00:00.000Z", []],
    ["Group", ["g1", "g2"]],
    ["Group?groupType=household", ["g1"]],
    ["Group?groupType=household,family", ["g1", "g2"]],
    ["Group?name=pena", ["g1"]],
    ["Group?name=eye", ["g2"]],
    [`Group?member=${encodeURIComponent(individual("1"))}`, ["g1"]],
    [`Group?member=${encodeURIComponent(individual("9"))}`, []],
    ["Group?address=bacoor", ["g1"]],
    ["Group?identifier=g2", ["g2"]],
    ["Program", ["cash", "old", "people"]],
    ["Program?name=pens", ["old"]],
    ["Program?status=active", ["cash", "people"]],
    ["Program?status=ended", ["old"]],
    ["Program?targetType=group", ["cash"]],
    ["Program?programType=cash_transfer", ["cash"]],
    ["ProgramMembership", ["m1", "m2", "m3"]],
    ["ProgramMembership?beneficiary=Group/urn:service:group|g1", ["m1"]],
    [`ProgramMembership?beneficiary=${encodeURIComponent(individual("2"))}`, ["m2"]],
    ["ProgramMembership?program=Program/urn:service:program|cash", ["m1", "m3"]],
    ["ProgramMembership?program=Program/urn:service:program|none", []],
    ["ProgramMembership?status=enrolled", ["m1", "m2"]],
    ["ProgramMembership?status=draft,paused", ["m3"]],
    ["ProgramMembership?enrollmentDate=gt2026-01-10", ["m2"]],
    ["ProgramMembership?program=Program/urn:service:program|cash&status=enrolled", ["m1"]],
  ];
  it.each(finding)("%s finds %j", async (query, expected) => {
    const { status, body } = await search(`${query}${query.includes("?") ? "&" : "?"}_total=accurate`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect([found(body).sort(), body.meta.total]).toEqual([expected, expected.length]);
  });

  const sorting: readonly (readonly [string, readonly string[]])[] = [
    ["Individual?_sort=birthdate", ["1", "2", "3"]],
    ["Individual?_sort=-birthdate", ["2", "1", "3"]],
    ["Individual?_sort=name", ["1", "2", "3"]],
    ["Individual?_sort=-name", ["3", "2", "1"]],
    ["Individual?_sort=identifier", ["1", "2", "3"]],
    ["Individual?_sort=-identifier", ["3", "2", "1"]],
    ["Group?_sort=name", ["g1", "g2"]],
    ["ProgramMembership?_sort=enrollmentDate", ["m1", "m2", "m3"]],
  ];
  it.each(sorting)("%s is in the order %j", async (query, expected) => {
    const { status, body } = await search(query);
    expect([status, found(body)]).toEqual([200, expected]);
  });

  const bad: readonly (readonly [string, string])[] = [
    ["Individual?surname=x", "surname"],
    ["Individual?_sort=shoe", "_sort"],
    ["Group?_sort=birthdate", "_sort"],
    ["Individual?_extensions=shoes", "_extensions"],
    ["Individual?_elements=shoes", "_elements"],
    ["Individual?_elements=name.given.first", "_elements"],
    ["Individual?_total=estimate", "_total"],
    ["Individual?active=yes", "active"],
    ["Individual?birthdate=soon", "birthdate"],
    ["Individual?birthdate=xx1990-01-01", "birthdate"],
    ["Individual?birthdate=2023-02-29", "birthdate"],
    ["Individual?_lastUpdated=yesterday", "_lastUpdated"],
    ["Individual?group=home", "group"],
    ["Individual?limit=0", "limit"],
    ["Individual?limit=501", "limit"],
    ["Individual?_count=0", "_count"],
    ["Individual?cursor=x", "cursor"],
    ["Group?member=p1", "member"],
    ["Program?status=over", "status"],
    ["ProgramMembership?status=gone", "status"],
    ["ProgramMembership?beneficiary=g1", "beneficiary"],
    ["ProgramMembership?program=Group/urn:service:group|g1", "program"],
  ];
  it.each(bad)("%s is bad and names %s", async (query, field) => {
    const { status, body } = await search(query);
    expect([status, body.type, body.errors?.[0]?.field]).toEqual([
      400,
      "urn:service:error:bad-request",
      field,
    ]);
  });

  it.each([
    ["Individual?foo=1&bar=2", ["foo", "bar"]],
    [
      "Individual?foo=1&limit=0&_sort=x&_total=no&_elements=x,y&_extensions=z&birthdate=x&group=y",
      ["foo", "limit", "_sort", "_total", "_elements", "_elements", "_extensions", "birthdate", "group"],
    ],
    ["Individual?limit=1&limit=2&_sort=name&_sort=name", ["limit", "_sort"]],
    ["Group?nothing=1&name=a%00b&member=x", ["nothing", "name", "member"]],
    ["$changes?feed=&limit=0&_elements=&foo=1", ["foo", "limit", "feed"]],
    ["change_request?status=x&type=y&limit=0", ["status", "type", "limit"]],
    ["change_request?a=1&status=x&status=y", ["a", "status"]],
    [
      "entitlements?program_ext_id=x&registrant_ext_id=y&state=z&limit=0",
      ["program_ext_id", "registrant_ext_id", "state", "limit"],
    ],
    ["Individual/urn:gov:ph:nid|1?a=1&b=2&_elements=name&_elements=name", ["a", "b", "_elements"]],
  ])("%s is bad and names every wrong parameter", async (query, fields) => {
    const { status, body } = await search(query);
    const told = body.errors.map(({ field }: { field: string }) => field);
    expect([status, told]).toEqual([400, fields]);
  });

  it("a query of many wrong parameters is answered with a hundred of them, and how many more there are", async () => {
    const names = Array.from({ length: 300 }, (_, i) => `x${i}=1`);
    const { body } = await search(`Individual?${names.join("&")}`);
    expect(body.errors).toHaveLength(101);
    expect(body.errors.at(-1)).toMatchObject({
      code: "more_errors",
      message: expect.stringContaining("200 more"),
    });
    expect(body.detail).toContain("299 more parameters are wrong");
  });

  it.each([
    ["Individual?gender=f", "0, 1, 2, 9"],
    ["Individual?gender=1,female", "0, 1, 2, 9"],
    ["Individual?role=neighbour", "head, spouse"],
    ["Group?groupType=gang", "household, family, organization, other"],
    ["Program?targetType=women", "individual, group"],
    ["Program?status=planned", "active"],
    ["ProgramMembership?status=gone", "draft, enrolled"],
  ])("%s names a code outside a closed vocabulary and is told the codes", async (query, codes) => {
    const { status, body } = await search(query);
    expect([status, body.type]).toEqual([400, "urn:service:error:bad-request"]);
    expect(body.errors).toMatchObject([{ field: query.replace(/.*\?(\w+)=.*/, "$1") }]);
    expect(body.detail).toContain(codes);
  });

  it.each(["Individual?gender=urn:other|f", "Individual?role=urn:other|boss", "Program?programType=unheard"])(
    "%s is well formed, names nothing and finds nothing",
    async (query) => {
      const { status, body } = await search(query);
      expect([status, body.data]).toEqual([200, []]);
    },
  );

  const elements: readonly (readonly [string, readonly string[]])[] = [
    ["name", ["identifier", "name", "type"]],
    ["birthDate,meta", ["birthDate", "identifier", "meta", "type"]],
    ["name.family", ["identifier", "name", "type"]],
    ["photo", ["identifier", "photo", "type"]],
  ];
  it.each(elements)("_elements=%s shows %j, by search and by read", async (names, expected) => {
    const one = (await world.get("writer", `/${individual("1")}?_elements=${names}`)).body;
    const [listed] = (await search(`Individual?identifier=1&_elements=${names}`)).body.data;
    expect([Object.keys(one).sort(), listed]).toEqual([expected, one]);
    if (names === "name.family") expect(one.name).toEqual({ family: "Peña" });
  });

  it("_extensions shows what is named, `*` all, and nothing shows none", async () => {
    for (const path of [individual("1"), "Individual?identifier=1"]) {
      const ask = async (names: string) => {
        const { body } = await world.get("writer", `/${path}${path.includes("?") ? "&" : "?"}${names}`);
        return Object.keys((body.data?.[0] ?? body).extension ?? {}).sort();
      };
      expect(await ask("_elements=name,extension")).toEqual([]);
      expect(await ask("_extensions=farmer")).toEqual(["farmer"]);
      expect(await ask("_extensions=farmer,disability")).toEqual(["disability", "farmer"]);
      expect(await ask("_extensions=*")).toEqual(["disability", "farmer"]);
    }
    const { body } = await world.get("writer", `/${individual("1")}?_extensions=farmer`);
    expect(body.extension.farmer).toEqual({ url: "urn:service:extension:farmer", farmSize: 2 });
  });

  it("meta.total is told only when asked for", async () => {
    expect((await search("Individual")).body).not.toHaveProperty("meta");
    expect((await search("Individual?_total=accurate&limit=1")).body.meta).toEqual({ total: 3 });
  });

  it("_count is limit by another name", async () => {
    const { body } = await search("Individual?_count=2");
    expect([body.data.length, body.pagination.has_more]).toEqual([2, true]);
  });

  it("a changed cursor is refused, wherever it was changed", async () => {
    const cursor: string = (await search("Individual?limit=1")).body.pagination.next_cursor;
    for (const at of [0, Math.floor(cursor.length / 2), cursor.length - 1]) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === "A" ? "B" : "A"}${cursor.slice(at + 1)}`;
      const { status } = await search(`Individual?limit=1&cursor=${encodeURIComponent(changed)}`);
      expect(status).toBe(400);
    }
  });

  it("an answer has data, pagination and links, and links lead on", async () => {
    const { body } = await search("Individual?limit=2&_sort=identifier");
    expect(Object.keys(body).sort()).toEqual(["data", "links", "pagination"]);
    const next = await world.get("writer", body.links.next);
    expect([found(next.body), next.body.pagination, next.body.links.next]).toEqual([
      ["3"],
      { next_cursor: null, has_more: false },
      null,
    ]);
  });
});
