import { beforeAll, describe, expect, it } from "vitest";
import type { AuditEntry } from "../../audit/types.ts";
import { unwrap } from "../../problem.ts";
import { resourceTypes } from "../../resource/types.ts";
import { createTestRegistry, type TestRegistry } from "../../testing/test-registry.ts";
import { answerParameters, searchParameters, sortIndexes } from "./search-parameters.ts";
import { found, openWorld, person, searchIn, valuesOf } from "./test-world.ts";

describe("search", () => {
  let world: TestRegistry;
  const read: AuditEntry[] = [];
  beforeAll(async () => {
    world = await openWorld({ onRead: (entry) => read.push(entry) });
  });

  it.each<[keyof typeof sortIndexes, string, string]>([
    ["Individual", "", "p1 p2 p4 p5"],
    ["Individual", "active=false", "p3"],
    ["Individual", "active=any", "p1 p2 p3 p4 p5"],
    ["Individual", "name=JOSE", "p2"],
    ["Individual", "name=re&name=an", "p1"],
    ["Individual", "name:exact=ana reyes", "p1"],
    ["Individual", "name:exact=Dr Ana Reyes", ""],
    ["Individual", "name:exact=REYES ANA DR", "p1"],
    ["Individual", "name:exact=lone wolf", "p4"],
    ["Individual", "name:exact=lone", ""],
    ["Individual", "birthdate=1990-01-01", "p1"],
    ["Individual", "birthdate=eq1990-01-01", "p1"],
    ["Individual", "birthdate=ne1990-01-01", "p2 p5"],
    ["Individual", "birthdate=ne1990-01-01&birthdate=ne1985-05-05", "p5"],
    ["Individual", "birthdate=ge1985-05-05&birthdate=lt1990-01-02", "p1 p2"],
    ["Individual", "birthdate=gt1990-01-01", "p5"],
    ["Individual", "birthdate=le1985-05-05", "p2"],
    ["Individual", "birthdate=ge1990-01-01T12:00:00Z", "p1 p5"],
    ["Individual", "_lastUpdated=gt2026-01-01T08:00:00Z", "p2 p4 p5"],
    ["Individual", "_lastUpdated=le2026-01-01T16:00:00+08:00", "p1"],
    ["Individual", "_lastUpdated=le2026-01-01T16:00:00 08:00", "p1"],
    ["Individual", "_lastUpdated=ne2026-01-01", ""],
    ["Individual", "gender=2", "p1"],
    ["Individual", "gender=2,1", "p1 p2"],
    ["Individual", "gender=urn:iso:std:iso:5218|1", "p2"],
    ["Individual", "gender=9", ""],
    ["Individual", "gender=urn:other|f", ""],
    ["Individual", "address=main street imus", "p1"],
    ["Individual", "telecom=+63917", "p1"],
    ["Individual", "telecom= 63917", "p1"],
    ["Individual", "telecom=63917", ""],
    ["Individual", "identifier=p2", "p2"],
    ["Individual", "identifier=urn:id|p2,urn:id|p1", "p1 p2"],
    ["Individual", "identifier=urn:other|2\\,2", "p2"],
    ["Individual", "identifier=urn:other|p2", ""],
    ["Individual", "group=urn:group|g1", "p1 p2"],
    ["Individual", "group=urn:old|1", "p1 p2"],
    ["Individual", "group=urn:group|g2", "p2"],
    ["Individual", "group=urn:group|g3&active=any", ""],
    ["Individual", "group=urn:group|g4", ""],
    ["Individual", "group=urn:group|g4&active=any", "p3"],
    ["Individual", "group=urn:group|nobody", ""],
    ["Individual", "group=urn:group|g1&group=urn:group|g2", "p2"],
    ["Individual", "group=urn:group|g2,urn:group|g4&active=any", "p2 p3"],
    ["Individual", "group=none", "p4 p5"],
    ["Individual", "group=none,urn:group|g2", "p2 p4 p5"],
    ["Individual", "group=none&group=urn:group|g2", ""],
    ["Individual", "role=head", "p1 p2"],
    ["Individual", "role=urn:service:vocab:relationship|spouse", "p2"],
    ["Individual", "role=head&role=spouse", "p2"],
    ["Individual", "role=child,spouse", "p2"],
    ["Individual", "role=sibling", ""],
    ["Individual", "role=urn:other|boss", ""],
    ["Individual", "group=urn:group|g1&role=head", "p1"],
    ["Individual", "group=urn:group|g1&role=head&name=jose", ""],
    ["Individual", "group=none&role=head", ""],
    ["Individual", "group=urn:group|g1&birthdate=ne1990-01-01", "p2"],
    ["Group", "", "g1 g2 g4"],
    ["Group", "address=kawit", "g1"],
    ["Group", "name=pena", "g2"],
    ["Group", "name:exact=PENA", "g2"],
    ["Group", "groupType=family,household", "g1 g2 g4"],
    ["Group", "member=Individual/urn:id|p2", "g1 g2"],
    ["Group", "member=Individual/urn:other|2%2C2", "g1 g2"],
    ["Group", "member=Individual/urn:id|p1", "g1"],
    ["Group", "member=Individual/urn:id|p5", ""],
    ["Group", "member=Individual/urn:id|p1,Individual/urn:id|p3", "g1 g4"],
    ["Group", "member=Individual/urn:id|p1&member=Individual/urn:id|p2", "g1"],
    ["Group", "member=Individual/urn:id|nobody", ""],
    ["Program", "", "cash over"],
    ["Program", "status=active", "cash"],
    ["Program", "status=ended", "over"],
    ["Program", "status=active,ended", "cash over"],
    ["Program", "targetType=individual", "over"],
    ["Program", "programType=cash", "cash"],
    ["Program", "programType=nothing", ""],
    ["Program", "programType=urn:other|nothing", ""],
    ["Program", "programType=urn:type|over", "over"],
    ["Program", "name:exact=program over", "over"],
    ["ProgramMembership", "beneficiary=Group/urn:old|1", "m1"],
    ["ProgramMembership", "program=Program/urn:program|cash&status=draft", "m2"],
    ["ProgramMembership", "status=draft,enrolled", "m1 m2"],
    ["ProgramMembership", "enrollmentDate=2026-01-01", "m1"],
    ["ProgramMembership", "enrollmentDate=lt2026-01-01", ""],
  ])("%s?%s finds %s", async (type, query, expected) => {
    expect((await found(world.view, type, query)).join(" ")).toBe(expected);
  });

  it.each<[keyof typeof sortIndexes, string, string]>([
    ["Individual", "surname=x", "surname"],
    ["Group", "birthdate=2000-01-01", "birthdate"],
    ["Individual", "constructor=x", "constructor"],
    ["Individual", "name=", "name"],
    ["Individual", "name=\u0301", "name"],
    ["Individual", "name=a\u0000", "name"],
    ["Individual", "name=\ud800", "name"],
    ["Individual", "name:exact=", "name:exact"],
    ["ProgramMembership", "name=x", "name"],
    ["Individual", "birthdate=2000-02-30", "birthdate"],
    ["Individual", "birthdate=2000", "birthdate"],
    ["Individual", "birthdate=sa2000-01-01", "birthdate"],
    ["Individual", "_lastUpdated=2026-01-01T08:00:00", "_lastUpdated"],
    ["Individual", "gender=", "gender"],
    ["Individual", "gender=1,,2", "gender"],
    ["Individual", "gender=f", "gender"],
    ["Individual", "gender=1,7", "gender"],
    ["Individual", "gender=urn:iso:std:iso:5218|f", "gender"],
    ["Individual", "role=nonsense", "role"],
    ["Individual", "role=head,urn:service:vocab:relationship|boss", "role"],
    ["Group", "groupType=gang", "groupType"],
    ["Group", "groupType=household,gang", "groupType"],
    ["Individual", "gender=|1", "gender"],
    ["Individual", "telecom=", "telecom"],
    ["Individual", "identifier=", "identifier"],
    ["Individual", "identifier=urn:id|", "identifier"],
    ["Individual", "identifier=|p1", "identifier"],
    ["Individual", "identifier=urn:id|p1,", "identifier"],
    ["Individual", "identifier=urn:id|p1,p2", "identifier"],
    ["Individual", "group=", "group"],
    ["Individual", "group=g1", "group"],
    ["Individual", "group=none,", "group"],
    ["Individual", "group=urn:group|", "group"],
    ["Individual", "role=", "role"],
    ["Individual", "role=head,", "role"],
    ["Individual", "active=", "active"],
    ["Group", "member=p1", "member"],
    ["Group", "member=Group/urn:group|g1", "member"],
    ["Group", "member=Individual/urn:id|p1,", "member"],
    ["Program", "status=planned", "status"],
    ["Program", "targetType=family", "targetType"],
    ["ProgramMembership", "program=Group/urn:group|g1", "program"],
    ["ProgramMembership", "status=gone", "status"],
    ["Individual", "_sort=shoe", "_sort"],
    ["Individual", "_sort=enrollmentDate", "_sort"],
    ["Individual", "_sort=", "_sort"],
    ["Individual", "_sort=name&_sort=birthdate", "_sort"],
    ["Individual", "_total=estimate", "_total"],
    ["Individual", "_elements=shoe", "_elements"],
    ["Individual", "_elements=name&_elements=active", "_elements"],
    ["Individual", "_extensions=shoe", "_extensions"],
    ["Group", "_extensions=farmer", "_extensions"],
    ["Individual", "limit=0", "limit"],
    ["Individual", "limit=501", "limit"],
    ["Individual", "limit=1e2", "limit"],
    ["Individual", "limit=2&_count=2", "_count"],
    ["Individual", "cursor=", "cursor"],
    ["Individual", "cursor=nonsense", "cursor"],
  ])("%s?%s is refused, naming %s", async (type, query, field) => {
    const outcome = await searchIn(world.view, type, query);
    expect(outcome).toMatchObject({ ok: false, problem: { kind: "bad-request", errors: [{ field }] } });
    expect(outcome.ok ? "" : outcome.problem.detail).toContain(field);
  });

  it("of 200 conditions is answered, and of more refused, before a store that takes no more is asked", async () => {
    const names = (count: number) => `gender=2&${Array.from({ length: count }, () => "name=re").join("&")}`;
    expect(await found(world.view, "Individual", names(199))).toEqual(["p1"]);
    const outcome = await searchIn(world.view, "Individual", names(200));
    expect(outcome).toMatchObject({
      problem: { kind: "bad-request", detail: expect.stringMatching(/name is one of 201.*200 at most/) },
    });
  });

  it.each<[keyof typeof sortIndexes, string, string]>([
    ["Individual", "gender=f", "0, 1, 2, 9"],
    ["Individual", "role=boss", "head, spouse, child"],
    ["Group", "groupType=gang", "household, family, organization, other"],
    ["Program", "targetType=women", "individual, group"],
    ["ProgramMembership", "status=gone", "draft, enrolled"],
    ["Individual", "_sort=-", "_lastUpdated, identifier, name, birthdate"],
  ])("%s?%s is refused with the codes there are", async (type, query, codes) => {
    const outcome = await searchIn(world.view, type, query);
    expect(outcome.ok ? "" : outcome.problem.detail).toContain(`must be one of ${codes}`);
  });

  it("takes the codes that the deployment lists, and any where its list is open", async () => {
    const vocabularies = {
      "urn:iso:std:iso:5218": { codes: ["0", "1", "2", "9"], open: true },
      "urn:service:vocab:relationship": { codes: ["chief"] },
      "urn:type": { codes: ["cash", "over"] },
    };
    const { view } = createTestRegistry({ vocabularies });
    const asked = async (type: keyof typeof sortIndexes, query: string) =>
      (await searchIn(view, type, query)).ok;
    expect(await asked("Individual", "gender=f")).toBe(true);
    expect(await asked("Individual", "role=chief")).toBe(true);
    expect(await asked("Individual", "role=head")).toBe(false);
    expect(await asked("Program", "programType=urn:type|cash")).toBe(true);
    expect(await asked("Program", "programType=urn:type|other")).toBe(false);
    expect(await asked("Program", "programType=other")).toBe(true);
  });

  it("counts what is found in all, on any page, when asked", async () => {
    const counted = async (query: string) => unwrap(await searchIn(world.view, "Individual", query)).total;
    expect(await counted("limit=1")).toBeUndefined();
    expect(await counted("limit=1&_total=accurate")).toBe(4);
    expect(await counted("limit=1&role=head&_total=accurate")).toBe(2);
    expect(await counted("group=urn:group|g1&limit=1&_total=accurate&_sort=-name")).toBe(2);
    const { nextCursor } = unwrap(await searchIn(world.view, "Individual", "limit=1&role=head"));
    expect(await counted(`limit=1&role=head&_total=accurate&cursor=${nextCursor}`)).toBe(2);
  });

  it.each([
    ["_sort=name", "p2 p4 p1 p5"],
    ["_sort=-name", "p5 p1 p4 p2"],
    ["_sort=birthdate", "p2 p1 p5 p4"],
    ["_sort=-birthdate", "p5 p1 p2 p4"],
    ["_sort=-_lastUpdated", "p5 p4 p2 p1"],
    ["_sort=-identifier", "p5 p4 p2 p1"],
  ])("%s answers in the order %s, looking at indexes or at records", async (sort, expected) => {
    expect((await found(world.view, "Individual", sort)).join(" ")).toBe(expected);
    const all = "&birthdate=ne1800-01-01";
    const dated = expected.replace(/ ?p4 ?/, " ").trim();
    expect((await found(world.view, "Individual", sort + all)).join(" ")).toBe(dated);
  });

  it("shows neither photo nor extensions unasked, and what is asked for", async () => {
    const { data } = unwrap(await searchIn(world.view, "Individual", "identifier=p1"));
    expect(Object.keys(data[0] ?? {})).not.toContain("photo");
    expect(Object.keys(data[0] ?? {})).not.toContain("extension");
    const asked = "identifier=p1&_elements=photo,name.family&_extensions=*";
    expect(unwrap(await searchIn(world.view, "Individual", asked)).data).toEqual([
      {
        type: "Individual",
        identifier: [{ system: "urn:id", value: "p1" }],
        name: { family: "Reyes" },
        photo: expect.any(String),
        extension: { farmer: { url: "urn:service:extension:farmer", farmSize: 2 } },
      },
    ]);
  });

  it("refuses a cursor of another question, and takes one for another page size", async () => {
    const page = unwrap(await searchIn(world.view, "Individual", "active=any&name=reyes&limit=1"));
    const cursor = page.nextCursor ?? "";
    const go = (query: string) => searchIn(world.view, "Individual", `${query}&cursor=${cursor}`);
    expect(valuesOf(unwrap(await go("name=reyes&active=any&limit=7")))).toEqual(["p3"]);
    for (const other of ["name=reyes", "active=any&name=rey", "active=any&name=reyes&_sort=name"])
      expect((await go(other)).ok, other).toBe(false);
    expect((await searchIn(world.view, "Group", `cursor=${cursor}`)).ok).toBe(false);
    const elsewhere = world.as({ organization: "Other" });
    expect((await searchIn(elsewhere, "Individual", `name=reyes&active=any&cursor=${cursor}`)).ok).toBe(
      false,
    );
  });

  it("tells the audit trail of each search that shows someone, once, with all it shows", async () => {
    read.length = 0;
    await found(world.view, "Individual", "role=head&_elements=birthDate");
    await found(world.view, "Individual", "name=nobody");
    expect(read).toHaveLength(1);
    expect(read[0]).toMatchObject({
      action: "search",
      clientId: "operator",
      fields: ["type", "identifier", "birthDate"],
    });
    expect(read[0]?.records).toHaveLength(2);
  });
});

