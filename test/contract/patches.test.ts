import { beforeEach, describe, expect, it } from "vitest";
import { household, person, stores } from "./fixture.ts";
import { everything, seed, startWorld, type World } from "./world.ts";

const writer = { id: "writer", scopes: everything, organization: "Ministry", legalBasis: "public_task" };

describe.each(stores)("PUT and PATCH on %s", (_name, open) => {
  let world: World;
  const path = "/Individual/urn:gov:ph:nid|1";
  const address = [{ type: "physical", city: "Imus", country: "PH" }];
  beforeEach(async () => {
    world = await startWorld({ open, clients: [writer] });
    await seed(world, [
      person("1", {
        birthDate: "1990-01-01",
        telecom: [
          { system: "phone", value: "1" },
          { system: "phone", value: "2" },
        ],
        address,
      }),
    ]);
  });

  const patches: readonly (readonly [string, Record<string, unknown>, Record<string, unknown>])[] = [
    [
      "arrays replace",
      { telecom: [{ system: "phone", value: "3" }] },
      { telecom: [{ system: "phone", value: "3" }], birthDate: "1990-01-01" },
    ],
    ["null clears", { birthDate: null }, { birthDate: undefined, address }],
    [
      "nested objects merge",
      { name: { middle: "L." } },
      { name: { family: "Reyes", given: "Ana", middle: "L.", text: "Ana L. Reyes" } },
    ],
    [
      "null in a nested object clears it",
      { name: { given: null } },
      { name: { family: "Reyes", text: "Reyes" } },
    ],
    [
      "an empty patch changes nothing",
      {},
      { birthDate: "1990-01-01", meta: expect.objectContaining({ versionId: "1" }) },
    ],
  ];
  it.each(patches)("PATCH: %s", async (_case, patch, expected) => {
    const { status, body } = await world.change("writer", "PATCH", path, patch);
    expect(status).toBe(200);
    for (const [name, value] of Object.entries(expected)) expect(body[name], name).toEqual(value);
  });

  it.each([
    ["identifier", "Individual"],
    ["name", "Individual"],
    ["type", "Individual"],
  ])("PATCH that clears %s is refused", async (name) => {
    const { status, body } = await world.change("writer", "PATCH", path, {
      [name]: null,
      birthDate: "1991-01-01",
    });
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([422, [`/${name}`]]);
    expect((await world.get("writer", path)).body.birthDate).toBe("1990-01-01");
  });

  it("PUT replaces: what is not sent is gone", async () => {
    const { body } = await world.change("writer", "PUT", path, person("1"));
    expect(body).not.toHaveProperty("birthDate");
    expect(body).not.toHaveProperty("telecom");
  });

  it("PUT may give up an identifier, which then is free, and take another", async () => {
    const renamed = person("2");
    expect((await world.change("writer", "PUT", path, renamed)).status).toBe(200);
    expect((await world.get("writer", path)).status).toBe(404);
    expect((await world.get("writer", "/Individual/urn:gov:ph:nid|2")).status).toBe(200);
    expect((await world.post("writer", "/Individual", person("1"))).status).toBe(201);
  });

  it("a write that takes an identifier of an archived record is a duplicate that changes nothing", async () => {
    await seed(world, [person("2")]);
    await world.change("writer", "PATCH", "/Individual/urn:gov:ph:nid|2", { active: false });
    const both = {
      identifier: [
        { system: "urn:gov:ph:nid", value: "1" },
        { system: "urn:gov:ph:nid", value: "2" },
      ],
    };
    const { status, body } = await world.change("writer", "PATCH", path, both);
    expect([status, body.type, body.existing]).toEqual([
      409,
      "urn:service:error:duplicate",
      "Individual/urn:gov:ph:nid|2",
    ]);
    expect((await world.get("writer", path)).body.meta.versionId).toBe("1");
  });

  it("an identifier may be held by records of different types", async () => {
    const group = household("x", [], { identifier: [{ system: "urn:gov:ph:nid", value: "1" }] });
    expect((await world.post("writer", "/Group", group)).status).toBe(201);
  });
});
