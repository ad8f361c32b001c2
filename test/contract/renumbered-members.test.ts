import { beforeEach, describe, expect, it } from "vitest";
import { person, type Service, startService, stores } from "./fixture.ts";

const system = "urn:gov:ph:nid";
const home = "/Group/urn:test:group|home";

describe.each(stores)("a household whose members get other numbers, on %s", (_name, open) => {
  let service: Service;

  beforeEach(async () => {
    service = await startService({ open });
    for (const [value, given] of [
      ["1", "Ana"],
      ["2", "Ben"],
    ] as const)
      await service.call({
        method: "POST",
        path: "/Individual",
        body: person(value, { name: { given, family: "Cruz" } }),
      });
    const member = ["1", "2"].map((value) => ({
      entity: { reference: `Individual/${system}|${value}` },
      ...(value === "1" && { inactive: true }),
    }));
    const identifier = [{ system: "urn:test:group", value: "home" }];
    const body = { type: "Group", identifier, groupType: "household", name: "Home", member };
    expect((await service.call({ method: "POST", path: "/Group", body })).status).toBe(201);
  });

  const numbered = (from: string, to: string) => ({
    path: `/Individual/${system}|${from}`,
    body: { identifier: [{ system, value: to }] },
  });
  async function renumber(from: string, to: string) {
    const headers = { "If-Match": "*" };
    const { status } = await service.call({ method: "PATCH", ...numbered(from, to), headers });
    expect(status).toBe(200);
  }
  /** Who is in the household, by the given name, and who has left. */
  async function members() {
    const { body } = await service.call({ path: home });
    return Promise.all(
      body.member.map(async ({ entity, inactive }: { entity: { reference: string }; inactive?: true }) => {
        const { name } = (await service.call({ path: `/${entity.reference}` })).body;
        return inactive ? `${name.given}, left` : name.given;
      }),
    );
  }

  it("has the same members when a number goes from one who left to another", async () => {
    await renumber("1", "3");
    await renumber("2", "1");
    expect(await members()).toEqual(["Ana, left", "Ben"]);
  });

  it("has another version for each, also for one who left", async () => {
    await renumber("1", "3");
    expect((await service.call({ path: home })).body.meta.versionId).toBe("2");
    await renumber("2", "1");
    expect((await service.call({ path: home })).body.meta.versionId).toBe("3");
  });
});
