import { expect, it } from "vitest";
import { createTestRegistry } from "../../testing/test-registry.ts";

const group = (count: number) => ({
  type: "Group",
  identifier: [{ system: "urn:group", value: "g" }],
  groupType: "household",
  name: "Everybody",
  member: Array.from({ length: count }, (_, i) => ({ entity: { reference: `Individual/urn:id|${i}` } })),
});

it("says of who is not there what helps at a server, and on a device", async () => {
  const { view } = createTestRegistry();
  expect(await view.groups.create(group(1))).toMatchObject({
    problem: {
      errors: [
        { message: "Individual/urn:id|0 is not known here; create it first or, on a device, sync first" },
      ],
    },
  });
});

it("tells of many members who are not there in a time that grows with their number only", async () => {
  const { view } = createTestRegistry();
  const count = 40_000;
  const refused = await view.groups.create(group(count));
  expect(refused.ok ? [] : refused.problem.errors).toHaveLength(count);
});
