import { expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import { createTestRegistry } from "../../testing/test-registry.ts";
import { group, member, person, valuesOf } from "./test-world.ts";

const crowd = 2_300;

/** Many people, of whom the first and the last are head of a household, and another household without a head. */
async function openCrowd() {
  const { view } = createTestRegistry();
  const people = Array.from(
    { length: crowd },
    (_, i) => ({ verb: "create", type: "Individual", body: person(`${i}`) }) as const,
  );
  for (let at = 0; at < crowd; at += 500) unwrap(await view.transaction(people.slice(at, at + 500)));
  unwrap(await view.groups.create(group("a", [member("0", "head"), member("1", "child")])));
  unwrap(await view.groups.create(group("b", [member(`${crowd - 1}`, "head")])));
  unwrap(await view.groups.create(group("c", [member("2", "spouse"), member(`${crowd - 2}`, "child")])));
  return { view };
}

it("finds the few who have a role among many people, on pages of any size", async () => {
  const { view } = await openCrowd();
  const whole = unwrap(await view.individuals.search({ role: "head", _total: "accurate" }));
  expect([valuesOf(whole), whole.total]).toEqual([["0", `${crowd - 1}`], 2]);
  for (const role of ["head", "child"]) {
    const [first, last] = role === "head" ? ["0", `${crowd - 1}`] : ["1", `${crowd - 2}`];
    const one = unwrap(await view.individuals.search({ role, limit: "1" }));
    expect(valuesOf(one)).toEqual([first]);
    const two = unwrap(await view.individuals.search({ role, limit: "1", cursor: one.nextCursor }));
    expect([valuesOf(two), two.hasMore]).toEqual([[last], false]);
  }
  const sorted = unwrap(await view.individuals.search({ role: "head", _sort: "-identifier" }));
  expect(valuesOf(sorted).sort()).toEqual(["0", `${crowd - 1}`]);
});
