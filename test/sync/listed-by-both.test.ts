import type { Group } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { run, tabletOf } from "./support/files.ts";
import { ok, settled, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, type Device, type World } from "./support/world.ts";

const household = `Group/${system}|H`;
const as = (code: string) => ({ role: { coding: [{ system: "urn:service:vocab:relationship", code }] } });
const made = (value: string) => ({ system: "urn:service:registrant", value });
const national = { system, value: "X" };

describe("somebody whom two enumerators register, and list in one household", () => {
  let world: World;

  beforeEach(async () => {
    world = await createWorld();
    const group = { type: "Group", identifier: [{ system, value: "H" }], groupType: "household", name: "H" };
    await ok(world.view.groups.create(group));
  });

  const joins = ({ client }: Device, reference: string, role: string) =>
    ok(
      client.groups.update(household, (draft: Group) => {
        draft.member = [...(draft.member ?? []), { entity: { reference }, ...as(role) }];
      }),
    );
  const register = async (tablet: Device, identifier: (typeof national)[], role: string) => {
    const person = { ...(identifier.length > 0 && { identifier }), name: { family: "Reyes", given: "Ana" } };
    const { reference } = await ok(tablet.client.individuals.create(person));
    await joins(tablet, reference, role);
    return reference;
  };
  const adopt = async ({ client }: Device) => {
    for (const { reference, reason, revision } of await client.parked())
      if (reason === "duplicate") await ok(client.resolve(reference, { kind: "adopt", revision }));
  };
  const members = async () =>
    ((await ok(world.view.groups.read(`${system}|H`))).member ?? []).map(({ entity, role }) => [
      entity.reference,
      role?.coding?.[0]?.code,
    ]);

  describe.each([
    { apps: "neither makes identifiers", one: [national], two: [national] },
    { apps: "both make identifiers", one: [made("a"), national], two: [made("b"), national] },
    { apps: "the first makes identifiers", one: [made("a"), national], two: [national] },
    { apps: "the second makes identifiers", one: [national], two: [made("b"), national] },
  ])("where $apps", ({ one, two }) => {
    let second: Device;
    let reference: string;

    const meet = async (first: string, then: string) => {
      const a = await tabletOf(world, "a");
      second = await tabletOf(world, "b");
      reference = await register(a, one, first);
      await register(second, two, then);
      await register(second, [], "child");
      await run(a, 2);
      await run(second, 2);
      await adopt(second);
      await run(second, 2);
    };

    it("is one member where both say the same, and nobody is asked", async () => {
      await meet("spouse", "spouse");
      expect(second.client.status.current).toMatchObject(settled);
      expect(await members()).toEqual([
        [reference, "spouse"],
        [expect.any(String), "child"],
      ]);
    });

    it("is one member whose role a person chooses where they say otherwise", async () => {
      await meet("spouse", "other_relative");
      const [parked] = await second.client.parked();
      expect(parked).toMatchObject({ reference: household, reason: "conflict" });
      const choices = Object.fromEntries(
        (parked?.conflicts ?? []).map(({ path }) => [path, "ours" as const]),
      );
      await ok(
        second.client.resolve(household, { kind: "choose", revision: parked?.revision ?? "", choices }),
      );
      await run(second, 2);
      expect(second.client.status.current).toMatchObject(settled);
      expect(await members()).toEqual([
        [reference, "other_relative"],
        [expect.any(String), "child"],
      ]);
    });
  });

  it.each(["real", "plain"])(
    "is one member where the office lists them by another number of theirs (%s)",
    async (kind) => {
      const tablet = await tabletOf(world, "b", kind === "plain" ? { network: (send) => plain(send) } : {});
      const other = { system: "urn:test:other", value: "U" };
      const person = { type: "Individual" as const, name: { family: "Reyes", given: "Ana" } };
      await ok(world.view.individuals.create({ ...person, identifier: [national, other] }));
      const member = [{ entity: { reference: "Individual/urn:test:other|U" }, ...as("spouse") }];
      await ok(world.view.groups.patch(`${system}|H`, { member }, { ifMatch: "*" }));
      await register(tablet, [made("b"), national], "spouse");
      const child = await register(tablet, [], "child");
      await run(tablet, 2);
      await adopt(tablet);
      await run(tablet, 2);
      expect(tablet.client.status.current).toMatchObject(settled);
      expect(await members()).toEqual([
        ["Individual/urn:test:other|U", "spouse"],
        [child, "child"],
      ]);
    },
  );
});
