import { expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { resourceShapes } from "./shapes.ts";
import { merge } from "./three-way.ts";

/** A household of up to three people, each with a state; one missing is not a member. */
type Household = Readonly<Record<string, "plain" | "head" | "inactive">>;

const people = ["a", "b", "c"];
const states = ["plain", "head", "inactive"] as const;

/** All that one person at a tablet can do to one household in one step, doing nothing included. */
function steps(household: Household): Household[] {
  return [
    household,
    ...people.flatMap((person) => {
      const { [person]: state, ...others } = household;
      const others_ = states
        .filter((next) => next !== state)
        .map((next) => ({ ...household, [person]: next }));
      return state === undefined ? others_ : [others, ...others_];
    }),
  ];
}

function households(): Household[] {
  const choices = [undefined, ...states];
  return choices.flatMap((a) =>
    choices.flatMap((b) =>
      choices.map((c) =>
        Object.fromEntries(Object.entries({ a, b, c }).filter(([, state]) => state !== undefined)),
      ),
    ),
  ) as Household[];
}

function record(household: Household): JsonObject {
  const head = { coding: [{ system: "urn:service:vocab:relationship", code: "head" }] };
  return {
    member: Object.entries(household).map(([person, state]) => ({
      entity: { reference: `Individual/urn:x|${person}` },
      ...(state === "head" && { role: head }),
      ...(state === "inactive" && { inactive: true }),
    })),
  };
}

/** What the merge must give for one member, said as plainly as can be. */
function expected(base: string | undefined, ours: string | undefined, theirs: string | undefined) {
  if (ours === theirs || base === theirs) return { state: ours, conflict: false };
  if (base === ours) return { state: theirs, conflict: false };
  return { state: ours, conflict: true };
}

/** Whether each side chose another head: then what each did to them is in conflict. */
function rivalHeads(base: Household, ours: Household, theirs: Household): boolean {
  const heads = [ours, theirs].map((side) => people.filter((person) => side[person] === "head"));
  const [mine, other] = heads.map((list) => (list.length === 1 ? list[0] : undefined));
  if (mine === undefined || other === undefined || mine === other) return false;
  return base[mine] !== "head" && base[other] !== "head";
}

function stateOf(member: JsonObject): string {
  const traits = [member.role ? "head" : "", member.inactive ? "inactive" : ""].filter(Boolean);
  return traits.join("+") || "plain";
}

it("does right by every household of three after any one step on each side", { timeout: 30_000 }, () => {
  let merges = 0;
  for (const base of households()) {
    for (const ours of steps(base)) {
      for (const theirs of steps(base)) {
        merges++;
        check(base, ours, theirs);
      }
    }
  }
  expect(merges).toBe(64 * 10 * 10);
});

function check(base: Household, ours: Household, theirs: Household): void {
  const { merged, conflicts } = merge({
    base: record(base),
    ours: record(ours),
    theirs: record(theirs),
    shape: resourceShapes.Group,
  });
  const states = new Map(
    ((merged.member ?? []) as readonly (JsonObject & { entity: { reference: string } })[]).map((member) => [
      member.entity.reference.slice(-1),
      stateOf(member),
    ]),
  );
  if (rivalHeads(base, ours, theirs)) {
    expect(conflicts).toHaveLength(2);
    expect(states.size).toBe(Object.keys(ours).length);
    for (const person of people) expect(states.get(person)).toBe(ours[person]);
    return;
  }
  for (const person of people) {
    const [b, o, t] = [base[person], ours[person], theirs[person]];
    const want = expected(b, o, t);
    if (want.conflict && o !== undefined && t !== undefined) {
      // Both are members still: role and activity are places of their own, so two changes may both stand.
      const changed = [o, t].filter((state) => state !== b && state !== "plain");
      const got = states.get(person) ?? "";
      expect(changed.every((state) => got.includes(state)) || conflicts.length > 0).toBe(true);
    } else {
      expect(states.get(person)).toBe(want.state);
      if (want.conflict) expect(conflicts).toHaveLength(1);
    }
  }
}
