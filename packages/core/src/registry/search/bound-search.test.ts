import { describe, expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import type { Query } from "../../store/port.ts";
import { createTestRegistry, type TestRegistry } from "../../testing/test-registry.ts";
import type { RegistryView } from "../types.ts";
import { found, openWorld, searchIn } from "./test-world.ts";

const relief = { organization: "Relief", legalBasis: "consent" };

async function consents(
  world: TestRegistry,
  subject: string,
  { fields, type = "all" }: { readonly fields?: readonly string[]; readonly type?: string },
) {
  const scope = [
    fields
      ? { resourceType: type, fieldAccess: "custom", fields }
      : { resourceType: type, fieldAccess: "all" },
  ];
  const terms = { subject: { reference: subject }, grantee: { organization: "Relief" }, scope };
  unwrap(await world.view.consents.grant(terms));
}

async function openBound(
  given: readonly (readonly [string, { readonly fields?: readonly string[]; readonly type?: string }])[],
  policies = {},
): Promise<RegistryView> {
  const world = await openWorld({ policies });
  for (const [subject, terms] of given) await consents(world, subject, terms);
  return world.as(relief);
}

const p = (value: string) => `Individual/urn:id|${value}`;
const g = (value: string) => `Group/urn:group|${value}`;
const birth = { fields: ["birthDate"] };
const names = { fields: ["name"] };

type Given = Parameters<typeof openBound>[0];

describe("a caller bound by consents", () => {
  it.each<[string, Given, "Individual" | "Group" | "ProgramMembership", string, string]>([
    ["finds nobody without a consent", [], "Individual", "active=any", ""],
    ["finds whom a consent shows", [[p("p2"), {}]], "Individual", "", "p2"],
    ["finds the members of a group that consents", [[g("g1"), {}]], "Individual", "", "p1 p2"],
    ["finds the enrollments of who consents", [[g("g1"), {}]], "ProgramMembership", "", "m1"],
    ["finds no other type than the consent names", [[g("g1"), { type: "Group" }]], "Individual", "", ""],
    [
      "finds by a field that it sees",
      [
        [p("p1"), birth],
        [p("p2"), birth],
      ],
      "Individual",
      "birthdate=1990-01-01",
      "p1",
    ],
    ["finds nobody by a hidden field", [[p("p1"), names]], "Individual", "birthdate=1990-01-01", ""],
    [
      "finds nobody by a hidden field not having a value",
      [[p("p1"), names]],
      "Individual",
      "birthdate=ne1800-01-01",
      "",
    ],
    [
      "finds nobody by the hidden part of a name",
      [[p("p1"), { fields: ["name.family"] }]],
      "Individual",
      "name=ana",
      "",
    ],
    [
      "finds by the part of a name that it sees",
      [[p("p1"), { fields: ["name.family"] }]],
      "Individual",
      "name:exact=reyes",
      "p1",
    ],
    [
      "finds by identifiers, which it always sees",
      [[p("p2"), birth]],
      "Individual",
      "identifier=urn:other|2\\,2",
      "p2",
    ],
    [
      "is not told by active what it may not see",
      [
        [p("p1"), birth],
        [p("p3"), birth],
      ],
      "Individual",
      "",
      "p1 p3",
    ],
    [
      "finds nobody by active when it is hidden",
      [
        [p("p1"), birth],
        [p("p3"), birth],
      ],
      "Individual",
      "active=true",
      "",
    ],
    [
      "leaves out archived ones that it sees to be",
      [
        [p("p1"), {}],
        [p("p3"), {}],
      ],
      "Individual",
      "",
      "p1",
    ],
    [
      "finds archived ones that it sees to be",
      [
        [p("p1"), {}],
        [p("p3"), {}],
      ],
      "Individual",
      "active=false",
      "p3",
    ],
    ["finds nobody by a hidden change", [[p("p1"), birth]], "Individual", "_lastUpdated=ge2020-01-01", ""],
    ["finds nobody by hidden groups", [[p("p1"), birth]], "Individual", "group=urn:group|g1", ""],
    ["is not told who has no group", [[p("p4"), birth]], "Individual", "group=none", ""],
    [
      "finds by groups that it sees",
      [[p("p1"), { fields: ["groupMembership"] }]],
      "Individual",
      "group=urn:group|g1&role=head",
      "p1",
    ],
    [
      "finds who has no group, when it sees groups",
      [[p("p4"), { fields: ["groupMembership"] }]],
      "Individual",
      "group=none",
      "p4",
    ],
    [
      "finds by a role only where it sees roles",
      [[p("p1"), { fields: ["groupMembership.group"] }]],
      "Individual",
      "role=head",
      "",
    ],
    [
      "does not learn another identifier of a hidden group",
      [[p("p1"), { fields: ["groupMembership"] }]],
      "Individual",
      "group=urn:old|1",
      "",
    ],
    [
      "finds by another identifier of a group that it sees",
      [[g("g1"), {}]],
      "Individual",
      "group=urn:old|1",
      "p1 p2",
    ],
    [
      "finds groups by members that it sees",
      [[g("g2"), { fields: ["member"] }]],
      "Group",
      "member=Individual/urn:id|p2",
      "g2",
    ],
    [
      "finds no group by hidden members",
      [[g("g2"), { fields: ["name"] }]],
      "Group",
      "member=Individual/urn:id|p2",
      "",
    ],
    [
      "does not learn another identifier of a hidden member",
      [[g("g2"), { type: "Group" }]],
      "Group",
      "member=Individual/urn:other|2%2C2",
      "",
    ],
    [
      "finds enrollments by a beneficiary that it sees",
      [[g("g1"), { type: "ProgramMembership" }]],
      "ProgramMembership",
      "beneficiary=Group/urn:group|g1&program=Program/urn:program|cash",
      "m1",
    ],
    [
      "finds no enrollment by a hidden state",
      [[g("g1"), { type: "ProgramMembership", fields: ["program"] }]],
      "ProgramMembership",
      "status=enrolled",
      "",
    ],
  ])("%s", async (...[, given, type, query, expected]) => {
    const view = await openBound(given);
    expect((await found(view, type, query)).join(" ")).toBe(expected);
  });

  it("gets what it sees, in the order of what it sees, counted, a page at a time", async () => {
    const view = await openBound([
      [p("p1"), birth],
      [p("p2"), birth],
      [p("p4"), names],
      [p("p5"), names],
    ]);
    const seen: unknown[] = [];
    for (let cursor: string | undefined; ; ) {
      const parameters = { _sort: "birthdate", limit: "1", _total: "accurate", cursor };
      const page = unwrap(await view.individuals.search(parameters));
      expect(page.total).toBe(4);
      seen.push(...page.data);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    const identifier = (value: string) => [{ system: "urn:id", value }];
    const both = [...identifier("p2"), { system: "urn:other", value: "2,2" }];
    expect(seen).toEqual([
      { type: "Individual", identifier: both, birthDate: "1985-05-05" },
      { type: "Individual", identifier: identifier("p1"), birthDate: "1990-01-01" },
      { type: "Individual", identifier: identifier("p4"), name: { text: "Lone Wolf" } },
      { type: "Individual", identifier: identifier("p5"), name: { family: "Santos", text: "Santos" } },
    ]);
  });

  it("sees identifiers of everybody where the policy says so, and finds by nothing else", async () => {
    const view = await openBound([], { withoutConsent: "identifiers" });
    const page = unwrap(await searchIn(view, "Individual", "limit=2&_total=accurate"));
    expect(page).toMatchObject({ total: 5, hasMore: true });
    expect(page.data[0]).toEqual({
      type: "Individual",
      identifier: [{ system: "urn:id", value: "p1" }],
      _consent: { status: "none" },
    });
    expect(await found(view, "Individual", "identifier=p5")).toEqual(["p5"]);
    expect(await found(view, "Individual", "name=reyes")).toEqual([]);
  });

  it("does not learn from how hard the store works whether a reference leads to somebody hidden", async () => {
    const world = await openWorld();
    await consents(world, p("p4"), {});
    const calls: string[] = [];
    const store = new Proxy(world.store, {
      get:
        (target, name: keyof typeof world.store) =>
        (...args: never[]) => {
          calls.push(name);
          return (target[name] as (...given: never[]) => unknown)(...args);
        },
    });
    const watched = createTestRegistry({ store }).as(relief);
    const work = async (type: "Individual" | "Group", query: string) => {
      calls.length = 0;
      expect(await found(watched, type, query)).toEqual([]);
      return [...calls];
    };
    const hidden = await work("Individual", "group=urn:group|g1");
    expect(hidden).toContain("query");
    expect(await work("Individual", "group=urn:group|nothing")).toEqual(hidden);
    const member = await work("Group", "member=Individual/urn:id|p1");
    expect(await work("Group", "member=Individual/urn:id|nobody")).toEqual(member);
  });
});

describe("a caller with a list of fields", () => {
  it("finds by these alone, whatever law lets it see", async () => {
    const world = await openWorld();
    const view = world.as({ legalBasis: "public_task", fields: ["birthDate"] });
    expect(await found(view, "Individual", "birthdate=1990-01-01")).toEqual(["p1"]);
    expect(await found(view, "Individual", "name=ana")).toEqual([]);
    expect(await found(view, "Individual", "_sort=name")).toEqual(["p1", "p2", "p3", "p4", "p5"]);
    expect(await found(view, "Individual", "_sort=-birthdate")).toEqual(["p5", "p1", "p2", "p4", "p3"]);
    const { data } = unwrap(await searchIn(view, "Individual", "identifier=p1"));
    expect(data).toEqual([
      { type: "Individual", identifier: [{ system: "urn:id", value: "p1" }], birthDate: "1990-01-01" },
    ]);
  });

  it("lets the store look for what it sees of everybody, and for nothing else", async () => {
    const world = await openWorld();
    const asked: Query[] = [];
    const query = (one: Query) => {
      asked.push(one);
      return world.store.query(one);
    };
    const watched = createTestRegistry({ store: { ...world.store, query } });
    const view = watched.as({ legalBasis: "public_task", fields: ["birthDate", "name.family"] });
    expect(await found(view, "Individual", "name=reyes&birthdate=1990-01-01&identifier=p1&gender=2")).toEqual(
      [],
    );
    expect(await found(view, "Individual", "name=reyes&birthdate=1990-01-01&identifier=p1")).toEqual(["p1"]);
    const looked = asked.filter(({ collection }) => collection === "Individual");
    const indexes = looked.flatMap(({ where = [] }) => where.map(({ index }) => index));
    expect([...new Set(indexes)].sort()).toEqual(["birthdate", "identifier"]);
  });

  it("sees whether a program has ended only by its status", async () => {
    const world = await openWorld();
    const some = (fields: readonly string[]) => world.as({ legalBasis: "public_task", fields });
    expect(await found(some(["name"]), "Program", "status=ended")).toEqual([]);
    expect(await found(some(["status"]), "Program", "status=ended")).toEqual(["over"]);
    expect(await found(some(["status"]), "Program", "status=active")).toEqual(["cash"]);
  });
});
