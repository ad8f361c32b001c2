import { describe, expect, it } from "vitest";
import { ana, consentWorld, home, stay } from "./consent-world.ts";
import { household, stores } from "./fixture.ts";
import { everything, type World } from "./world.ts";

const shared = ["name", "active", "member", "groupType", "address", "program", "beneficiary", "status"];
const clerk = { id: "clerk", scopes: everything, legalBasis: "contract", fields: shared };
const other = { reference: "Group/urn:service:group|other" };

async function open(store: (typeof stores)[number][1], policies = {}): Promise<World> {
  const world = await consentWorld(store, { policies }, [clerk]);
  await world.post("ministry", "/Group", household("other", []));
  for (const subject of [ana, home, other.reference]) await world.grant({ subject, organization: "Helpers" });
  return world;
}

const number = { system: "urn:gov:ph:nid", value: "1" };
const enrolled = {
  type: "ProgramMembership",
  program: { reference: "Program/urn:service:program|people" },
  beneficiary: { reference: ana },
  status: "enrolled",
};
const group = (more: Readonly<Record<string, unknown>>) => household("home", [], more);

type Send = readonly [
  method: "PATCH" | "PUT" | "POST",
  path: string,
  body: Readonly<Record<string, unknown>>,
];
const send = (world: World, client: string, [method, path, body]: Send) =>
  world.send(client, { method, path, body: { ...body }, headers: { "If-Match": "*" } });

describe.each(stores)("a restricted caller on %s", (_name, store) => {
  const changes: readonly (readonly [string, string, Send])[] = [
    ["another identifier", "/identifier", ["PATCH", `/${ana}`, { identifier: [{ ...number, value: "9" }] }]],
    [
      "one identifier more",
      "/identifier",
      ["PATCH", `/${ana}`, { identifier: [number, { ...number, value: "9" }] }],
    ],
    [
      "a period of an identifier",
      "/identifier",
      ["PATCH", `/${ana}`, { identifier: [{ ...number, period: { start: "2026-01-01" } }] }],
    ],
    ["archiving", "/active", ["PATCH", `/${ana}`, { active: false }]],
    [
      "a PUT with another identifier",
      "/identifier",
      ["PUT", `/${home}`, group({ identifier: [{ ...number, value: "9" }] })],
    ],
    ["a PUT that archives", "/active", ["PUT", `/${home}`, group({ active: false })]],
    [
      "an enrollment's identifier",
      "/identifier",
      ["PUT", `/${stay}`, { ...enrolled, identifier: [{ ...number, value: "9" }] }],
    ],
    [
      "$merge, which archives the source",
      "/source",
      ["POST", "/Group/$merge", { source: other, target: { reference: home } }],
    ],
  ];
  it.each(changes)("is refused %s, unless the deployment allows it", async (_change, field, request) => {
    for (const client of ["ngo", "clerk"]) {
      const world = await open(store);
      const refused = await send(world, client, request);
      expect([refused.status, refused.body.errors]).toEqual([
        403,
        [{ field, code: "restricted_field", message: "is not yours to change; leave it as it is" }],
      ]);
      expect((await send(world, "ministry", request)).status).toBe(200);
      const free = await open(store, { restrictedWrites: ["identifier", "active"] });
      expect((await send(free, client, request)).status).toBe(200);
    }
  });

  it("may change the member alone that the deployment names", async () => {
    const world = await open(store, { restrictedWrites: ["active"] });
    const ask = (body: Readonly<Record<string, unknown>>) => send(world, "ngo", ["PATCH", `/${ana}`, body]);
    expect((await ask({ active: false })).status).toBe(200);
    expect((await ask({ active: true, identifier: [] })).body.errors).toMatchObject([
      { field: "/identifier" },
    ]);
  });

  const same: readonly (readonly [string, Send])[] = [
    [
      "the identifiers that are there",
      ["PATCH", `/${ana}`, { identifier: [number], name: { given: "Eva" } }],
    ],
    ["the active that is there", ["PATCH", `/${ana}`, { active: true, name: { given: "Eva" } }]],
    ["a PUT with the same ones", ["PUT", `/${home}`, group({ active: true, name: "Other" })]],
    ["a PUT without active, of a record that is active", ["PUT", `/${home}`, group({ name: "Other" })]],
    [
      "an enrollment without identifiers, which keeps its own",
      ["PUT", `/${stay}`, { ...enrolled, status: "paused" }],
    ],
  ];
  it.each(same)("may send %s", async (_case, request) => {
    for (const client of ["ngo", "clerk"]) {
      const answer = await send(await open(store), client, request);
      expect([answer.status, answer.headers.get("ETag")]).toEqual([200, '"2"']);
    }
  });

  it("is told first that somebody else changed the record", async () => {
    const world = await open(store);
    await world.change("ministry", "PATCH", `/${ana}`, { identifier: [number, { ...number, value: "9" }] });
    const { body: whole } = await world.get("ngo", `/${ana}`);
    const sent = { ...whole, identifier: [number], meta: undefined };
    const answer = await world.send("ngo", {
      method: "PUT",
      path: `/${ana}`,
      body: sent,
      headers: { "If-Match": '"1"' },
    });
    expect([answer.status, answer.body.type]).toEqual([409, "urn:service:error:conflict"]);
  });

  it("creates records with identifiers of its own", async () => {
    const world = await open(store);
    expect((await world.post("ngo", "/Group", household("new", [], { active: false }))).status).toBe(201);
  });
});
