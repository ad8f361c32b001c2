import { expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import { createMemoryStore } from "../../store/memory.ts";
import type { Store } from "../../store/port.ts";
import { createTestRegistry } from "../../testing/test-registry.ts";

const identifier = (value: string) => [{ system: "urn:x", value }];
const ana = { entity: { reference: "Individual/urn:x|ana" } };
const household = (value: string) => ({
  type: "Group",
  identifier: identifier(value),
  groupType: "household",
  name: value,
});

it("refuses a person whom another write takes in between the look at households and the commit", async () => {
  const inner = createMemoryStore();
  let between: (() => Promise<unknown>) | undefined;
  const store: Store = {
    ...inner,
    query: async (query) => {
      const page = await inner.query(query);
      const act = between;
      between = undefined;
      await act?.();
      return page;
    },
  };
  const policies = { oneHousehold: true };
  const { view } = createTestRegistry({ store, policies });
  const other = createTestRegistry({ store: inner, policies, startAt: "2026-01-01T09:00:00.000Z" }).view;
  unwrap(
    await view.individuals.create({
      type: "Individual",
      identifier: identifier("ana"),
      name: { given: "Ana" },
    }),
  );
  for (const value of ["a", "b"]) unwrap(await view.groups.create(household(value)));
  between = () => other.groups.addMember("urn:x|a", ana);
  expect(await view.groups.addMember("urn:x|b", ana)).toMatchObject({
    problem: { kind: "invalid-state", households: [{ household: { reference: "Group/urn:x|a" } }] },
  });
  expect(unwrap(await view.groups.read("urn:x|b")).quantity).toBe(0);
});
