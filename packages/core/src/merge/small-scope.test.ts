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

/** What a server has after steps of several people from the same copy arrived in this order; `null` where one was asked. */
function arrived(base: Household, order: readonly Household[]): JsonObject | null {
  let server = record(base);
  for (const ours of order) {
    const { merged, conflicts } = merge({
      base: record(base),
      ours: record(ours),
      theirs: server,
      shape: resourceShapes.Group,
    });
    if (conflicts.length > 0) return null;
    server = merged;
  }
  return server;
}

function statesOf({ member = [] }: JsonObject): Readonly<Record<string, string>> {
  const members = member as readonly (JsonObject & { readonly entity: { readonly reference: string } })[];
  const named = members.map((one) => [one.entity.reference.slice(-1), stateOf(one)] as const);
  return Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Three things in every order. */
function permutations<T>([a, b, c]: readonly [T, T, T]): readonly (readonly T[])[] {
  return [
    [a, b, c],
    [a, c, b],
    [b, a, c],
    [b, c, a],
    [c, a, b],
    [c, b, a],
  ];
}

/** All that three people can do to a household of three, a step each, whoever of them does which. */
function* threeSteps(): Generator<{ base: Household; taken: readonly [Household, Household, Household] }> {
  for (const base of households().filter((household) => Object.keys(household).length === 3)) {
    const all = steps(base);
    for (const [i, a] of all.entries()) {
      for (const [j, b] of all.slice(i).entries()) {
        for (const c of all.slice(i + j)) yield { base, taken: [a, b, c] };
      }
    }
  }
}

it("has each of three people's steps in the household in whatever order they arrive, or asks", {
  timeout: 60_000,
}, () => {
  const seen = { clean: 0, asked: 0, either: 0 };
  for (const { base, taken } of threeSteps()) {
    const results = permutations(taken).map((order) => arrived(base, order));
    const clean = results.flatMap((result) => (result ? [statesOf(result)] : []));
    seen[clean.length === 6 ? "clean" : clean.length === 0 ? "asked" : "either"]++;
    const [first] = clean;
    for (const states of clean) {
      expect({ base, taken, states }).toEqual({ base, taken, states: first });
      checkStates(states, base, taken);
    }
  }
  expect(seen).toEqual({ clean: 4225, asked: 1691, either: 24 });
});

/** What one person did to a member, nobody else having touched it, is there; and nothing else happened. */
function checkStates(
  states: Readonly<Record<string, string>>,
  base: Household,
  taken: readonly Household[],
): void {
  for (const person of people) {
    const changed = new Set(taken.map((one) => one[person]).filter((state) => state !== base[person]));
    if (changed.size > 1) continue;
    const [state = base[person]] = changed;
    expect({ base, taken, state: states[person] }).toEqual({
      base,
      taken,
      state: changed.has(undefined) ? undefined : state,
    });
  }
}