it("finds in a household of thousands whom a role is asked of, and pages through the rest", async () => {
  const { view } = await openWorld();
  const many = Array.from({ length: 60 }, (_, i) => person(`q${String(i).padStart(2, "0")}`));
  const entries = many.map((body) => ({ verb: "create", type: "Individual", body }) as const);
  unwrap(await view.transaction(entries));
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = unwrap(await view.individuals.search({ group: "none", limit: "7", cursor }));
    seen.push(...valuesOf(page));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  expect(seen).toEqual(["p4", "p5", ...many.map(({ identifier }) => identifier[0]?.value)]);
});

describe("the tables", () => {
  it("say of every parameter what it is, with an example that it takes", async () => {
    const { view } = await openWorld();
    for (const type of resourceTypes) {
      for (const [name, { description, example }] of Object.entries(searchParameters[type])) {
        expect(description.length, name).toBeGreaterThan(10);
        const outcome = await searchIn(view, type, `${name}=${example}`);
        expect(outcome.ok, `${type}?${name}=${example}`).toBe(true);
      }
    }
    for (const { description, example } of Object.values(answerParameters)) {
      expect(description.length).toBeGreaterThan(10);
      expect(example).not.toBe("");
    }
  });

  it("have the parameters and sort fields of the contract", () => {
    const common = ["identifier", "_lastUpdated"];
    const archivable = [...common, "active", "name", "name:exact"];
    expect(Object.keys(answerParameters).sort()).toEqual(
      ["_count", "_elements", "_extensions", "_sort", "_total", "cursor", "limit"].sort(),
    );
    const own = {
      Individual: [...archivable, "birthdate", "gender", "address", "telecom", "group", "role"],
      Group: [...archivable, "groupType", "member", "address"],
      Program: [...archivable, "status", "targetType", "programType"],
      ProgramMembership: [...common, "beneficiary", "program", "status", "enrollmentDate"],
    };
    for (const type of resourceTypes) {
      expect(Object.keys(searchParameters[type]).sort()).toEqual(own[type].sort());
    }
    const sorts = new Set(resourceTypes.flatMap((type) => Object.keys(sortIndexes[type])));
    expect([...sorts].sort()).toEqual(["_lastUpdated", "birthdate", "enrollmentDate", "identifier", "name"]);
  });
});
