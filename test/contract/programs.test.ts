import { unwrap } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { person, program, stores } from "./fixture.ts";
import { everything, seed, startWorld } from "./world.ts";

const writer = { id: "writer", scopes: everything, organization: "Ministry", legalBasis: "public_task" };

describe.each(stores)("programs on %s", (_name, open) => {
  const programs: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ["without an end", {}, "active"],
    ["whose period goes on", { period: { start: "2025-01-01", end: "2026-03-01" } }, "active"],
    ["whose period is over", { period: { start: "2025-01-01", end: "2026-02-28" } }, "ended"],
    ["that is archived", { active: false }, "ended"],
  ];
  it.each(programs)("one %s has its status derived", async (_case, more, status) => {
    const world = await startWorld({ open, clients: [writer] });
    await seed(world, [{ ...program, ...more }]);
    expect((await world.get("writer", "/Program/urn:service:program|cash")).body.status).toBe(status);
  });

  it("can't be created, replaced or patched over the resource endpoints", async () => {
    const world = await startWorld({ open, clients: [writer] });
    await seed(world, [program]);
    for (const [method, path] of [
      ["POST", "/Program"],
      ["PUT", "/Program/urn:service:program|cash"],
      ["PATCH", "/Program/urn:service:program|cash"],
      ["DELETE", "/Program/urn:service:program|cash"],
    ] as const) {
      expect((await world.send("writer", { method, path })).status, `${method} ${path}`).toBe(405);
    }
  });

  it("is for individuals or for groups", async () => {
    const world = await startWorld({ open, clients: [writer] });
    const bad = await world.view.programs.create({ ...program, targetType: "family" });
    expect(bad.ok ? "created" : bad.problem.errors?.[0]?.field).toBe("/targetType");
    for (const [value, targetType] of [
      ["1", "individual"],
      ["2", "group"],
    ]) {
      unwrap(
        await world.view.programs.create({
          ...program,
          identifier: [{ system: "urn:p", value }],
          targetType,
        }),
      );
    }
  });
});

describe.each(stores)("vocabularies and identifier systems on %s", (_name, open) => {
  const system = "urn:service:vocab:program-type";
  const concept = (code: string) => ({ coding: [{ system, code }] });
  const start = (registry: object) => startWorld({ open, clients: [writer], registry });

  it("a closed list refuses other codes, an open one takes them, and so does a system without a list", async () => {
    const closed = await start({ vocabularies: { [system]: { codes: ["cash"] } } });
    const refused = await closed.view.programs.create({ ...program, programType: concept("in_kind") });
    expect(refused.ok ? "created" : refused.problem.kind).toBe("validation");
    for (const vocabularies of [{}, { [system]: { codes: ["cash"], open: true } }]) {
      const world = await start({ vocabularies });
      unwrap(await world.view.programs.create({ ...program, programType: concept("in_kind") }));
    }
  });

  it("identifier systems are free unless there is a list", async () => {
    const vocabularies = { "urn:service:vocab:identifier-system": { codes: ["urn:gov:ph:nid"] } };
    const world = await start({ vocabularies });
    expect((await world.post("writer", "/Individual", person("1"))).status).toBe(201);
    const other = person("1", { identifier: [{ system: "urn:other", value: "1" }] });
    expect((await world.post("writer", "/Individual", other)).status).toBe(422);
    expect((await (await start({})).post("writer", "/Individual", other)).status).toBe(201);
  });
});
