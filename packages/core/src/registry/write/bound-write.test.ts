import { describe, expect, it } from "vitest";
import type { ConsentScope } from "../../consent/types.ts";
import type { Json, JsonObject } from "../../json.ts";
import { type Outcome, unwrap } from "../../problem.ts";
import { farmer } from "../../resource/extensions.ts";
import { createTestRegistry, type TestRegistryOptions } from "../../testing/test-registry.ts";

const system = "urn:gov:id";
const address = `${system}|1`;
const subject = { reference: `Individual/${address}` };

const scope = (more: Partial<ConsentScope> = {}) => [{ resourceType: "all", fieldAccess: "all", ...more }];
const custom = (...fields: string[]) => scope({ fieldAccess: "custom", fields });

const person = (value: string, more: object = {}) => ({
  type: "Individual",
  identifier: [{ system, value }],
  name: { family: "Reyes", given: "Ana" },
  birthDate: "1990-01-01",
  ...more,
});

async function open(options: TestRegistryOptions = {}) {
  const test = createTestRegistry({ extensions: [farmer], ...options });
  const { view } = test;
  unwrap(await view.individuals.create(person("1", { extension: { farmer: { farmSize: 2 } } })));
  const bound = { organization: "Relief", legalBasis: "consent" };
  const grant = async (scopes: readonly object[], more: object = {}) =>
    unwrap(
      await view.consents.grant({ subject, grantee: { organization: "Relief" }, scope: scopes, ...more }),
    );
  return { ...test, relief: test.as(bound), grant };
}

const any = { ifMatch: "*" } as const;
const problemOf = (outcome: Outcome<unknown>) => (outcome.ok ? undefined : outcome.problem);
const fieldsOf = (outcome: Outcome<unknown>) => problemOf(outcome)?.errors?.map(({ field }) => field);

