import { expect, it } from "vitest";
import { maxItems } from "../../resource/list.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createTestRegistry, testId } from "../../testing/test-registry.ts";
import { createRecordRegistry } from "../create-registry.ts";
import { operator } from "../scopes.ts";

const group = (count: number) => ({
  type: "Group",
  identifier: [{ system: "urn:group", value: "g" }],
  groupType: "household",
  name: "Everybody",
  member: Array.from({ length: count }, (_, i) => ({ entity: { reference: `Individual/urn:id|${i}` } })),
});

it("says of who is not there what helps at a server, and on a device", async () => {
  const config = { store: createMemoryStore(), clock: () => new Date(0), newId: () => testId(0, 1) };
  const device = createRecordRegistry({ ...config, policies: { faults: "brought" } }).as(operator);
  const message = "Individual/urn:id|0 is not known here; create it first";
  expect(await createTestRegistry().view.groups.create(group(1))).toMatchObject({
    problem: { errors: [{ message }] },
  });
  expect(await device.groups.create(group(1))).toMatchObject({
    problem: { errors: [{ message: `${message}, or sync first` }] },
  });
});

it("tells of each member who is not there", async () => {
  const { view } = createTestRegistry();
  const refused = await view.groups.create(group(maxItems.member));
  expect(refused.ok ? [] : refused.problem.errors).toHaveLength(maxItems.member);
});

it("looks nobody up of more members than a group may have", async () => {
  const { view } = createTestRegistry();
  const refused = await view.groups.create(group(maxItems.member + 1));
  expect(refused.ok ? [] : refused.problem.errors).toEqual([
    { field: "/member", code: "too_many", message: "must have at most 500 entries, and has 501" },
  ]);
});
