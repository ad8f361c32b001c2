import { beforeEach, describe, expect, it } from "vitest";
import { bundle, entry, id } from "./bundle-world.ts";
import {
  type Answer,
  household,
  person,
  registrations,
  type Service,
  startService,
  stores,
} from "./fixture.ts";

const path = (value: string) => `/Group/urn:service:group|${value}`;
const ref = (value: string) => ({ reference: id(value) });
const home = (value: string, people: readonly string[], more = {}) => household(value, people.map(id), more);
const members = (...values: readonly string[]) => values.map((value) => ({ entity: ref(value) }));

describe.each(stores)("with one household for each person, on %s", (_name, open) => {
  let service: Service;
  const post = (to: string, body: unknown, as = "writer") =>
    service.call({ method: "POST", path: to, body, as });
  const patch = (value: string, body: unknown) =>
    service.call({ method: "PATCH", path: path(value), body, headers: { "If-Match": "*" } });
  const activeIn = async (value: string) => (await service.call({ path: path(value) })).body.quantity;
  const told = ({ status, body }: Answer) => [
    status,
    ...(body.errors ?? []).map(({ field, code }: Record<string, string>) => `${field} ${code}`),
  ];

  beforeEach(async () => {
    service = await startService({ open, registry: { policies: { oneHousehold: true } } });
    for (const value of ["1", "2", "3"]) await post("/Individual", person(value));
    await post("/Group", home("a", ["1", "2"], { name: "Reyes" }));
    await post("/Group", home("b", ["3"], { name: "Cruz" }));
  });

  it("a second one answers 409 and names who is in which", async () => {
    const answer = await post(`${path("b")}/$add-member`, { entity: ref("1") });
    expect(told(answer)).toEqual([409, "/entity other_household"]);
    expect(answer.body).toMatchObject({
      type: "urn:service:error:invalid-state",
      detail: expect.stringContaining("is a member of Reyes (Group/urn:service:group|a) already"),
      households: [
        {
          person: { reference: "Individual/urn:gov:ph:nid|1", display: expect.any(String) },
          household: { reference: "Group/urn:service:group|a", display: "Reyes" },
        },
      ],
    });
    expect(await activeIn("b")).toBe(1);
  });

  it("every person of a refused household is named, and nothing is written", async () => {
    const answer = await post("/Group", home("c", ["3", "1", "2"]));
    expect(told(answer).slice(1)).toHaveLength(3);
    expect(
      answer.body.households.map(({ household }: Record<string, { display: string }>) => household?.display),
    ).toEqual(["Cruz", "Reyes", "Reyes"]);
    expect((await service.call({ path: path("c") })).status).toBe(404);
  });

  it("groups of other types, archived ones and former members do not count", async () => {
    expect((await post("/Group", home("f", ["1"], { groupType: "family" }))).status).toBe(201);
    await post(`${path("a")}/$remove-member`, { entity: ref("1") });
    expect((await post("/Group", home("c", ["1"]))).status).toBe(201);
    await patch("b", { active: false });
    expect((await post("/Group", home("d", ["3"]))).status).toBe(201);
    expect(told(await patch("b", { active: true }))).toEqual([409, "/member/0/entity other_household"]);
    expect(told(await patch("f", { groupType: "household" }))).toEqual([
      409,
      "/member/0/entity other_household",
    ]);
  });

  const leave = entry(`POST ${path("a").slice(1)}/$remove-member`, { entity: ref("1") });
  const join = entry(`POST ${path("b").slice(1)}/$add-member`, { entity: ref("1") });
  const rename = entry(`POST ${path("a").slice(1)}/$add-member`, { entity: ref("3") });
  it.each([
    ["leaves and joins", [leave, join]],
    ["joins and leaves", [join, leave]],
    [
      "changes one of the households twice",
      [entry(`PATCH ${path("a").slice(1)}`, { name: "New" }, { ifMatch: "*" }), join, leave],
    ],
  ])("a transaction that %s moves a person", async (_how, entries) => {
    const { status } = await post("/$batch", bundle("transaction", ...entries));
    expect([status, await activeIn("a"), await activeIn("b")]).toEqual([200, 1, 2]);
  });

  it("a transaction that leaves a person in two is refused with the entry that joins", async () => {
    const twice = entry(`PATCH ${path("b").slice(1)}`, { name: "New" }, { ifMatch: "*" });
    for (const entries of [
      [leave, rename],
      [twice, rename, join],
    ]) {
      const { status, body } = await post("/$batch", bundle("transaction", ...entries));
      expect([status, body.type, body.entry]).toEqual([409, "urn:service:error:invalid-state", 1]);
    }
    expect([await activeIn("a"), await activeIn("b")]).toEqual([2, 1]);
  });

  it("a batch takes its entries one after the other", async () => {
    const early = await post("/$batch", bundle("batch", join, leave));
    expect(early.body.entry.map(({ response }: { response: Answer }) => response.status)).toEqual([409, 200]);
    expect((await post(`${path("b")}/$add-member`, { entity: ref("1") })).status).toBe(201);
  });

  it("$split and $merge move members", async () => {
    const identifier = [{ system: "urn:service:group", value: "s" }];
    const split = { identifier, name: "Santos", members: [ref("2")] };
    expect((await post(`${path("a")}/$split`, split)).status).toBe(201);
    const groups = (value: string) => ({ reference: `Group/urn:service:group|${value}` });
    expect((await post("/Group/$merge", { source: groups("s"), target: groups("b") })).status).toBe(200);
    expect([await activeIn("a"), await activeIn("b")]).toEqual([1, 2]);
  });

  it("of two at the same moment one wins, and the other is told", async () => {
    for (let round = 0; round < 10; round++) {
      const value = `r${round}`;
      await post("/Individual", person(value));
      const answers = await Promise.all([
        post(`${path("a")}/$add-member`, { entity: ref(value) }),
        post(`${path("b")}/$add-member`, { entity: ref(value) }),
        post("/Group", home(`c${round}`, [value])),
        patch("a", { member: members("1", "2", value) }),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status < 300).length).toBeGreaterThanOrEqual(1);
      const { groupMembership } = (await service.call({ path: `/${ref(value).reference}` })).body;
      expect(groupMembership).toHaveLength(1);
      await patch("a", { member: members("1", "2") });
    }
  });

  it("a person who moves area and joins at once is written once", async () => {
    const body = { address: [{ country: "PH", state: "Cebu", city: "Argao" }] };
    const moved = entry(`PATCH ${ref("1").reference}`, body, { ifMatch: "*" });
    const enrolled = await post("/$batch", bundle("transaction", leave, join, moved));
    expect(enrolled.status).toBe(200);
  });
});

