import { expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import { createTestRegistry } from "../../testing/test-registry.ts";

const member = (value: string) => ({ entity: { reference: `Individual/urn:p|${value}` } });

/** Two households that differ in nothing but that one is archived, and a caller that does not see which. */
async function open() {
  const test = createTestRegistry();
  const { view } = test;
  for (const value of ["ana", "ben"]) {
    const identifier = [{ system: "urn:p", value }];
    unwrap(await view.individuals.create({ type: "Individual", identifier, name: { given: value } }));
  }
  for (const active of [true, false]) {
    const identifier = [{ system: "urn:g", value: String(active) }];
    const body = {
      type: "Group",
      identifier,
      active,
      groupType: "household",
      name: "Home",
      member: [member("ana")],
    };
    unwrap(await view.groups.create(body));
  }
  return { ...test, partly: test.as({ fields: ["name", "member"] }) };
}

it.each(["patch", "replace", "addMember"] as const)(
  "%s of a member tells nobody whether a group is archived who may not see it",
  async (verb) => {
    const { partly } = await open();
    const told = await Promise.all(
      ["true", "false"].map(async (value) => {
        const at = `urn:g|${value}`;
        if (verb === "addMember") return partly.groups.addMember(at, member("ben"));
        const body = { name: "Home", member: [member("ana"), member("ben")] };
        const identifier = [{ system: "urn:g", value }];
        return verb === "patch"
          ? partly.groups.patch(at, body, { ifMatch: "*" })
          : partly.groups.replace(
              at,
              { type: "Group", identifier, groupType: "household", ...body },
              { ifMatch: "*" },
            );
      }),
    );
    const [used, archived] = told.map((outcome) => JSON.stringify(outcome).replaceAll(/urn:g\|\w+/g, ""));
    expect(archived).toBe(used);
    expect(told[0]).toMatchObject({ ok: false, problem: { kind: "authorization" } });
  },
);

it("lets a caller take a member out of a group whose active is hidden from it", async () => {
  const { partly } = await open();
  const left = { ...member("ana"), inactive: true };
  const written = await partly.groups.patch("urn:g|false", { member: [left] }, { ifMatch: "*" });
  expect(written.ok).toBe(true);
});