describe("a write of a caller bound by consents", () => {
  it.each([
    [
      "PATCH",
      (view: Awaited<ReturnType<typeof open>>["relief"], at: string) =>
        view.individuals.patch(at, { name: { family: "Cruz" } }, any),
    ],
    [
      "PUT",
      (view: Awaited<ReturnType<typeof open>>["relief"], at: string) =>
        view.individuals.replace(at, person("1"), any),
    ],
    [
      "PATCH without If-Match",
      (view: Awaited<ReturnType<typeof open>>["relief"], at: string) => view.individuals.patch(at, {}, {}),
    ],
    [
      "a read of the history",
      (view: Awaited<ReturnType<typeof open>>["relief"], at: string) => view.individuals.history(at),
    ],
  ])("answers %s of a hidden record like that of an unknown one", async (_, act) => {
    const { relief } = await open();
    const [hidden, unknown] = [await act(relief, address), await act(relief, `${system}|9`)];
    expect(problemOf(hidden)?.kind).toBe("authorization");
    expect(JSON.stringify(hidden).replaceAll("|1", "|9")).toBe(JSON.stringify(unknown));
  });

  it("is refused where it names hidden fields, each of them", async () => {
    const { relief, grant, view } = await open();
    await grant(custom("name.family", "gender"));
    const patch = { name: { family: "A", given: "B" }, birthDate: null, extension: { farmer: null } };
    const refused = await relief.individuals.patch(address, patch, any);
    expect(problemOf(refused)?.kind).toBe("authorization");
    expect(fieldsOf(refused)).toEqual(["/name/given", "/birthDate", "/extension/farmer"]);
    const put = await relief.individuals.replace(address, person("1"), any);
    expect(fieldsOf(put)).toEqual(["/name/given", "/birthDate"]);
    expect(unwrap(await view.individuals.read(address)).meta.versionId).toBe("1");
  });

  const unknown: readonly (readonly [string, object, string])[] = [
    ["a member", { zz: 1 }, "/zz unknown_field"],
    ["a member below", { name: { family: "A", zz: 1 } }, "/name/zz unknown_field"],
    ["a member named as an object has one", { toString: 1 }, "/toString unknown_field"],
    ["a member with a slash", { "birthDate/x": 1 }, "/birthDate~1x unknown_field"],
    ["an extension", { extension: { zz: {} } }, "/extension/zz unknown_extension"],
  ];
  it.each(unknown)("is not valid where it names %s that there is not", async (_what, patch, fault) => {
    const { relief, grant, as, view } = await open();
    await grant(custom("name.family", "identifier"));
    const fields = ["identifier", "name.family"];
    const limited = as({ organization: "Bank", legalBasis: "contract", fields });
    for (const caller of [relief, limited]) {
      const refused = await caller.individuals.patch(address, patch, any);
      expect(problemOf(refused)?.kind).toBe("validation");
      expect(problemOf(refused)?.errors?.map(({ field, code }) => `${field} ${code}`)).toEqual([fault]);
      const hidden = await caller.individuals.patch(address, { ...patch, birthDate: "1991-01-01" }, any);
      expect(problemOf(hidden)?.kind).toBe("authorization");
      expect(fieldsOf(hidden)).toEqual(["/birthDate"]);
    }
    const created = await limited.individuals.create({
      ...{ type: "Individual", identifier: [{ system, value: "2" }], name: { family: "Cruz" } },
      ...patch,
    });
    expect(problemOf(created)?.kind).toBe("validation");
    expect(unwrap(await view.individuals.read(address)).meta.versionId).toBe("1");
  });

  describe("that names no extension in `extension`", () => {
    type View = Awaited<ReturnType<typeof open>>["view"];
    const patch = (extension: Json) => (view: View) => view.individuals.patch(address, { extension }, any);
    const acts: readonly (readonly [string, (view: View) => Promise<Outcome<unknown>>])[] = [
      ["PATCH with an empty one", patch({})],
      ["PATCH that clears an unknown one", patch({ zz: null })],
      [
        "PUT with an empty one",
        (view) => view.individuals.replace(address, person("1", { extension: {} }), any),
      ],
      [
        "an entry of a transaction",
        (view) =>
          view.transaction([
            { verb: "patch", type: "Individual", address, body: { extension: {} }, ifMatch: "*" },
          ]),
      ],
    ];
    const held: readonly (readonly [string, Json | undefined])[] = [
      ["an extension", { farmer: { url: "urn:service:extension:farmer", farmSize: 2 } }],
      ["none", undefined],
      ["an empty object, as earlier versions kept it", {}],
    ];
    const cases = acts.flatMap(([what, act]) => held.map(([had, value]) => [what, had, act, value] as const));
    it.each(cases)("changes nothing by %s where the record has %s", async (_what, _had, act, value) => {
      const { relief, grant, as, view, store } = await open();
      await grant(scope());
      const { documents } = await store.query({ collection: "Individual", limit: 1 });
      const put = documents.map(({ version, body, ...rest }) => {
        const { record: whole, ...beside } = body as JsonObject;
        const { extension: _, ...record } = whole as JsonObject;
        const extension = value === undefined ? {} : { extension: value };
        return { ...rest, version: version + 1, body: { ...beside, record: { ...record, ...extension } } };
      });
      expect(await store.commit({ put })).toMatchObject({ ok: true });
      const limited = as({ organization: "Bank", legalBasis: "contract", fields: ["name", "birthDate"] });
      const told = [];
      for (const caller of [relief, limited, view]) {
        told.push((await act(caller)).ok);
        expect(unwrap(await view.individuals.read(address)).meta.versionId).toBe("1");
        expect(unwrap(await view.individuals.history(address)).data.length).toBe(1);
      }
      expect(told).toEqual([true, true, true]);
      const read = unwrap(await view.individuals.read(address, { extensions: "*" }));
      expect(JSON.stringify(read.extension ?? {})).toBe(JSON.stringify(value ?? {}));
    });
  });

  it("is refused where it names a hidden extension with a slash in its name", async () => {
    const odd = { ...farmer, name: "a/b~c" };
    const { as } = await open({ extensions: [farmer, odd] });
    const limited = as({ organization: "Bank", legalBasis: "contract", fields: ["name"] });
    const refused = await limited.individuals.patch(address, { extension: { "a/b~c": {} } }, any);
    expect(problemOf(refused)?.kind).toBe("authorization");
    expect(fieldsOf(refused)).toEqual(["/extension/a~1b~0c"]);
  });

  it("changes what it sees, keeps what it does not, and is answered with what it sees", async () => {
    const { relief, grant, view } = await open();
    await grant(custom("name.family", "gender"));
    const gender = { coding: [{ system: "urn:iso:std:iso:5218", code: "2" }] };
    const sent = { type: "Individual", identifier: person("1").identifier, name: { family: "Cruz" }, gender };
    const put = unwrap(await relief.individuals.replace(address, sent, any));
    expect(put).toMatchObject({ versionId: "2", record: sent });
    expect(Object.keys(put.record).sort()).toEqual(["gender", "identifier", "name", "type"]);
    const whole = unwrap(await view.individuals.read(address, { extensions: "*" }));
    expect(whole).toMatchObject({
      name: { family: "Cruz", given: "Ana" },
      birthDate: "1990-01-01",
      extension: { farmer: { farmSize: 2 } },
    });
  });

  it.each([
    ["its enrollments", [{ resourceType: "Individual", fieldAccess: "all" }]],
    [
      "its active",
      [
        { resourceType: "Individual", fieldAccess: "custom", fields: ["name"] },
        { resourceType: "ProgramMembership", fieldAccess: "all" },
      ],
    ],
    ["whose they are", scope({ fieldAccess: "basic" })],
  ])(
    "enrolls nobody of whom it doesn't see %s, and is answered the same whatever is so",
    async (_, scopes) => {
      const { relief, grant, view } = await open();
      await grant(scopes);
      const program = { reference: `Program/${system}|p` };
      const identifier = [{ system, value: "p" }];
      unwrap(
        await view.transaction(
          [
            {
              verb: "create",
              type: "Program",
              body: { type: "Program", identifier, name: "P", targetType: "individual" },
            },
          ],
          { trusted: true },
        ),
      );
      const enrollment = {
        type: "ProgramMembership",
        program,
        beneficiary: subject,
        status: "enrolled",
      };
      const ask = () => relief.memberships.create(enrollment);
      const refused = await ask();
      expect([problemOf(refused)?.kind, fieldsOf(refused)]).toEqual(["authorization", ["/beneficiary"]]);
      unwrap(await view.memberships.create(enrollment));
      expect(await ask()).toEqual(refused);
      unwrap(await view.individuals.patch(address, { active: false }, any));
      expect(await ask()).toEqual(refused);
      const own = { ...enrollment, beneficiary: { reference: `Individual/${system}|8` } };
      const both = await relief.transaction([
        { verb: "create", type: "Individual", body: person("8") },
        { verb: "create", type: "ProgramMembership", body: own },
      ]);
      expect(both.ok).toBe(true);
    },
  );

  describe("that adds a member", () => {
    const basic = scope({ resourceType: "Individual", fieldAccess: "basic" });
    const groupOnly = scope({ resourceType: "Group" });
    const all = { resourceType: "ProgramMembership", fieldAccess: "all" };
    const cases: readonly (readonly [string, object[][], object, boolean])[] = [
      ["whom the group's consent shows it more of", [basic, scope()], {}, false],
      ["whose enrollments it shows", [basic, [...basic, all]], {}, false],
      ["whose extensions it shows", [scope(), scope({ extensions: ["farmer"] })], {}, false],
      ["of whom it shows more for another purpose", [basic, scope()], { purpose: "research" }, false],
      ["where it shows nothing of members", [basic, groupOnly], {}, true],
      ["where it shows no more than is seen anyway", [scope(), basic], {}, true],
    ];
    it.each(cases)("%s", async (_, [ofPerson = [], ofGroup = []], terms, free) => {
      const { relief, grant, view } = await open();
      const group = {
        type: "Group",
        identifier: [{ system, value: "g" }],
        groupType: "household",
        name: "G",
        member: [],
      };
      unwrap(await view.groups.create(group));
      await grant(ofPerson);
      const giver = { subject: { reference: `Group/${system}|g` } };
      await grant(ofGroup, { ...giver, ...terms });
      await grant(groupOnly, giver);
      const item = { entity: subject };
      const add = await relief.groups.addMember(`${system}|g`, item);
      if (!free) {
        expect([problemOf(add)?.kind, fieldsOf(add)]).toEqual(["authorization", ["/entity"]]);
        const patch = await relief.groups.patch(`${system}|g`, { member: [item] }, any);
        expect([problemOf(patch)?.kind, fieldsOf(patch)]).toEqual(["authorization", ["/member/0/entity"]]);
      }
      expect(add.ok).toBe(free);
      expect(unwrap(await view.groups.read(`${system}|g`)).quantity).toBe(free ? 1 : 0);
    });
  });

  it("creates what it likes within its own fields, and sees of it what consents show", async () => {
    const { relief, as } = await open();
    const made = unwrap(await relief.individuals.create(person("5")));
    expect(made.record).toEqual({
      type: "Individual",
      identifier: [{ system, value: "5" }],
      _consent: { status: "none" },
    });
    const narrow = as({ fields: ["name", "meta"] });
    const { birthDate: _, ...nameOnly } = person("6");
    expect(fieldsOf(await narrow.individuals.create(person("6")))).toEqual(["/birthDate"]);
    expect(Object.keys(unwrap(await narrow.individuals.create(nameOnly)).record).sort()).toEqual([
      "identifier",
      "meta",
      "name",
      "type",
    ]);
  });

  it("may not refer to a hidden record, as little as to an unknown one", async () => {
    const { relief } = await open();
    const group = (value: string) => ({
      type: "Group",
      identifier: [{ system: "urn:g", value: "h" }],
      groupType: "household",
      name: "H",
      member: [{ entity: { reference: `Individual/${system}|${value}` } }],
    });
    const [hidden, unknown] = [
      await relief.groups.create(group("1")),
      await relief.groups.create(group("9")),
    ];
    expect(fieldsOf(hidden)).toEqual(["/member/0/entity/reference"]);
    expect(JSON.stringify(hidden).replaceAll("|1", "|9")).toBe(JSON.stringify(unknown));
  });

  it("is answered a second time with what it may see by then", async () => {
    const { relief, grant, view } = await open();
    const { id } = await grant(scope());
    const options = { ...any, idempotency: { key: "k", fingerprint: "a" } };
    const first = unwrap(await relief.individuals.patch(address, { name: { given: "Bea" } }, options));
    expect(first.record).toMatchObject({ birthDate: "1990-01-01" });
    await view.consents.revoke(id);
    const second = unwrap(await relief.individuals.patch(address, { name: { given: "Bea" } }, options));
    expect(second).toMatchObject({ replayed: true, versionId: "" });
    expect(second.record).toEqual({
      type: "Individual",
      identifier: [{ system, value: "1" }],
      _consent: { status: "none" },
    });
  });

  it("may write nothing of a record of which it knows the identifiers alone", async () => {
    const { relief } = await open({ policies: { withoutConsent: "identifiers" } });
    const identifier = [{ system, value: "2" }];
    expect(fieldsOf(await relief.individuals.patch(address, { identifier }, any))).toEqual(["/identifier"]);
    for (const ifMatch of [any, { ifMatch: ["77"] }, {}])
      expect(problemOf(await relief.individuals.patch(address, {}, ifMatch))?.kind).toBe("authorization");
    expect(problemOf(await relief.individuals.patch(`${system}|9`, {}, any))?.kind).toBe("not-found");
  });
});

describe("PUT", () => {
  it("keeps an extension that it does not name, and takes one away that is null", async () => {
    const { view } = await open();
    unwrap(await view.individuals.replace(address, person("1"), any));
    const extension = async () =>
      unwrap(await view.individuals.read(address, { extensions: "*" })).extension?.farmer;
    expect(await extension()).toMatchObject({ farmSize: 2 });
    unwrap(await view.individuals.replace(address, person("1", { extension: { farmer: null } }), any));
    expect(await extension()).toBeUndefined();
  });
});