it("who is in two from before the rule may leave either, and their households may change", async () => {
  const service = await startService();
  const policies = { oneHousehold: true };
  for (const value of ["1", "2"]) {
    await service.call({ method: "POST", path: "/Individual", body: person(value) });
  }
  for (const value of ["a", "b"]) {
    await service.call({ method: "POST", path: "/Group", body: home(value, ["1"]) });
  }
  const later = await startService({ open: async () => service.store, registry: { policies } });
  const call = (to: string, body: unknown) => later.call({ method: "POST", path: to, body });
  const named = { method: "PATCH", path: path("a"), body: { name: "New" }, headers: { "If-Match": "*" } };
  expect((await later.call(named)).status).toBe(200);
  expect((await call(`${path("a")}/$add-member`, { entity: ref("2") })).status).toBe(201);
  expect((await call(`${path("b")}/$remove-member`, { entity: ref("1") })).status).toBe(200);
});

it("a restricted caller learns that somebody has a household, not who and which", async () => {
  const partner = {
    ...{ id: "partner", secret: "partner-secret", legalBasis: "public_task" },
    scopes: ["registry:read", "registry:write"],
    fields: ["name", "groupType", "member"],
  };
  const service = await startService({
    registrations: [...registrations, partner],
    registry: { policies: { oneHousehold: true, refusedDuplicates: 2 } },
  });
  const call = (to: string, body: unknown, as: string) =>
    service.call({ method: "POST", path: to, body, as });
  await call("/Individual", person("1"), "writer");
  await call("/Group", home("a", ["1"], { name: "Reyes" }), "writer");
  const attempts = [];
  // Each process counts its own two.
  for (const value of ["v", "w", "x", "y", "z"]) {
    attempts.push(await call("/Group", home(value, ["1"]), "partner"));
  }
  const statuses = attempts.map(({ status }) => status);
  expect([statuses[0], statuses.at(-1)]).toEqual([409, 429]);
  expect(attempts[0]?.body.errors).toMatchObject([{ field: "/member", code: "other_household" }]);
  expect(attempts[0]?.body).not.toHaveProperty("households");
  expect(JSON.stringify(attempts)).not.toContain("Reyes");
});
